// SPDX-License-Identifier: Apache-2.0
// The ring along a wafer's line: its order, colours and routes.
#include <gtest/gtest.h>

#include <algorithm>

#include "npu/collective/algorithms/registry.h"
#include "npu/collective/checker/checker.h"
#include "tests/npu/collective/algorithms/route_checker.h"

namespace weft::npu {
namespace {

std::unique_ptr<const Program> ring(CollectiveKind kind, int size_x, int size_y, int colours,
                                    std::vector<NodeId> nodes = {}) {
  ProgramRequest request;
  request.kind = kind;
  request.nodes = std::move(nodes);
  if (request.nodes.empty()) {
    for (int i = 0; i < size_x * size_y; ++i) request.nodes.push_back(NodeId{static_cast<std::uint32_t>(i)});
  }
  request.ranks = static_cast<std::uint32_t>(request.nodes.size());
  request.size_x = size_x;
  request.size_y = size_y;
  request.colours = colours;
  return make_program("ring", request);
}

TEST(WaferRing, goes_along_the_line_and_back_in_one_message) {
  for (const int colours : {3, 24}) {
    const auto program = ring(CollectiveKind::kAllReduce, 6, 1, colours);
    for (std::uint32_t rank = 0; rank < 6; ++rank) {
      const Instruction send = program->at(rank, 0);
      EXPECT_EQ(send.to, std::vector<std::uint32_t>{(rank + 1) % 6});
      EXPECT_EQ(send.hints.colour, rank == 5 ? 2 : static_cast<int>(rank % 2));
      EXPECT_EQ(program->at(rank, 10).hints.colour, send.hints.colour) << "in every step the same";
    }
  }
}

TEST(WaferRing, stays_folded_without_three_colours) {
  for (const int colours : {0, 2}) {
    const auto program = ring(CollectiveKind::kAllReduce, 6, 1, colours);
    EXPECT_EQ(program->at(0, 0).to, std::vector<std::uint32_t>{2});
    for (std::uint32_t rank = 0; rank < 6; ++rank) EXPECT_EQ(program->at(rank, 0).hints.colour, -1);
  }
}

TEST(WaferRing, follows_the_places_of_a_row_in_any_order) {
  const auto program =
      ring(CollectiveKind::kAllGather, 8, 2, 24, {NodeId{13}, NodeId{11}, NodeId{14}, NodeId{12}});  // 11 12 13 14
  EXPECT_EQ(program->at(1, 0).to, std::vector<std::uint32_t>{3});
  EXPECT_EQ(program->at(3, 0).to, std::vector<std::uint32_t>{0});
  EXPECT_EQ(program->at(2, 0).to, std::vector<std::uint32_t>{1});
  EXPECT_EQ(program->at(2, 0).hints.colour, 2);
}

TEST(WaferRing, proved_with_its_routes) {
  struct Mesh {
    int x;
    int y;
    bool coloured;
  };
  const Mesh meshes[] = {{1, 1, false}, {2, 1, true}, {3, 1, true}, {8, 1, true},
                         {1, 7, true},  {4, 4, true}, {5, 4, true}, {3, 7, false}};
  for (const auto& [x, y, coloured] : meshes) {
    std::vector<NodeId> nodes;
    for (int i = 0; i < x * y; ++i) nodes.push_back(NodeId{static_cast<std::uint32_t>(i)});
    for (const CollectiveKind kind : {CollectiveKind::kAllReduce, CollectiveKind::kReduceScatter,
                                      CollectiveKind::kAllGather, CollectiveKind::kBarrier}) {
      const auto program = ring(kind, x, y, 24);
      EXPECT_TRUE(check_program(*program).ok()) << x << "x" << y;
      EXPECT_EQ(testing::check_routes(*program, nodes, x), "") << kind_name(kind) << " on " << x << "x" << y;
      const bool uses_colours = x * y > 1 && program->at(0, 0).hints.colour >= 0;
      EXPECT_EQ(uses_colours, coloured) << x << "x" << y;
    }
  }
}

}  // namespace
}  // namespace weft::npu
