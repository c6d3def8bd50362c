// SPDX-License-Identifier: Apache-2.0
// Reductions of a wafer's cores: proved by the checker on lines, rectangles and lists, their routes proved against the
// order in which routers pass a colour's messages, and their instructions by hand.
#include "npu/collective/algorithms/wafer_reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/error.h"
#include "npu/collective/checker/checker.h"
#include "tests/npu/collective/algorithms/route_checker.h"

namespace weft::npu {
namespace {

const char* const kTrees[] = {"star", "chain", "tree", "two_phase", "auto_gen", "snake"};

struct Group {
  int size_x;
  int size_y;
  std::vector<NodeId> nodes;
  std::uint64_t elements = 64;
};

ProgramRequest request_of(const Group& group, CollectiveKind kind, std::uint32_t root) {
  ProgramRequest request;
  request.kind = kind;
  request.ranks = static_cast<std::uint32_t>(group.nodes.size());
  request.root = root;
  request.nodes = group.nodes;
  request.size_x = group.size_x;
  request.size_y = group.size_y;
  request.colours = 24;
  request.elements = group.elements;
  return request;
}

Group rectangle(int size_x, int size_y, int x0, int y0, int columns, int rows) {
  Group group{size_x, size_y, {}};
  for (int y = y0; y < y0 + rows; ++y)
    for (int x = x0; x < x0 + columns; ++x) group.nodes.push_back(NodeId{static_cast<std::uint32_t>(y * size_x + x)});
  return group;
}

void prove(const std::string& algorithm, const Group& group) {
  const auto ranks = static_cast<std::uint32_t>(group.nodes.size());
  for (const CollectiveKind kind : {CollectiveKind::kReduce, CollectiveKind::kAllReduce, CollectiveKind::kBroadcast}) {
    if (algorithm == "multicast" && kind != CollectiveKind::kBroadcast) continue;
    for (const std::uint32_t root : std::vector<std::uint32_t>{0, ranks / 2, ranks - 1}) {
      const ProgramRequest request = request_of(group, kind, root);
      const auto program = make_program(algorithm, request);
      const CheckReport report = check_program(*program);
      const std::string what = algorithm + " " + kind_name(kind) + " of " + std::to_string(ranks) + " on " +
                               std::to_string(group.size_x) + "x" + std::to_string(group.size_y) + " root " +
                               std::to_string(root);
      EXPECT_TRUE(report.ok()) << what << "\n" << (report.errors.empty() ? "" : report.errors.front());
      EXPECT_TRUE(report.in_order) << what;
      EXPECT_EQ(testing::check_routes(*program, group.nodes, group.size_x), "") << what;
    }
  }
}

TEST(WaferReduce, proved_on_rows_and_columns) {
  std::vector<int> lengths{31, 32, 33};
  for (int n = 1; n <= 20; ++n) lengths.push_back(n);
  for (const char* algorithm : kTrees) {
    for (const int n : lengths) {
      prove(algorithm, rectangle(n, 1, 0, 0, n, 1));
      prove(algorithm, rectangle(1, n, 0, 0, 1, n));
    }
    prove(algorithm, rectangle(30, 4, 7, 2, 21, 1));
    prove(algorithm, rectangle(4, 30, 3, 5, 1, 21));
  }
}

TEST(WaferReduce, proved_on_rectangles) {
  for (const std::string algorithm : {"star", "chain", "tree", "two_phase", "auto_gen", "snake", "multicast"}) {
    for (const auto& [x, y] : {std::pair{2, 3}, {4, 4}, {5, 3}, {3, 7}, {9, 6}}) {
      prove(algorithm, rectangle(x, y, 0, 0, x, y));
      prove(algorithm, rectangle(x + 3, y + 2, 2, 1, x, y));
    }
  }
}

TEST(WaferReduce, proved_on_lists) {
  std::mt19937 random(7);
  for (const std::uint32_t ranks : {2u, 3u, 5u, 8u, 13u, 20u}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      Group group = rectangle(6, 6, 0, 0, 6, 6);
      std::shuffle(group.nodes.begin(), group.nodes.end(), random);
      group.nodes.resize(ranks);
      for (const char* algorithm : kTrees) prove(algorithm, group);
    }
  }
  // A line with gaps.
  prove("chain", {20, 2, {NodeId{3}, NodeId{4}, NodeId{8}, NodeId{15}}});
}

bool all_coloured(const Program& program) {
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
    for (std::uint32_t i = 0; i < program.length(rank); ++i) {
      const Instruction in = program.at(rank, i);
      if (op_sends(in.op) && in.hints.colour < 0) return false;
    }
  }
  return true;
}

// Core 4 is passed by all four steps of the chain 1, 7, 2, 6, 4.
TEST(WaferReduce, lists_take_as_many_colours_as_meet_in_a_router) {
  const Group crossing{9, 1, {NodeId{4}, NodeId{6}, NodeId{2}, NodeId{7}, NodeId{1}}};
  ProgramRequest request = request_of(crossing, CollectiveKind::kReduce, 0);
  for (const int colours : {2, 3, 4, 24}) {
    request.colours = colours;
    const auto program = make_program("chain", request);
    EXPECT_EQ(all_coloured(*program), colours >= 4) << colours;
    EXPECT_EQ(testing::check_routes(*program, crossing.nodes, 9), "");
  }
  // A line with gaps is a line.
  request = request_of({9, 1, {NodeId{0}, NodeId{2}, NodeId{3}, NodeId{8}}}, CollectiveKind::kReduce, 0);
  request.colours = 2;
  EXPECT_TRUE(all_coloured(*make_program("chain", request)));
}

// The order of a group does not matter where it is a row.
TEST(WaferReduce, a_row_in_any_order_is_a_line) {
  Group group = rectangle(6, 1, 0, 0, 6, 1);
  std::reverse(group.nodes.begin(), group.nodes.end());
  std::swap(group.nodes[1], group.nodes[4]);  // 5 1 3 2 4 0
  const auto program = make_program("chain", request_of(group, CollectiveKind::kReduce, 5));
  EXPECT_EQ(program->at(0, 0).to, std::vector<std::uint32_t>{4});  // core 5 to core 4
  EXPECT_EQ(program->at(1, 0).to, std::vector<std::uint32_t>{5});  // core 1 to core 0
}

TEST(WaferReduce, instructions_of_a_tree_by_hand) {
  // 7 6 5 4 3 2 1 0: edges 4<-5 4<-6<-7 0<-1 0<-2<-3 0<-4.
  const auto program = make_program("tree", request_of(rectangle(8, 1, 0, 0, 8, 1), CollectiveKind::kAllReduce, 0));
  ASSERT_EQ(program->length(4), 3u);
  const Instruction first = program->at(4, 0);
  EXPECT_EQ(first.op, Op::kRecvReduce);
  EXPECT_EQ(first.from, 5u);
  EXPECT_EQ(first.recv_tag, 3u);
  EXPECT_TRUE(first.deps.empty());
  const Instruction second = program->at(4, 1);
  EXPECT_EQ(second.op, Op::kRecvReduceSend);
  EXPECT_EQ(second.from, 6u);
  EXPECT_EQ(second.recv_tag, 5u);
  EXPECT_EQ(second.to, std::vector<std::uint32_t>{0});
  EXPECT_EQ(second.send_tag, 6u);
  EXPECT_EQ(second.hints.colour, 0) << "towards the root";
  EXPECT_EQ(second.deps, std::vector<std::uint32_t>{0});
  EXPECT_EQ(program->at(6, 0).hints.colour, 1) << "towards depth 1";
  EXPECT_EQ(program->at(7, 0).op, Op::kSend);
  const Instruction last = program->at(4, 2);
  EXPECT_EQ(last.op, Op::kRecv);
  EXPECT_EQ(last.from, 0u);
  EXPECT_EQ(last.recv_tag, 7u);
  // The root adds three children, then sends one message to all.
  ASSERT_EQ(program->length(0), 4u);
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(program->at(0, k).op, Op::kRecvReduce);
  const Instruction multicast = program->at(0, 3);
  EXPECT_EQ(multicast.op, Op::kSend);
  EXPECT_EQ(multicast.to, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(multicast.send_tag, 7u);
  EXPECT_EQ(multicast.hints.colour, 2);
  EXPECT_EQ(multicast.deps, std::vector<std::uint32_t>{2});
}

TEST(WaferReduce, rows_come_before_the_column) {
  // 4x3, root in the lower right corner (rank 11): rank 3 ends its row's chain and starts the column.
  const auto program = make_program("chain", request_of(rectangle(4, 3, 0, 0, 4, 3), CollectiveKind::kReduce, 11));
  ASSERT_EQ(program->length(3), 2u);
  EXPECT_EQ(program->at(3, 0).op, Op::kRecvReduce);
  EXPECT_EQ(program->at(3, 0).from, 2u);
  EXPECT_EQ(program->at(3, 0).recv_tag, 2u);
  const Instruction down = program->at(3, 1);
  EXPECT_EQ(down.op, Op::kSend);
  EXPECT_EQ(down.to, std::vector<std::uint32_t>{7});
  EXPECT_EQ(down.send_tag, 3u);
  EXPECT_EQ(down.deps, std::vector<std::uint32_t>{0});
  EXPECT_EQ(program->at(7, 1).op, Op::kRecvReduceSend);
  EXPECT_EQ(program->at(7, 1).send_tag, 4u);
}

TEST(WaferReduce, a_snake_starts_at_the_corner_of_its_root) {
  // 3x3: by the rank of the root, which is in a corner; in the middle, the snake has two arms.
  const std::map<std::uint32_t, std::vector<std::uint32_t>> orders{{0, {0, 1, 2, 5, 4, 3, 6, 7, 8}},
                                                                   {2, {2, 1, 0, 3, 4, 5, 8, 7, 6}},
                                                                   {6, {6, 7, 8, 5, 4, 3, 0, 1, 2}},
                                                                   {8, {8, 7, 6, 3, 4, 5, 2, 1, 0}}};
  for (const auto& [root, order] : orders) {
    const auto program = make_program("snake", request_of(rectangle(3, 3, 0, 0, 3, 3), CollectiveKind::kReduce, root));
    for (std::size_t i = 1; i < order.size(); ++i) {
      const std::uint32_t rank = order[i];
      EXPECT_EQ(program->at(rank, 0).to, std::vector<std::uint32_t>{order[i - 1]});
      EXPECT_EQ(program->at(rank, 0).op, i + 1 < order.size() ? Op::kRecvReduceSend : Op::kSend);
    }
  }
  const auto program = make_program("snake", request_of(rectangle(3, 3, 0, 0, 3, 3), CollectiveKind::kReduce, 5));
  EXPECT_EQ(program->at(5, 0).from, 4u);
  EXPECT_EQ(program->at(5, 1).from, 2u);
}

TEST(WaferReduce, auto_gen_looks_at_the_size_of_the_data) {
  Group group = rectangle(64, 1, 0, 0, 64, 1);
  const auto children = [&](std::uint64_t elements) {
    group.elements = elements;
    return make_program("auto_gen", request_of(group, CollectiveKind::kReduce, 0))->length(0);
  };
  EXPECT_EQ(children(1), 63u);
  EXPECT_EQ(children(1'000'000), 1u);
  EXPECT_GT(children(64), 1u);
  EXPECT_LT(children(64), 63u);
}

TEST(WaferReduce, instructions_come_without_the_rest_of_the_program) {
  Group group = rectangle(757, 996, 0, 0, 757, 996);
  for (const char* algorithm : {"chain", "tree", "two_phase"}) {
    const ProgramRequest request = request_of(group, CollectiveKind::kAllReduce, 498 * 757 + 378);
    const auto program = make_program(algorithm, request);
    EXPECT_EQ(program->at(0, 0).op, Op::kSend);
    EXPECT_EQ(program->at(request.root, program->length(request.root) - 1).to.size(), 757u * 996 - 1);
  }
}

std::string message_of(const std::string& algorithm, const ProgramRequest& request) {
  try {
    make_program(algorithm, request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(WaferReduce, repeated_cores_and_cores_off_the_wafer_bad) {
  Group group{8, 4, {NodeId{3}, NodeId{9}, NodeId{4}, NodeId{9}}};
  EXPECT_EQ(message_of("chain", request_of(group, CollectiveKind::kReduce, 0)),
            "core 9 (x 1, y 1) is in a group twice, at positions 1 and 3; every core may be there once");
  group.nodes[3] = NodeId{32};
  EXPECT_EQ(message_of("tree", request_of(group, CollectiveKind::kReduce, 0)),
            "core 32 at position 3 of a group is not on the 8x4 fabric; legal: 0..31");
}

TEST(WaferReduce, too_few_colours_bad) {
  ProgramRequest request = request_of(rectangle(8, 1, 0, 0, 8, 1), CollectiveKind::kAllReduce, 0);
  request.colours = 2;
  EXPECT_EQ(message_of("chain", request),
            "all_reduce along lines of cores needs 3 colours; fabric.router.colours is 2");
  request.kind = CollectiveKind::kReduce;
  EXPECT_EQ(message_of("chain", request), "no error");
  request.colours = 0;
  request.kind = CollectiveKind::kAllReduce;
  EXPECT_EQ(message_of("chain", request), "no error") << "without colours messages use VCs";
}

}  // namespace
}  // namespace weft::npu
