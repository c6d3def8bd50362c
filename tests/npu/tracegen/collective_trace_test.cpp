// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/collective_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::npu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string error_of_spec(const CollectiveTraceSpec& spec) {
  try {
    CollectiveTrace trace(spec);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CollectiveTrace, makes_a_chain_of_collectives_on_all_ranks) {
  const CollectiveTrace trace({CollectiveKind::kReduceScatter, 4, 640, 3});
  EXPECT_EQ(trace.ranks(), 4u);
  EXPECT_THAT(trace.groups(), IsEmpty());
  const std::vector<TraceNode> nodes = trace.nodes(RankId{3});
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_THAT(nodes[0].deps, IsEmpty());
  EXPECT_THAT(nodes[2].deps, ElementsAre(nodes[1].id));
  for (const TraceNode& node : nodes) {
    EXPECT_EQ(node.type, TraceNodeType::kCollective);
    EXPECT_EQ(node.collective, CollectiveKind::kReduceScatter);
    EXPECT_EQ(node.comm_bytes, 640u);
    EXPECT_EQ(node.group, "");
  }
  EXPECT_EQ(nodes[1].name, "reduce_scatter_1");
}

TEST(CollectiveTrace, sizes_that_make_no_sense_bad) {
  EXPECT_EQ(error_of_spec({CollectiveKind::kBarrier, 4, 8, 1}),
            "barrier of 8 bytes: a barrier carries no data, its size is 0");
  EXPECT_EQ(error_of_spec({CollectiveKind::kAllGather, 4, 0, 1}), "all_gather of 0 bytes: the size is 1 byte or more");
  EXPECT_EQ(error_of_spec({CollectiveKind::kBarrier, 4, 0, 1}), "");
}

TEST(CollectiveTrace, nothing_to_do_bad) {
  EXPECT_EQ(error_of_spec({CollectiveKind::kAllReduce, 0, 8, 1}), "a trace needs at least 1 rank; 0 were asked for");
  EXPECT_EQ(error_of_spec({CollectiveKind::kAllReduce, 4, 8, 0}),
            "a trace needs at least 1 collective; 0 were asked for");
}

}  // namespace
}  // namespace weft::npu
