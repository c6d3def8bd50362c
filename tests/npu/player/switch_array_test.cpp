// SPDX-License-Identifier: Apache-2.0
// NPUs in front of FRED switches: collectives as flows, from the workload to the sums, on an ideal tree of switches.
#include <gmock/gmock.h>

#include "base/error.h"
#include "npu/collective/engine/packet_reducer.h"
#include "npu/interface/message_interfaces.h"
#include "npu/player/npu_array.h"
#include "npu/trace/chakra_writer.h"
#include "tests/npu/support/ideal_switch.h"
#include "tests/npu/support/memory_feeder.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu::test {
namespace {

// Three switches of four NPUs, two planes; flits of 16 bytes, packets of 64.
Config fred_config() {
  Config config;
  config.fabric.kind = FabricKind::kFred;
  config.fabric.size_x = 4;
  config.fabric.size_y = 3;
  config.fabric.flit_bytes = 16;
  config.fabric.local.flits_per_cycle = {2, 1};
  config.fabric.fred.planes = 2;
  config.fabric.fred.levels.resize(2);
  config.fabric.fred.levels[0].groups = 3;
  config.fabric.fred.levels[0].buffer_flits = 16;
  config.npu.packet_bytes = 64;
  for (std::uint32_t node = 0; node < 12; ++node) config.npu.placement.push_back(NodeId{node});
  return config;
}

CollectiveSpec in_switch(CollectiveKind kind, std::uint64_t bytes) {
  CollectiveSpec spec;
  spec.kind = kind;
  spec.algorithm = "in_switch";
  spec.bytes = bytes;
  spec.data = DataMode::kValues;
  return spec;
}

class SwitchBench {
 public:
  explicit SwitchBench(const Config& config) : config_(config), data_(make_packet_data(config_)) {
    std::vector<NodeId> nodes;
    for (int n = 0; n < config_.fabric.nodes(); ++n) nodes.push_back(NodeId{static_cast<std::uint32_t>(n)});
    interfaces_ = std::make_unique<MessageInterfaces>(config_, nodes);
    fabric_ = std::make_unique<IdealSwitch>(*interfaces_, pool_, static_cast<std::uint32_t>(config_.fabric.size_x),
                                            data_.get());
    interfaces_->connect(fabric_.get(), &pool_, nullptr);
  }
  /// Plays the workload to its end, or for so many cycles.
  void run(Cycle most = 100000) {
    array_ = std::make_unique<NpuArray>(
        config_, [this](NodeId node) -> NetworkInterface& { return interfaces_->at(index(node)); }, fabric_.get());
    array_->start();
    for (now_ = 0; now_ < most && !(array_->finished() && interfaces_->idle() && now_ > 0); ++now_) {
      interfaces_->step(now_);
      fabric_->step(now_);
    }
  }
  void expect_done(std::uint64_t collectives) {
    EXPECT_TRUE(array_->finished());
    EXPECT_EQ(array_->verified_collectives(), collectives);
    EXPECT_TRUE(interfaces_->idle());
    for (Cycle end = now_ + 8; now_ < end; ++now_) interfaces_->step(now_);
    EXPECT_NO_THROW(interfaces_->ports().require_empty());
    EXPECT_EQ(pool_.in_use(), 0u);
  }
  /// Circuits on which `node` has sent.
  std::set<Circuit> circuits(std::uint32_t node) const {
    std::set<Circuit> used;
    for (const auto& flit : fabric_->injected) {
      if (flit.node == node) used.insert(circuit_of(flit.vc));
    }
    return used;
  }
  IdealSwitch& fabric() { return *fabric_; }
  NpuArray& array() { return *array_; }
  MessageInterfaces& interfaces() { return *interfaces_; }

 private:
  Config config_;
  PacketPool pool_;
  std::unique_ptr<PacketData> data_;
  std::unique_ptr<MessageInterfaces> interfaces_;
  std::unique_ptr<IdealSwitch> fabric_;
  std::unique_ptr<NpuArray> array_;
  Cycle now_ = 0;
};

Config single(CollectiveSpec spec) {
  Config config = fred_config();
  CollectiveWorkload workload;
  workload.collective = std::move(spec);
  config.workload = workload;
  return config;
}

TEST(SwitchArray, does_every_kind_with_the_right_bits) {
  for (const CollectiveKind kind : all_kinds()) {
    for (const int chunks : {1, 5}) {
      CollectiveSpec spec = in_switch(kind, kind == CollectiveKind::kBarrier ? 0 : 12 * 100);
      spec.root = RankId{5};
      spec.chunks = chunks;
      SwitchBench bench(single(spec));
      bench.run();
      SCOPED_TRACE(kind_name(kind));
      bench.expect_done(kind == CollectiveKind::kBarrier ? 0 : 1);
      const bool unicasts =
          kind == CollectiveKind::kScatter || kind == CollectiveKind::kGather || kind == CollectiveKind::kAllToAll;
      const Circuit flows = kind == CollectiveKind::kBarrier ? Circuit::kControl : Circuit::kDp;
      const std::set<Circuit> used{unicasts ? Circuit::kPp : flows};
      EXPECT_EQ(bench.circuits(5), kind == CollectiveKind::kGather ? std::set<Circuit>{} : used);
      EXPECT_EQ(bench.fabric().phases.empty(), unicasts);
    }
  }
}

// 1200 bytes are 19 packets; each NPU sends them once, and the switches make one result of each.
TEST(SwitchArray, sends_the_data_of_an_all_reduce_once) {
  SwitchBench bench(single(in_switch(CollectiveKind::kAllReduce, 1200)));
  bench.run();
  bench.expect_done(1);
  EXPECT_EQ(bench.fabric().flow_packets, 19u);
  for (std::uint32_t node = 0; node < 12; ++node) EXPECT_EQ(bench.interfaces().packets_sent(node), 19u);
}

// Ten chunks of one packet each take the planes in turn.
TEST(SwitchArray, spreads_chunks_of_one_packet_over_the_planes) {
  CollectiveSpec spec = in_switch(CollectiveKind::kAllReduce, 640);
  spec.chunks = 10;
  SwitchBench bench(single(spec));
  bench.run();
  bench.expect_done(1);
  std::array<int, 2> heads{};
  for (const auto& flit : bench.fabric().injected) {
    if (flit.node == 3 && flit.head) ++heads[static_cast<std::size_t>(plane_of(flit.vc))];
  }
  EXPECT_THAT(heads, ::testing::ElementsAre(5, 5));
}

// Groups below one switch have circuit MP.
TEST(SwitchArray, uses_mp_below_one_switch) {
  CollectiveSpec spec = in_switch(CollectiveKind::kAllReduce, 1200);
  spec.group = {RankId{5}, RankId{7}, RankId{4}};
  SwitchBench bench(single(spec));
  bench.run();
  bench.expect_done(1);
  EXPECT_THAT(bench.circuits(7), ::testing::ElementsAre(Circuit::kMp));
}

// The switches do not take the flow: the endpoints do, by the ring that suits, on circuit PP, and say so.
TEST(SwitchArray, leaves_to_the_endpoints_what_does_not_route) {
  CollectiveSpec spec = in_switch(CollectiveKind::kAllReduce, 1200);
  SwitchBench bench(single(spec));
  std::vector<NodeId> all;
  for (std::uint32_t n = 0; n < 12; ++n) all.push_back(NodeId{n});
  bench.fabric().decline(all);
  bench.run();
  bench.expect_done(1);
  EXPECT_EQ(bench.fabric().flow_packets, 0u);
  EXPECT_THAT(bench.circuits(7), ::testing::ElementsAre(Circuit::kPp));
  EXPECT_THAT(
      bench.array().warnings(),
      ::testing::ElementsAre("group 'all': all_reduce is carried out by the endpoints (two_level_ring), because the "
                             "switches do not route its flows"));
  EXPECT_EQ(bench.array().collectives(0).at(0).algorithm, "two_level_ring");
}

// Without flows what crosses the lowest switches has a queue of its own.
TEST(SwitchArray, gives_unicasts_that_cross_switches_a_circuit_of_their_own) {
  for (const bool below_one : {false, true}) {
    CollectiveSpec spec = in_switch(CollectiveKind::kAllReduce, 1200);
    spec.algorithm = "two_level_ring";
    if (below_one) spec.group = {RankId{8}, RankId{9}, RankId{10}, RankId{11}};
    SwitchBench bench(single(spec));
    bench.run();
    bench.expect_done(1);
    if (below_one) {
      EXPECT_THAT(bench.circuits(9), ::testing::ElementsAre(Circuit::kDp));
    } else {
      EXPECT_THAT(bench.circuits(9), ::testing::ElementsAre(Circuit::kPp, Circuit::kDp));
    }
  }
}

TEST(SwitchArray, in_switch_without_switches_bad) {
  Config config = single(in_switch(CollectiveKind::kAllReduce, 1200));
  config.fabric.fred.in_switch = false;
  EXPECT_THROW(SwitchBench(config).run(), InputError);
  config.fabric.kind = FabricKind::kMesh;
  try {
    ProgramCache(config).get(CollectiveKind::kAllReduce, {0, "all", config.npu.placement}, 0);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "algorithm in_switch adds in the switches of a FRED fabric; this fabric has none (fabric.kind)");
  }
}

// MP 2 x PP 3 x DP 2 on 12 NPUs: six flows in the DP phase, of ranks r and r + 6, asked for together.
TEST(SwitchArray, runs_all_groups_of_a_phase_at_once) {
  Config config = single(in_switch(CollectiveKind::kAllReduce, 1200));
  auto& workload = std::get<CollectiveWorkload>(config.workload);
  workload.parallelism = {2, 3, 2};
  workload.phase = TrainingPhase::kDp;
  SwitchBench bench(config);
  bench.run();
  bench.expect_done(6);
  EXPECT_EQ(bench.fabric().phases.size(), 6u);
  for (const auto& phase : bench.fabric().phases) {
    ASSERT_EQ(phase.size(), 6u);
    for (std::uint32_t r = 0; r < 6; ++r) {
      EXPECT_EQ(phase[r].inputs, (std::vector<NodeId>{NodeId{r}, NodeId{r + 6}}));
      EXPECT_EQ(phase[r].outputs, phase[r].inputs);
    }
  }
  for (const CollectiveSummary& row : bench.array().collectives(0)) {
    EXPECT_EQ(row.end_cycle, bench.array().collectives(0).front().end_cycle);
  }
}

// ---- traces

using npu::testing::collective;
using npu::testing::compute;
using npu::testing::host_compute;
using ::testing::ElementsAre;
using Ids = std::vector<std::uint64_t>;
constexpr CollectiveKind kAllReduce = CollectiveKind::kAllReduce;

/// A trace of 12 ranks in front of the switches.
Config trace(const TraceFolder& folder, const std::vector<std::vector<TraceNode>>& ranks,
             const std::string& groups = "") {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ChakraWriter writer(folder.file("t." + std::to_string(rank) + ".et"));
    for (const TraceNode& node : ranks[rank]) writer.write(node);
    writer.close();
  }
  Config config = fred_config();
  TraceWorkload workload;
  workload.chakra = folder.file("t");
  if (!groups.empty()) workload.groups = folder.write("groups.json", groups);
  workload.collective = in_switch(kAllReduce, 0);
  config.workload = workload;
  return config;
}

// Every other rank is late with the first of two collectives, the rest with the second, so that they become ready in
// different orders. All start them as rank 0 does, or the switches would never get a complete flow.
// A barrier has its own circuit: it passes both.
TEST(SwitchArray, starts_collectives_in_one_order) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks;
  for (std::uint64_t rank = 0; rank < 12; ++rank) {
    ranks.push_back({compute(0, rank % 2 == 0 ? 3 : 0), collective(1, kAllReduce, 640, "", {0}),
                     host_compute(2, rank % 2 == 0 ? 0 : 4), collective(3, kAllReduce, 320, "", {2}),
                     collective(4, CollectiveKind::kBarrier, 0)});
  }
  SwitchBench bench(trace(folder, ranks));
  bench.run();
  bench.expect_done(2);
  std::vector<std::uint64_t> sizes;
  for (const CollectiveSummary& row : bench.array().collectives(0)) sizes.push_back(row.bytes);
  EXPECT_THAT(sizes, ElementsAre(0, 320, 640));  // rank 0 is late with the first
  for (std::uint32_t node = 0; node < 12; ++node) {
    std::vector<std::uint64_t> tags;
    for (const auto& flit : bench.fabric().injected) {
      if (flit.node == node && flit.head && circuit_of(flit.vc) == Circuit::kDp) tags.push_back(flit.tag);
    }
    EXPECT_EQ(tags.size(), 15u);
    EXPECT_EQ(std::set<std::uint64_t>(tags.begin(), tags.begin() + 5).size(), 1u);
  }
}

// Rank 3 becomes ready for an all_gather, and for a broadcast of an early rank, long after the others' data have come.
TEST(SwitchArray, takes_what_came_before_it_was_asked_for) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks;
  for (std::uint64_t rank = 0; rank < 12; ++rank) {
    ranks.push_back({compute(0, rank == 3 ? 5 : 0), collective(1, CollectiveKind::kAllGather, 640, "", {0}),
                     collective(2, CollectiveKind::kBroadcast, 320, "", {0})});
  }
  SwitchBench bench(trace(folder, ranks));
  bench.run();
  bench.expect_done(2);
}

// With one place for collectives, the one that has to wait for its turn does not take it from the one before.
TEST(SwitchArray, waits_for_its_turn_without_a_place) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks;
  for (std::uint64_t rank = 0; rank < 12; ++rank) {
    ranks.push_back({compute(0, 2), collective(1, kAllReduce, 640, "", rank % 3 == 0 ? Ids{} : Ids{0}),
                     collective(2, kAllReduce, 320)});
  }
  Config config = trace(folder, ranks);
  config.npu.max_collectives = 1;
  SwitchBench bench(config);
  bench.run();
  bench.expect_done(2);
}

// Chunks of which two are in flight end at different times at different ranks; those of the second collective come
// after all of the first.
TEST(SwitchArray, keeps_chunks_in_one_order) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks;
  for (std::uint64_t rank = 0; rank < 12; ++rank) {
    ranks.push_back({compute(0, rank % 3), collective(1, CollectiveKind::kReduceScatter, 9600),
                     collective(2, kAllReduce, 640, "", {0}), collective(3, CollectiveKind::kAllGather, 640)});
  }
  Config config = trace(folder, ranks);
  auto& workload = std::get<TraceWorkload>(config.workload);
  workload.collective.chunks = 7;
  workload.collective.active_chunks = 2;
  SwitchBench bench(config);
  bench.run();
  bench.expect_done(3);
}

// Rank 7 lists two collectives the other way round: both are ready, and it starts them as the first member does.
TEST(SwitchArray, follows_the_first_member_of_the_group) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks;
  for (std::uint64_t rank = 0; rank < 12; ++rank) {
    ranks.push_back(
        {collective(1, kAllReduce, rank == 7 ? 640 : 320), collective(2, kAllReduce, rank == 7 ? 320 : 640)});
  }
  SwitchBench bench(trace(folder, ranks));
  bench.run();
  bench.expect_done(2);
}

// The first member starts one that another never becomes ready for: it waits for the second in vain, and says so.
TEST(SwitchArray, says_who_holds_a_collective_back) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks(12);
  for (const std::uint32_t rank : {1u, 2u}) {
    ranks[rank] = {collective(1, kAllReduce, 320, "g"), collective(2, kAllReduce, 640, "g")};
  }
  ranks[2][0].deps = {3};
  ranks[2].push_back(npu::testing::receive(3, 5, 1, 64));
  SwitchBench bench(trace(folder, ranks, R"({"g": [1, 2]})"));
  bench.run(2000);
  EXPECT_THAT(
      bench.array().waiting_for(20),
      ::testing::Contains("rank 2 holds collective 'n2' (all_reduce of group g = [1, 2], 640 bytes) back: rank 1 "
                          "has started another all_reduce first"));
  EXPECT_THAT(bench.array().waiting_for(20),
              ::testing::Contains(::testing::HasSubstr("chunk 0 waits for the result of flow 0")));
}

// Three groups below switches and four across share all ranks; they have circuits of their own. The groups of a phase
// are asked for together.
TEST(SwitchArray, carries_groups_of_two_phases_at_once) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks;
  for (std::uint32_t rank = 0; rank < 12; ++rank) {
    const std::string mp = "mp" + std::to_string(rank / 4);
    const std::string dp = "dp" + std::to_string(rank % 4);
    ranks.push_back({compute(0, rank % 5), collective(1, kAllReduce, 640, mp, {0}), collective(2, kAllReduce, 960, dp),
                     collective(3, CollectiveKind::kBroadcast, 320, mp, {2})});
  }
  SwitchBench bench(trace(folder, ranks, R"({"mp0": [0,1,2,3], "mp1": [4,5,6,7], "mp2": [8,9,10,11],
      "dp0": [0,4,8], "dp1": [1,5,9], "dp2": [2,6,10], "dp3": [3,7,11]})"));
  bench.run();
  bench.expect_done(3 + 4 + 3);
  EXPECT_THAT(bench.array().warnings(), ::testing::IsEmpty());
  EXPECT_THAT(bench.circuits(6), ElementsAre(Circuit::kMp, Circuit::kDp));
  for (const auto& phase : bench.fabric().phases) {
    const std::size_t members = phase.front().outputs.size() + (phase.front().inputs.size() == 1 ? 1 : 0);
    EXPECT_EQ(phase.size(), members == 4 ? 3u : 4u);
  }
}

// Group c has members of a, which has circuit MP, and of b, which has DP: nothing is left for it.
TEST(SwitchArray, leaves_groups_without_a_circuit_to_the_endpoints) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks(12);
  const auto add = [&](const std::string& group, const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t rank : members) {
      ranks[rank].push_back(collective(ranks[rank].size(), kAllReduce, 640, group));
    }
  };
  add("c", {1, 4, 9});
  add("a", {0, 1, 2});
  add("b", {1, 8});
  SwitchBench bench(trace(folder, ranks, R"({"a": [0,1,2], "b": [1,8], "c": [1,4,9]})"));
  bench.run();
  bench.expect_done(3);
  EXPECT_THAT(
      bench.array().warnings(),
      ElementsAre("group 'c': all_reduce is carried out by the endpoints (ring), because some of its ranks are in "
                  "group 'a', too, whose flows have the circuits"));
  EXPECT_THAT(bench.circuits(4), ElementsAre(Circuit::kPp));
}

// The group across takes circuit MP, which the one below a switch does not need for other members.
TEST(SwitchArray, takes_the_other_circuit_where_its_own_is_taken) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks(12);
  for (const std::uint32_t rank : {1u, 8u}) ranks[rank].push_back(collective(0, kAllReduce, 640, "a"));
  for (const std::uint32_t rank : {1u, 4u, 9u}) ranks[rank].push_back(collective(1, kAllReduce, 640, "b"));
  SwitchBench bench(trace(folder, ranks, R"({"a": [1,8], "b": [1,4,9]})"));
  bench.run();
  bench.expect_done(2);
  EXPECT_THAT(bench.circuits(8), ElementsAre(Circuit::kDp));
  EXPECT_THAT(bench.circuits(4), ElementsAre(Circuit::kMp));
}

// Sends of traces have circuit PP.
TEST(SwitchArray, sends_on_circuit_pp) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks(12);
  ranks[2] = {npu::testing::send(0, 9, 1, 640)};
  ranks[9] = {npu::testing::receive(0, 2, 1, 640)};
  SwitchBench bench(trace(folder, ranks));
  bench.run();
  bench.expect_done(0);
  EXPECT_THAT(bench.circuits(2), ElementsAre(Circuit::kPp));
}

}  // namespace
}  // namespace weft::npu::test
