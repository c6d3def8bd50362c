// SPDX-License-Identifier: Apache-2.0
// Traces whose collectives are flows of FRED switches: their order, and what becomes of those without a traffic class.
#include <gmock/gmock.h>

#include "base/error.h"
#include "tests/npu/player/switch_bench.h"
#include "tests/npu/support/memory_feeder.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu::test {
namespace {

using npu::testing::collective;
using npu::testing::compute;
using npu::testing::host_compute;
using ::testing::ElementsAre;
using Ids = std::vector<std::uint64_t>;
constexpr CollectiveKind kAllReduce = CollectiveKind::kAllReduce;

/// A trace of 12 ranks in front of the switches.
Config trace(const TraceFolder& folder, const std::vector<std::vector<TraceNode>>& ranks,
             const std::string& groups = "") {
  Config config = fred_config();
  TraceWorkload workload;
  workload.chakra = write_ranks(folder, ranks);
  if (!groups.empty()) workload.groups = folder.write("groups.json", groups);
  workload.collective = in_switch(kAllReduce, 0);
  config.workload = workload;
  return config;
}

// Every other rank is late with the first of two collectives, the rest with the second, so that they become ready in
// different orders. All start them as rank 0 does, or the switches would never get a complete flow.
// A barrier has its own traffic class: it passes both.
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
      if (flit.node == node && flit.head && traffic_class_of(flit.vc) == TrafficClass::kDp) tags.push_back(flit.tag);
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

// Three groups below switches and four across share all ranks; they have traffic classes of their own. The groups of a
// phase are asked for together.
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
  EXPECT_THAT(bench.traffic_classes(6), ElementsAre(TrafficClass::kMp, TrafficClass::kDp));
  for (const auto& phase : bench.fabric().phases) {
    const std::size_t members = phase.front().outputs.size() + (phase.front().inputs.size() == 1 ? 1 : 0);
    EXPECT_EQ(phase.size(), members == 4 ? 3u : 4u);
  }
}

// Group c has members of a, which has traffic class MP, and of b, which has DP: nothing is left for it.
TEST(SwitchArray, leaves_groups_without_a_traffic_class_to_the_endpoints) {
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
                  "group 'a', too, whose flows have the traffic classes"));
  EXPECT_THAT(bench.traffic_classes(4), ElementsAre(TrafficClass::kPp));
}

// The group across takes traffic class MP, which the one below a switch does not need for other members.
TEST(SwitchArray, takes_the_other_traffic_class_where_its_own_is_taken) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks(12);
  for (const std::uint32_t rank : {1u, 8u}) ranks[rank].push_back(collective(0, kAllReduce, 640, "a"));
  for (const std::uint32_t rank : {1u, 4u, 9u}) ranks[rank].push_back(collective(1, kAllReduce, 640, "b"));
  SwitchBench bench(trace(folder, ranks, R"({"a": [1,8], "b": [1,4,9]})"));
  bench.run();
  bench.expect_done(2);
  EXPECT_THAT(bench.traffic_classes(8), ElementsAre(TrafficClass::kDp));
  EXPECT_THAT(bench.traffic_classes(4), ElementsAre(TrafficClass::kMp));
}

// Sends of traces have traffic class PP.
TEST(SwitchArray, sends_on_traffic_class_pp) {
  const TraceFolder folder;
  std::vector<std::vector<TraceNode>> ranks(12);
  ranks[2] = {npu::testing::send(0, 9, 1, 640)};
  ranks[9] = {npu::testing::receive(0, 2, 1, 640)};
  SwitchBench bench(trace(folder, ranks));
  bench.run();
  bench.expect_done(0);
  EXPECT_THAT(bench.traffic_classes(2), ElementsAre(TrafficClass::kPp));
}

}  // namespace
}  // namespace weft::npu::test
