// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/weight_loads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using ::testing::ElementsAre;

/// The loads of four uses, each of which is one computation behind its load.
std::vector<std::string> loads(std::uint64_t ahead) {
  GraphBuilder graph(1, 2);
  WeightLoads loads(graph, {{"a", 8}, {"b", 8}, {"c", 8}, {"d", 8}}, {"1", 2}, ahead);
  for (const char* name : {"A", "B", "C", "D"}) loads.use_ends_with({graph.compute(name, 1, 1, loads.current())});
  const std::vector<TraceNode> nodes = graph.take();
  EXPECT_THAT(testing::edges_of(nodes, TraceNodeType::kCompute),
              ElementsAre("A <- load_a", "B <- load_b", "C <- load_c", "D <- load_d"));
  return testing::edges_of(nodes, TraceNodeType::kMemLoad);
}

TEST(WeightLoads, a_load_waits_for_the_use_that_sets_its_buffer_free) {
  EXPECT_THAT(loads(0), ElementsAre("load_a <-", "load_b <- A", "load_c <- B", "load_d <- C"));
  EXPECT_THAT(loads(1), ElementsAre("load_a <-", "load_b <-", "load_c <- A", "load_d <- B"));
  EXPECT_THAT(loads(2), ElementsAre("load_a <-", "load_b <-", "load_c <-", "load_d <- A"));
  EXPECT_THAT(loads(9), ElementsAre("load_a <-", "load_b <-", "load_c <-", "load_d <-"));
}

TEST(WeightLoads, a_use_waits_for_all_parts_and_says_what_is_loaded_behind_it) {
  GraphBuilder graph(1, 2);
  WeightLoads loads(graph, {{"a", 8}, {"b", 8}}, {"1", 2}, 0, {}, {2, 2});
  const GraphBuilder::Ids next = loads.use_ends_with({graph.compute("A", 1, 1, loads.current())});
  EXPECT_EQ(next, loads.current());
  EXPECT_TRUE(loads.use_ends_with({graph.compute("B", 1, 1, next)}).empty());
  const std::vector<TraceNode> nodes = graph.take();
  EXPECT_THAT(testing::edges_of(nodes, TraceNodeType::kCompute),
              ElementsAre("A <- load_a_part0_all_gather load_a_part1_all_gather",
                          "B <- load_b_part0_all_gather load_b_part1_all_gather"));
  EXPECT_THAT(
      testing::edges_of(nodes, TraceNodeType::kMemLoad),
      ElementsAre("load_a_part0 <-", "load_a_part1 <- load_a_part0",
                  "load_b_part0 <- load_a_part0_all_gather load_a_part1_all_gather A", "load_b_part1 <- load_b_part0"));
}

}  // namespace
}  // namespace weft::npu
