// SPDX-License-Identifier: Apache-2.0
// More settings than the memory holds: what each activation costs, which one is replaced. Cycles by hand: what
// leaves Fred_3(4) (3 stages) for a flit that comes in cycle t and changes the setting is sent in cycle
// t + 1 + reconfigure + 3, and `reload` later where the setting has to be loaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/switch/support/flows.h"
#include "tests/switch/support/packet_bench.h"

namespace weft::fred {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PacketBench;
using testing::ports;
using testing::SentPacket;

constexpr Cycle kReconfigure = 2;
constexpr Cycle kReload = 10;
constexpr Cycle kWay = 1 + kReconfigure + 3;

/// Fred_3(4) with memory for `fit` settings.
SwitchSpec spec_with(std::size_t fit, FredControl control = FredControl::kOnePhase) {
  SwitchSpec spec;
  spec.m = 3;
  spec.ports = 4;
  spec.flit_bytes = 16;
  spec.traffic_classes = kMostTrafficClasses;
  spec.reconfigure_cycles = kReconfigure;
  spec.reload_cycles = kReload;
  spec.control = control;
  spec.memory_bytes = fit * ((setting_bits(build_interconnect(3, 4)) + 7) / 8);
  return spec;
}

const Flow& left() {
  static const Flow flow = all_reduce_flow("left", ports({0, 1}));
  return flow;
}
const Flow& right() {
  static const Flow flow = all_reduce_flow("right", ports({2, 3}));
  return flow;
}

/// Two settings in turn; cycles from each arrival to what leaves.
std::vector<Cycle> alternate(std::size_t fit, FredControl control, std::uint64_t* reloads) {
  PacketBench bench(spec_with(fit, control));
  const std::uint32_t first = bench.fred.settings().add({left()});
  const std::uint32_t second = bench.fred.settings().add({right()});
  for (std::uint32_t i = 0; i < 4; ++i) {
    const SentPacket packet{10 + 30 * i, i, 0, i % 2 == 0 ? first : second, 0, 1};
    bench.send_flow(i % 2 == 0 ? left() : right(), packet);
  }
  bench.run();
  bench.fred.require_empty();
  *reloads = bench.fred.counters().reloads;
  EXPECT_EQ(bench.fred.counters().reconfigurations, 4U);
  std::vector<Cycle> times;
  for (std::uint32_t i = 0; i < 4; ++i) times.push_back(bench.at(i % 2 == 0 ? 1 : 3, i).head - (10 + 30 * i));
  return times;
}

TEST(FredReload, memory_for_one_of_two_that_alternate) {
  std::uint64_t reloads = 0;
  for (const FredControl control : {FredControl::kOnePhase, FredControl::kOneTree}) {
    EXPECT_THAT(alternate(1, control, &reloads), ElementsAre(kWay, kWay + kReload, kWay + kReload, kWay + kReload));
    EXPECT_EQ(reloads, 3U);  // the first one was loaded before the run
  }
}

TEST(FredReload, memory_for_both) {
  std::uint64_t reloads = 0;
  for (const FredControl control : {FredControl::kOnePhase, FredControl::kOneTree}) {
    EXPECT_THAT(alternate(2, control, &reloads), ElementsAre(kWay, kWay, kWay, kWay));
    EXPECT_EQ(reloads, 0U);
  }
}

/// 1 and 2 are in the memory. 3 takes the place of 1, the first of those never activated; 1 that of 2; 2 that of 3.
TEST(FredReload, least_recently_activated_one_leaves) {
  FredSwitch fred(spec_with(2));
  SettingStore& store = fred.settings();
  store.add({left()});
  store.add({right()});
  store.add({all_reduce_flow("all", ports({0, 1, 2, 3}))});
  EXPECT_THAT(store.residents(), ElementsAre(1, 2));
  EXPECT_TRUE(store.activate(3));
  EXPECT_THAT(store.residents(), ElementsAre(2, 3));
  EXPECT_TRUE(store.activate(1));
  EXPECT_THAT(store.residents(), ElementsAre(3, 1));
  EXPECT_FALSE(store.activate(3));
  EXPECT_THAT(store.residents(), ElementsAre(1, 3));
  EXPECT_TRUE(store.activate(2));
  EXPECT_THAT(store.residents(), ElementsAre(3, 2));
  EXPECT_FALSE(store.resident(1));
  EXPECT_FALSE(store.activate(kUnicasts));
  EXPECT_TRUE(store.resident(kUnicasts));
}

/// What is first asked for while the run goes on was loaded before it, too, as long as there is room.
TEST(FredReload, room_is_filled_before_anything_is_replaced) {
  FredSwitch fred(spec_with(2));
  SettingStore& store = fred.settings();
  store.add({left()});
  EXPECT_FALSE(store.activate(1));
  store.add({right()});
  EXPECT_THAT(store.residents(), ElementsAre(2, 1));
  EXPECT_FALSE(store.activate(2));
}

/// A packet of a higher phase comes while a setting is loaded: it has to wait for the end of that.
TEST(FredReload, a_load_that_has_begun_is_finished) {
  PacketBench bench(spec_with(1));
  const std::uint32_t high = bench.fred.settings().add({left()});
  const std::uint32_t low = bench.fred.settings().add({right()});
  bench.send_flow(right(), {10, 1, 2, low, 0, 1});
  bench.send_flow(left(), {15, 2, 0, high, 0, 1});
  bench.run();
  // Seen in cycle 11, loaded from 21 on; then the other one is, which is open from 21 + 10 + 2 on.
  EXPECT_EQ(bench.at(1, 2).head, 21 + kReload + kReconfigure + 3);
  EXPECT_EQ(bench.at(3, 1).head, 33 + kReload + 1 + kReconfigure + 3);  // the step after the other has started
  EXPECT_EQ(bench.fred.counters().reloads, 3U);
}

TEST(FredReload, unicasts_need_no_memory) {
  PacketBench bench(spec_with(1));
  const std::uint32_t flow = bench.fred.settings().add({left()});
  bench.send_flow(left(), {10, 1, 0, flow, 0, 1});
  bench.send(0, {40, 2, 0, kUnicasts, 3, 1});
  bench.send_flow(left(), {70, 3, 0, flow, 0, 1});
  bench.run();
  EXPECT_EQ(bench.at(3, 2).head, 40 + kWay);
  EXPECT_EQ(bench.at(1, 3).head, 70 + kWay);
  EXPECT_EQ(bench.fred.counters().reloads, 0U);
}

TEST(FredReload, no_memory_at_all_bad) {
  FredSwitch fred(spec_with(0));
  try {
    fred.settings().add({left()});
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no room for stored setting 1: 0 bytes of memory for stored settings"));
  }
}

TEST(FredReload, several_phases_bad) {
  try {
    FredSwitch fred(spec_with(1, FredControl::kSeveralPhases));
    FAIL() << "taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("several stored settings that are active at once are not reloaded"));
  }
}

}  // namespace
}  // namespace weft::fred
