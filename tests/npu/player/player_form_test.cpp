// SPDX-License-Identifier: Apache-2.0
// Whatever happens to a player between two looks at its state lets the second look fail.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "base/state_form.h"
#include "tests/npu/player/player_bench.h"

namespace weft::npu {
namespace {

using namespace weft::npu::testing;  // NOLINT: node makers

BenchSpec form_spec() {
  BenchSpec spec;
  spec.network.latency = 20;
  spec.network.bytes_per_cycle = Rational{10, 1};
  spec.network.packet_bytes = 400;
  spec.npu.memory_bytes_per_s = 1e9;
  return spec;
}

TraceNode load(std::uint64_t id, std::uint64_t bytes) {
  TraceNode node = make_node(id, TraceNodeType::kMemLoad, {});
  node.tensor_bytes = bytes;
  return node;
}

bool look(GraphPlayer& player, StateForm& form, StateForm::Pass pass) {
  form.begin(pass, 0, 1);
  player.put_state(form);
  return form.end();
}

/// Something that happens to the last of some players.
struct Happening {
  const char* what;
  std::vector<std::vector<TraceNode>> traces;
  Cycle at;  ///< when, by hand: 1 us are 1000 cycles, 10 bytes leave in one, and they arrive 20 cycles later
};

TEST(PlayerForm, each_event_between_two_looks_is_seen) {
  const std::vector<Happening> happenings = {
      {"a computation ends", {{compute(1, 3)}}, 3000},
      {"a computation of the host ends", {{host_compute(1, 3)}}, 3000},
      {"a computation ends and another one begins", {{compute(1, 3), compute(2, 3)}}, 3000},
      {"an access to memory ends", {{load(1, 2000)}}, 2000},
      {"a send leaves", {{}, {send(1, 0, 5, 1000)}}, 100},
      {"a receive ends", {{send(1, 1, 5, 1000)}, {receive(1, 0, 5, 1000)}}, 120},
      {"a message comes that nobody has asked for", {{send(1, 1, 5, 1000)}, {compute(1, 3)}}, 120},
      {"a collective ends", {{}, {collective(1, CollectiveKind::kAllReduce, 1000)}}, 100}};
  for (const auto& [what, traces, at] : happenings) {
    SCOPED_TRACE(what);
    PlayerBench bench(form_spec(), traces);
    GraphPlayer& player = bench.player(traces.size() - 1);
    StateForm form;
    EXPECT_TRUE(look(player, form, StateForm::Pass::kFirst));
    bench.start();
    EXPECT_FALSE(look(player, form, StateForm::Pass::kSecond)) << "the first nodes have begun";
    EXPECT_TRUE(look(player, form, StateForm::Pass::kFirst));
    bench.run_until(at - 1);
    EXPECT_TRUE(look(player, form, StateForm::Pass::kSecond)) << "nothing has happened";
    bench.run_until(at);
    EXPECT_FALSE(look(player, form, StateForm::Pass::kSecond));
  }
}

TEST(PlayerForm, an_announcement_is_seen) {
  BenchSpec spec = form_spec();
  spec.in_order = true;
  PlayerBench bench(spec, {{}, {compute(1, 3)}});
  bench.start();
  StateForm form;
  EXPECT_TRUE(look(bench.player(1), form, StateForm::Pass::kFirst));
  bench.player(1).on_announcement(0);
  EXPECT_FALSE(look(bench.player(1), form, StateForm::Pass::kSecond));
}

/// A memory that carries out nothing.
class IdlePort final : public MemoryPort {
 public:
  void start(const MemoryOrder&) override {}
  bool copies(const CommGroup&) const override { return false; }
  bool reduces(const CommGroup&) const override { return false; }
  void on_data(const Delivery&) override {}
  bool on_sent(MessageId) override { return false; }
  void on_timer(std::uint64_t) override {}
  std::string waiting_for(std::uint64_t) const override { return ""; }
};

class IdleMemory final : public LocalMemory {
 public:
  void stream(bool, std::uint64_t, std::function<void()>) override {}
};

TEST(PlayerForm, memories_that_are_simulated_do_not_take_part) {
  IdlePort port;
  IdleMemory memory;
  NpuSpec npu;
  npu.placement.push_back(NodeId{0});
  const GroupTable groups({}, 1);
  const PlayerSetup setup(npu, ClockSpec{}, groups);
  IdealNetwork network{IdealNetworkSpec{}};
  TimedCollectives collectives(network.at(NodeId{0}), 1);
  GraphPlayer player(setup, {RankId{0}, nullptr, &memory}, std::make_unique<MemoryFeeder>(std::vector<TraceNode>{}),
                     network.at(NodeId{0}), collectives);
  StateForm form;
  EXPECT_FALSE(look(player, form, StateForm::Pass::kFirst));
  EXPECT_NE(form.refusal().find("do not take part yet"), std::string::npos);
  // A port refuses for itself, unless it knows its state.
  form.begin(StateForm::Pass::kFirst, 0, 1);
  port.put_state(form);
  EXPECT_NE(form.refusal().find("do not take part yet"), std::string::npos);
}

TEST(PlayerForm, a_message_is_the_players_until_it_has_left) {
  PlayerBench bench(form_spec(), {{send(1, 1, 5, 1000)}, {receive(1, 0, 5, 1000)}});
  StateForm form;
  form.begin(StateForm::Pass::kFirst, 0, 1);
  EXPECT_FALSE(bench.player(0).put_message(form, MessageId{0}));
  bench.start();
  EXPECT_TRUE(bench.player(0).put_message(form, MessageId{0}));
  EXPECT_FALSE(bench.player(0).put_message(form, MessageId{1}));
  bench.run_until(100);
  EXPECT_FALSE(bench.player(0).put_message(form, MessageId{0}));
}

}  // namespace
}  // namespace weft::npu
