// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/graph_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::npu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GraphBuilder, numbers_nodes_and_sorts_dependencies) {
  GraphBuilder graph(1, 2);
  const auto a = graph.compute("a", 10, 20, {});
  const auto b = graph.send("b", RankId{3}, 40, 7, {a});
  const auto c = graph.receive("c", RankId{4}, 50, 8, {b, a, b});
  EXPECT_THAT((std::vector<std::uint64_t>{a, b, c}), ElementsAre(0, 1, 2));
  const std::vector<TraceNode> nodes = graph.take();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].num_ops, 10u);
  EXPECT_EQ(nodes[0].tensor_bytes, 20u);
  EXPECT_EQ(nodes[1].dst, RankId{3});
  EXPECT_EQ(nodes[1].comm_bytes, 40u);
  EXPECT_EQ(nodes[1].tag, 7u);
  EXPECT_EQ(nodes[2].src, RankId{4});
  EXPECT_THAT(nodes[2].deps, ElementsAre(0, 1));
  EXPECT_THAT(graph.take(), IsEmpty());
}

TEST(GraphBuilder, groups_of_one_rank_need_no_collective_and_no_name) {
  GraphBuilder graph(1, 2);
  EXPECT_THAT(graph.collective("c", CollectiveKind::kAllReduce, 8, {"5", 1}, 0, {11, 12}), ElementsAre(11, 12));
  graph.load("l", 8, {"5", 1}, {});
  graph.store("s", 8, {"5", 2}, {});
  EXPECT_THAT(graph.collective("d", CollectiveKind::kAllReduce, 8, {"5", 2}, 3, {0}), ElementsAre(2));
  const std::vector<TraceNode> nodes = graph.take();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].type, TraceNodeType::kMemLoad);
  EXPECT_EQ(nodes[0].group, "");
  EXPECT_EQ(nodes[1].type, TraceNodeType::kMemStore);
  EXPECT_EQ(nodes[1].group, "5");
  EXPECT_EQ(nodes[2].group, "5");
  EXPECT_EQ(nodes[2].priority, 3u);
}

// 1001 / 10 = 101; 1002 bytes are 501 elements of 2, of which 51 stay: 102. 1200 bytes to 3 ranks are 200 elements
// each, 20 stay: 120; 1206 bytes are 201 each, 21 stay: 126.
TEST(GraphBuilder, scale_rounds_up_to_operations_and_to_elements) {
  GraphBuilder graph(10, 2);
  graph.compute("c", 1001, 1001, {});
  graph.load("l", 1002, {}, {});
  graph.send("s", RankId{0}, 1002, 0, {});
  graph.collective("r", CollectiveKind::kAllReduce, 1002, {"1", 3}, 0, {});
  graph.collective("a", CollectiveKind::kAllToAll, 1200, {"1", 3}, 0, {});
  graph.collective("b", CollectiveKind::kAllToAll, 1206, {"1", 3}, 0, {});
  graph.compute("n", 0, 0, {});
  const std::vector<TraceNode> nodes = graph.take();
  EXPECT_EQ(nodes[0].num_ops, 101u);
  EXPECT_EQ(nodes[0].tensor_bytes, 101u);
  EXPECT_EQ(nodes[1].tensor_bytes, 102u);
  EXPECT_EQ(nodes[2].comm_bytes, 102u);
  EXPECT_EQ(nodes[3].comm_bytes, 102u);
  EXPECT_EQ(nodes[4].comm_bytes, 120u);
  EXPECT_EQ(nodes[5].comm_bytes, 126u);
  EXPECT_EQ(nodes[6].num_ops, 0u);
}

}  // namespace
}  // namespace weft::npu
