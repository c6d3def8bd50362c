// SPDX-License-Identifier: Apache-2.0
// What a switch of RTL shows of its inside is what the model shows, in every step: wires, their data, and why nothing
// starts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "switch/network/datapath_plan.h"
#include "switch/network/fred_switch.h"
#include "tb/bench/switch_traffic.h"
#include "tb/switch/lockstep_switch.h"
#include "tb/switch/switch_build.h"

namespace weft::tb {
namespace {

/// Odd, so that it has a demux and a mux; two levels of stages, adders of two places, FP32 between 16-bit ports.
SwitchShape odd_shape() {
  SwitchShape shape;
  shape.m = 3;
  shape.ports = 5;
  shape.lanes = 1;
  shape.beats = 2;
  shape.accumulate_fp32 = true;
  shape.traffic_classes = 4;
  shape.settings = 4;
  shape.buffer_flits = 6;
  shape.control_buffer_flits = 3;
  shape.output_flits = 24;
  shape.reduce_cycles = 2;
  return shape;
}

/// Two places behind every uSwitch, data as it is at the ports.
SwitchShape skid_shape() {
  SwitchShape shape;
  shape.m = 2;
  shape.ports = 4;
  shape.lanes = 2;
  shape.traffic_classes = 1;
  shape.settings = 4;
  shape.buffer_flits = 8;
  shape.control_buffer_flits = 4;
  shape.output_flits = 24;
  shape.skid = true;
  return shape;
}

constexpr fred::SwitchWatch kAll{true, true, true};

std::shared_ptr<const RtlLibrary> library(const SwitchShape& shape) {
  ModelBuilder builder(WEFT_TEST_MODELS);
  RtlDesign design = switch_design(builder, shape.m, shape.ports, kAll);
  const auto set = [&design](const char* name, std::uint32_t value) {
    design.parameters[name] = std::to_string(value);
  };
  set("Lanes", shape.lanes);
  set("Beats", shape.beats);
  set("AccumulateFp32", shape.accumulate_fp32 ? 1 : 0);
  set("TrafficClasses", static_cast<std::uint32_t>(shape.traffic_classes));
  set("StoredSettings", shape.settings);
  set("BufferFlits", shape.buffer_flits);
  set("ControlBufferFlits", shape.control_buffer_flits);
  set("OutputFlits", shape.output_flits);
  set("ReduceCycles", shape.reduce_cycles);
  set("Skid", shape.skid ? 1 : 0);
  return builder.build(design);
}

std::string text_of(const fred::WireSample& wire) {
  if (!wire.valid) return "nothing";
  return fmt::format("packet {} stored setting {} traffic class {} way {}{}{}{}{}", wire.packet, wire.setting,
                     wire.traffic_class, wire.route, wire.head ? " head" : "", wire.tail ? " tail" : "",
                     wire.ready ? " ready" : "", wire.has_data ? " data" : "");
}

/// What was seen, so that a test that sees nothing fails.
struct Seen {
  std::uint64_t beats = 0;
  std::uint64_t waiting = 0;  ///< beats whose consumer does not take them
  std::uint64_t with_data = 0;
  std::uint64_t turned = 0;  ///< unicasts that leave through another output than the first
  std::uint64_t stalls[4] = {};
};

void compare_wires(const LockstepSwitch& pair, Cycle now, Seen* seen) {
  const fred::WireWatch& rtl = *pair.wires();
  const fred::WireWatch& model = *pair.shadow()->wires();
  ASSERT_EQ(rtl.wires().size(), fred::ChannelNumbers(pair.interconnect()).count());
  for (std::uint32_t channel = 0; channel < rtl.wires().size(); ++channel) {
    const fred::WireSample& wire = rtl.wires()[channel];
    ASSERT_EQ(text_of(wire), text_of(model.wires()[channel])) << "wire " << channel << " in cycle " << now;
    if (wire.has_data) {
      ASSERT_EQ(std::memcmp(rtl.data(channel), model.data(channel), rtl.data_bytes()), 0)
          << "wire " << channel << " in cycle " << now;
    }
    seen->beats += wire.valid ? 1 : 0;
    seen->waiting += wire.valid && !wire.ready ? 1 : 0;
    seen->with_data += wire.has_data ? 1 : 0;
    seen->turned += wire.route > 0 ? 1 : 0;
  }
}

void compare_reasons(LockstepSwitch& pair, Cycle now, Seen* seen) {
  std::vector<StallReason> rtl;
  std::vector<StallReason> model;
  ASSERT_TRUE(pair.rtl().stalls(&rtl));
  ASSERT_TRUE(pair.shadow()->stalls(&model));
  ASSERT_EQ(rtl, model) << "cycle " << now;
  for (std::size_t number = 0; number < rtl.size(); ++number) {
    const PortId port{static_cast<std::uint8_t>(number)};
    for (int traffic_class = 0; traffic_class < pair.spec().traffic_classes; ++traffic_class) {
      ASSERT_EQ(pair.rtl().credits(port, traffic_class), pair.shadow()->credits(port, traffic_class))
          << "port " << number << " traffic class " << traffic_class << " in cycle " << now;
    }
  }
  for (const StallReason reason : rtl) ++seen->stalls[static_cast<std::size_t>(reason)];
}

/// A life of one switch in random traffic.
void live(const SwitchShape& shape, const std::shared_ptr<const RtlLibrary>& built, std::uint64_t seed, Seen* seen) {
  RandomStream random(seed, NodeId{0});
  fred::SwitchSpec spec = random_spec(shape, random);
  spec.watch = kAll;
  LockstepSwitch pair(spec, built, seed, "here");
  Traffic traffic(pair.spec(), random);
  traffic.store_settings(pair.settings(), shape.settings);
  for (Cycle now = 0; now < 3000; ++now) {
    traffic.cycle(now, now < 2500);
    for (const Traffic::Arrival& arrival : traffic.arrivals()) {
      pair.receive(PortId{static_cast<std::uint8_t>(arrival.port)}, arrival.flit,
                   arrival.data.empty() ? nullptr : arrival.data.data());
    }
    for (const auto& [port, traffic_class] : traffic.credits()) {
      pair.credit(PortId{static_cast<std::uint8_t>(port)}, traffic_class);
    }
    for (int number = 0; number < spec.ports; ++number) {  // with those that have just come
      const PortId port{static_cast<std::uint8_t>(number)};
      ASSERT_EQ(pair.rtl().credits_known(port, 0), pair.shadow()->credits_known(port, 0));
    }
    pair.step(now);
    traffic.happened(pair, now);
    compare_wires(pair, now, seen);
    compare_reasons(pair, now, seen);
    if (testing::Test::HasFatalFailure()) return;
  }
}

void live_often(const SwitchShape& shape, Seen* seen) {
  const auto built = library(shape);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    live(shape, built, seed, seen);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(seen->beats, 10'000U);
  EXPECT_GT(seen->with_data, 1'000U);
  EXPECT_GT(seen->turned, 1'000U);
  for (const std::uint64_t count : seen->stalls) EXPECT_GT(count, 100U);
}

TEST(UswitchWatch, rtl_and_model_show_the_same_of_an_odd_switch) {
  Seen seen;
  live_often(odd_shape(), &seen);
  EXPECT_GT(seen.waiting, 50U);  // operands come at different times
}

TEST(UswitchWatch, rtl_and_model_show_the_same_with_two_places) {
  Seen seen;
  live_often(skid_shape(), &seen);
}

TEST(UswitchWatch, a_switch_that_nobody_watches_shows_nothing_bad) {
  fred::SwitchSpec spec;
  spec.ports = 4;
  EXPECT_EQ(fred::FredSwitch(spec).wires(), nullptr);
  EXPECT_EQ(fred::FredSwitch(spec).shadow(), nullptr);
}

}  // namespace
}  // namespace weft::tb
