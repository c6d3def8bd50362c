// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/tensor_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using testing::bytes_of;
using testing::edges_of;
using ::testing::ElementsAre;

/// What a load or a store of 22 bytes, 11 elements, becomes that waits for a computation `start`.
struct Moved {
  std::vector<TraceNode> nodes;
  std::vector<std::string> last;  ///< names of the nodes that end last
};

Moved moved(std::uint64_t parts, std::uint64_t ranks, bool store) {
  GraphBuilder graph(1, 2);
  const GraphBuilder::Ids start{graph.compute("start", 1, 1, {})};
  const TensorParts how{parts, 2};
  const GraphBuilder::Ids ids =
      store ? how.store(graph, "t", 22, {"1", ranks}, start) : how.load(graph, "t", 22, {"1", ranks}, start);
  Moved result{graph.take(), {}};
  for (const TraceNode& node : result.nodes) {
    if (std::find(ids.begin(), ids.end(), node.id) != ids.end()) result.last.push_back(node.name);
  }
  return result;
}

TEST(TensorParts, without_parts_a_group_loads_and_stores_the_tensor) {
  for (const bool store : {false, true}) {
    const Moved whole = moved(0, 4, store);
    EXPECT_THAT(edges_of(whole.nodes), ElementsAre("start <-", "t <- start"));
    EXPECT_EQ(whole.nodes.back().tensor_bytes, 22u);
    EXPECT_EQ(whole.nodes.back().group, "1");
    EXPECT_THAT(whole.last, ElementsAre("t"));
  }
}

// Each of 4 ranks has a share of 3 of the 11 elements, rounded up, and its two parts have 1 and 2 of these.
TEST(TensorParts, a_part_is_gathered_while_the_next_one_is_loaded) {
  const Moved load = moved(2, 4, false);
  EXPECT_THAT(edges_of(load.nodes), ElementsAre("start <-", "t_part0 <- start", "t_part0_all_gather <- t_part0",
                                                "t_part1 <- t_part0", "t_part1_all_gather <- t_part1"));
  EXPECT_THAT(load.last, ElementsAre("t_part0_all_gather", "t_part1_all_gather"));
  const TraceNode loaded = testing::named(load.nodes, "t_part1");
  EXPECT_EQ(loaded.tensor_bytes, 4u);
  EXPECT_EQ(loaded.group, "");
  const TraceNode gathered = testing::named(load.nodes, "t_part1_all_gather");
  EXPECT_EQ(gathered.collective, CollectiveKind::kAllGather);
  EXPECT_EQ(gathered.comm_bytes, 4u);
  EXPECT_EQ(gathered.group, "1");
  EXPECT_EQ(testing::named(load.nodes, "t_part0").tensor_bytes, 2u);
}

TEST(TensorParts, a_part_of_a_sum_is_stored_while_the_next_one_is_reduced) {
  const Moved store = moved(2, 4, true);
  EXPECT_THAT(edges_of(store.nodes),
              ElementsAre("start <-", "t_part0_reduce_scatter <- start", "t_part0 <- t_part0_reduce_scatter",
                          "t_part1_reduce_scatter <- t_part0_reduce_scatter", "t_part1 <- t_part1_reduce_scatter"));
  EXPECT_THAT(store.last, ElementsAre("t_part0", "t_part1"));
  const TraceNode reduced = testing::named(store.nodes, "t_part1_reduce_scatter");
  EXPECT_EQ(reduced.collective, CollectiveKind::kReduceScatter);
  EXPECT_EQ(reduced.comm_bytes, 4u * 4);
  EXPECT_EQ(testing::named(store.nodes, "t_part1").tensor_bytes, 4u);
}

TEST(TensorParts, parts_without_an_element_are_left_out) {
  EXPECT_EQ(edges_of(moved(8, 4, false).nodes, TraceNodeType::kMemLoad).size(), 3u);
  EXPECT_EQ(bytes_of(moved(8, 4, false).nodes, CollectiveKind::kAllGather, "1"), 6u);
  EXPECT_EQ(bytes_of(moved(8, 4, true).nodes, CollectiveKind::kReduceScatter, "1"), 24u);
}

TEST(TensorParts, one_rank_alone_exchanges_nothing) {
  EXPECT_THAT(moved(2, 1, false).last, ElementsAre("t"));
  EXPECT_THAT(moved(2, 1, true).last, ElementsAre("t"));
}

}  // namespace
}  // namespace weft::npu
