// SPDX-License-Identifier: Apache-2.0
// The collective engine: who waits for whom, and what it does out of the ordinary.
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "npu/collective/form/tag.h"
#include "npu/collective/form/values.h"
#include "tests/npu/collective/engine/engine_bench.h"

namespace weft::npu {
namespace {

using testing::EngineBench;
using testing::IdealNetworkSpec;
using testing::request_for;

/// Writes down what an engine asks of its network, and lets the test turn the clock.
class NotingNetwork final : public NetworkInterface {
 public:
  NodeId node() const override { return NodeId{1}; }
  Cycle now() const override { return cycle; }
  void attach(Endpoint& /*endpoint*/) override {}
  MessageId send(const Message& message, std::uint64_t released) override {
    EXPECT_EQ(message.bytes, 150u);
    releases.emplace_back(cycle, released);
    return MessageId{0};
  }
  void release(MessageId /*id*/, std::uint64_t bytes) override { releases.emplace_back(cycle, bytes); }
  void schedule(Cycle delay, std::uint64_t cookie) override { timers.emplace(cycle + delay, cookie); }
  void note_event() override {}
  void note_piece(std::uint64_t /*family*/) override {}
  void note_chunk(std::uint32_t /*left*/) override {}

  Cycle cycle = 0;
  std::vector<std::pair<Cycle, std::uint64_t>> releases;
  std::multimap<Cycle, std::uint64_t> timers;
};

class NoListener final : public CollectiveListener {
 public:
  void on_collective_done(const CollectiveDone& /*done*/) override {}
};

TEST(CollectiveEngine, streamed_bytes_leave_in_order) {
  // The middle of a reduce chain, memory of 1 byte per cycle: the first packet's 100 bytes cost 300 cycles, the last
  // 50 only 150, but they come out behind the first all the same.
  NotingNetwork network;
  FabricSpec ring;
  ring.kind = FabricKind::kTorus;
  ring.size_x = 3;
  NpuSpec npu;
  npu.reduce_bytes_per_s = 1e9;
  ProgramCache programs(EngineBench::collective_spec("ring"), ring);
  NoListener listener;
  const EndpointCost cost(npu, ClockSpec{});
  CollectiveEngine engine(network, cost, npu.packet_bytes, programs, listener);
  CollectiveRequest request = request_for(CollectiveKind::kReduce, 600, 3);
  request.bytes = 150;
  request.root = 2;
  request.my_index = 1;
  engine.start(request);
  Delivery packet;
  packet.src = NodeId{0};
  packet.message_bytes = 150;
  packet.bytes = 100;
  engine.on_data(packet);
  network.cycle = 10;
  packet.offset = 100;
  packet.bytes = 50;
  packet.last = true;
  engine.on_data(packet);
  while (!network.timers.empty()) {
    const auto [cycle, cookie] = *network.timers.begin();
    network.timers.erase(network.timers.begin());
    network.cycle = cycle;
    engine.on_timer(cookie);
  }
  EXPECT_EQ(network.releases, (std::vector<std::pair<Cycle, std::uint64_t>>{{300, 100}, {300, 50}}));
}

TEST(CollectiveEngine, unlike_collectives_may_start_in_different_order) {
  // Ranks 0 and 1 start a small and a large all_reduce in opposite order; the signatures keep them apart.
  EngineBench bench({2, 10, {1, 1}, 64, 0, 1}, "ring");
  CollectiveRequest small = request_for(CollectiveKind::kAllReduce, 100, 2);
  CollectiveRequest large = request_for(CollectiveKind::kAllReduce, 900, 2);
  small.signature = 1;
  large.signature = 2;
  large.handle = 1;
  bench.start(small, {}, [](std::uint32_t rank) { return Cycle{rank}; });
  bench.start(large, {}, [](std::uint32_t rank) { return Cycle{1 - rank}; });
  bench.network.run();
  EXPECT_TRUE(bench.idle());
  for (const auto& node : bench.nodes) EXPECT_EQ(node->done.size(), 2u);
}

TEST(CollectiveEngine, peers_may_be_ahead) {
  for (const std::uint32_t late : {0u, 1u, 2u}) {
    EngineBench bench({3, 10, {1, 1}, 64, 0, 1}, "ring");
    const CollectiveRequest request = request_for(CollectiveKind::kAllReduce, 300, 3);
    bench.start(request, {}, [late](std::uint32_t rank) { return rank == late ? Cycle{5000} : Cycle{0}; });
    bench.network.run(4999);
    EXPECT_EQ(bench.end(0), 0u);  // nobody can be done before all have begun
    bench.network.run();
    EXPECT_TRUE(bench.idle());
    for (const auto& node : bench.nodes) EXPECT_GT(node->done.at(0).end_cycle, 5000u);
  }
}

TEST(CollectiveEngine, all_gather_of_one_late_rank_takes_its_data_only) {
  // direct: rank 2 comes 1000 cycles late; the others' 100 bytes have long come.
  EngineBench bench({3, 10, {1, 1}, 1000, 0, 1}, "direct");
  bench.start(request_for(CollectiveKind::kAllGather, 100, 3), {},
              [](std::uint32_t rank) { return rank == 2 ? Cycle{1000} : Cycle{0}; });
  bench.network.run();
  EXPECT_EQ(bench.nodes[0]->done.at(0).end_cycle, 1000u + 100 + 10);  // rank 2 serves rank 0 first
  EXPECT_EQ(bench.nodes[1]->done.at(0).end_cycle, 1000u + 200 + 10);
  EXPECT_EQ(bench.nodes[2]->done.at(0).end_cycle, 1000u + 200);  // its own messages have left
}

TEST(CollectiveEngine, active_chunks_limit_what_is_in_flight) {
  // Two ranks exchange four chunks of 100 bytes.
  const auto end = [](std::uint32_t active) {
    EngineBench bench({2, 150, {1, 1}, 1000, 0, 1}, "direct");
    bench.start(request_for(CollectiveKind::kAllGather, 400, 2, 4, active));
    bench.network.run();
    EXPECT_TRUE(bench.idle());
    return bench.end(0);
  };
  EXPECT_EQ(end(0), 400u + 150);
  EXPECT_EQ(end(1), 4 * (100u + 150));
  // Chunks 0 and 1 arrive at 250 and 350, when 2 and 3 begin, each 100 + 150 long.
  EXPECT_EQ(end(2), 350u + 100 + 150);
}

TEST(CollectiveEngine, higher_priority_goes_first) {
  EngineBench bench({2, 10, {1, 1}, 100, 0, 1}, "direct");
  CollectiveRequest low = request_for(CollectiveKind::kAllGather, 1000, 2);
  CollectiveRequest high = low;
  high.handle = 1;
  high.instance = 1;
  high.priority = 3;
  bench.start(low);
  bench.start(high);
  bench.network.run();
  EXPECT_EQ(bench.end(1), 1010u);
  EXPECT_EQ(bench.end(0), 2010u);
}

TEST(CollectiveEngine, alone_or_empty_is_done_at_once) {
  for (const CollectiveKind kind : all_kinds()) {
    EngineBench bench({1, 10, {1, 1}, 64, 0, 1}, "ring");
    bench.start(request_for(kind, 64, 1));
    bench.network.run();
    EXPECT_EQ(bench.nodes[0]->done.at(0).end_cycle, 0u) << kind_name(kind);
    EXPECT_EQ(bench.network.messages(), 0u);
  }
}

TEST(CollectiveEngine, barrier_waits_for_the_last) {
  for (const char* algorithm : {"ring", "direct", "halving_doubling", "double_binary_tree"}) {
    EngineBench bench({6, 10, {1, 1}, 64, 0, 1}, algorithm);
    bench.start(request_for(CollectiveKind::kBarrier, 0, 6), {},
                [](std::uint32_t rank) { return rank == 4 ? Cycle{700} : Cycle{rank}; });
    bench.network.run();
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
      const Cycle end = bench.nodes[rank]->done.at(0).end_cycle;
      EXPECT_GE(end, rank == 4 ? 700u : 710u) << algorithm << " rank " << rank;
    }
    EXPECT_EQ(bench.network.bytes(), 0u);
  }
}

TEST(CollectiveEngine, tells_what_it_does_and_waits_for) {
  FabricSpec ring;
  ring.kind = FabricKind::kTorus;
  ring.size_x = 3;
  EngineBench bench({3, 10, {1, 1}, 1000, 0, 1}, "ring", {}, ring);
  std::vector<std::pair<Cycle, std::string>> states;
  bench.nodes[0]->engine.set_state_listener(
      [&](const std::string& text) { states.emplace_back(bench.network.now(), text); });
  CollectiveRequest request = request_for(CollectiveKind::kAllReduce, 300, 3);
  request.handle = 7;
  bench.start(request, {}, [](std::uint32_t rank) { return rank == 2 ? Cycle{500} : Cycle{0}; });
  bench.network.run(499);
  EXPECT_EQ(bench.nodes[0]->engine.state_text(), "all_reduce_0 chunk 0 step 0");
  EXPECT_EQ(bench.nodes[0]->engine.waiting_for(7), "chunk 0 waits in step 0 for data from member 2");
  EXPECT_EQ(
      bench.nodes[0]->engine.waiting_for(),
      std::vector<std::string>{"collective all_reduce_0 of group 0: chunk 0 waits in step 0 for data from member 2"});
  EXPECT_EQ(bench.nodes[2]->engine.waiting_for(),
            std::vector<std::string>{"2 messages have come of collectives that this rank has not got to"});
  bench.network.run();
  EXPECT_EQ(states.front(), (std::pair<Cycle, std::string>{0, "all_reduce_0 chunk 0 step 0"}));
  EXPECT_EQ(states.back().second, "");
  EXPECT_EQ(states.size(), 5u);  // four steps and the end
  EXPECT_EQ(bench.nodes[0]->engine.waiting_for(7), "");
}

TEST(CollectiveEngine, ranks_that_disagree_are_a_violation_bad) {
  EngineBench bench({2, 10, {1, 1}, 1000, 0, 1}, "ring");
  CollectiveRequest request = request_for(CollectiveKind::kAllReduce, 400, 2);
  bench.nodes[0]->engine.start(request);
  request.my_index = 1;
  request.bytes = 800;
  bench.nodes[1]->engine.start(request);
  try {
    bench.network.run();
    FAIL() << "accepted";
  } catch (const ViolationError& error) {
    EXPECT_STREQ(error.what(),
                 "collective all_reduce_0 chunk 0: rank 1 expects 400 bytes from rank 0 in step 0, 200 come: the ranks "
                 "of group 0 disagree about the collective");
  }
}

TEST(CollectiveEngine, a_message_twice_and_two_groups_of_one_number_are_violations_bad) {
  EngineBench bench({3, 10, {1, 1}, 1000, 0, 1}, "ring");
  Delivery delivery;
  delivery.src = NodeId{1};
  delivery.tag = pack_tag({0, 0, 0, 0, 0});
  delivery.last = true;
  bench.nodes[0]->engine.on_data(delivery);
  EXPECT_THROW(bench.nodes[0]->engine.on_data(delivery), ViolationError);
  bench.nodes[2]->engine.start(request_for(CollectiveKind::kAllReduce, 400, 2));
  EXPECT_THROW(bench.nodes[2]->engine.start(request_for(CollectiveKind::kAllReduce, 400, 3)), ViolationError);
}

TEST(CollectiveEngine, numbers_out_of_range_bad) {
  EngineBench bench({2, 10, {1, 1}, 1000, 0, 1}, "ring");
  CollectiveRequest request = request_for(CollectiveKind::kAllReduce, 400, 2);
  request.chunks = 65;
  try {
    bench.nodes[0]->engine.start(request);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "collective all_reduce_0: chunks must be 1..64, found 65");
  }
  request.chunks = 1;
  request.bytes = 401;
  request.data = DataMode::kValues;
  try {
    bench.nodes[0]->engine.start(request);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "collective all_reduce_0: 401 bytes are no whole number of 4-byte elements");
  }
}

TEST(CollectiveTag, packs_all_fields) {
  const CollectiveTag tag{65535, 200, 2000, 63, 500'000};
  EXPECT_EQ(unpack_tag(pack_tag(tag)), tag);
  EXPECT_EQ(pack_tag(tag) >> 60, 0u);
  EXPECT_EQ(unpack_tag(pack_tag({1, 0, kMaxInstances + 5, 0, 0})).instance, 5u);
}

}  // namespace
}  // namespace weft::npu
