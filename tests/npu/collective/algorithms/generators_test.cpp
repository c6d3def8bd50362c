// SPDX-License-Identifier: Apache-2.0
// Every generator, for every kind it supports, proved by the checker; and how much each sends, from closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/checker/checker.h"

namespace weft::npu {
namespace {

std::string first_errors(const CheckReport& report) {
  std::string text;
  for (const std::string& error : report.errors) text += error + "\n";
  return text;
}

struct Mesh {
  int x;
  int y;
  bool torus = false;
};

void prove(const std::string& algorithm, CollectiveKind kind, std::uint32_t ranks, Mesh mesh) {
  const std::vector<std::uint32_t> roots =
      kind_has_root(kind) ? std::vector<std::uint32_t>{0, ranks / 2, ranks - 1} : std::vector<std::uint32_t>{0};
  for (const std::uint32_t root : roots) {
    ProgramRequest request;
    request.kind = kind;
    request.ranks = ranks;
    request.root = root;
    request.size_x = mesh.x;
    request.size_y = mesh.y;
    request.torus = mesh.torus;
    const CheckReport report = check_program(*make_program(algorithm, request));
    EXPECT_TRUE(report.ok()) << algorithm << " " << kind_name(kind) << " of " << ranks << " on " << mesh.x << "x"
                             << mesh.y << " root " << root << "\n"
                             << first_errors(report);
    EXPECT_TRUE(report.in_order);
  }
}

TEST(Generators, all_are_proved_for_1_to_19_and_more_ranks) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->name == "hierarchical_2d" || algorithm->name == "two_level_ring") continue;
    for (const CollectiveKind kind : algorithm->kinds()) {
      for (std::uint32_t ranks = 1; ranks <= 19; ++ranks) prove(std::string(algorithm->name), kind, ranks, {0, 0});
      for (const std::uint32_t ranks : {24u, 31u, 32u, 33u}) prove(std::string(algorithm->name), kind, ranks, {0, 0});
    }
  }
}

TEST(Generators, all_are_proved_on_meshes_and_tori) {
  const std::vector<Mesh> meshes{{1, 1}, {2, 1}, {1, 3}, {2, 2},       {5, 4},
                                 {3, 3}, {4, 6}, {7, 2}, {3, 5, true}, {4, 4, true}};
  for (const Algorithm* algorithm : algorithms()) {
    for (const CollectiveKind kind : algorithm->kinds()) {
      for (const Mesh mesh : meshes)
        prove(std::string(algorithm->name), kind, static_cast<std::uint32_t>(mesh.x * mesh.y), mesh);
    }
  }
}

// A group on one row or column is a ring along it, in whatever order its ranks come: n - 1 steps, or 2 (n - 1) of an
// all-reduce, of two halves that have a send and a receive each.
TEST(Generators, hierarchical_2d_takes_parts_of_one_line_in_any_order) {
  const std::vector<std::vector<NodeId>> groups{{NodeId{6}, NodeId{5}},
                                                {NodeId{7}, NodeId{9}, NodeId{5}},
                                                {NodeId{8}, NodeId{5}, NodeId{9}, NodeId{7}, NodeId{6}},
                                                {NodeId{17}, NodeId{2}},
                                                {NodeId{12}, NodeId{2}, NodeId{17}, NodeId{7}}};
  for (const char* name : {"hierarchical_2d", "two_level_ring"}) {
    for (const CollectiveKind kind : algorithms().at(name).kinds()) {
      for (const std::vector<NodeId>& nodes : groups) {
        ProgramRequest request;
        request.kind = kind;
        request.ranks = static_cast<std::uint32_t>(nodes.size());
        request.nodes = nodes;
        request.size_x = 5;
        request.size_y = 4;
        const CheckReport report = check_program(*make_program(name, request));
        EXPECT_TRUE(report.ok()) << name << " " << kind_name(kind) << " of " << nodes.size() << "\n"
                                 << first_errors(report);
      }
    }
  }
  ProgramRequest request;
  request.ranks = 5;
  request.nodes = groups[2];
  request.size_x = 5;
  request.size_y = 4;
  EXPECT_EQ(make_program("hierarchical_2d", request)->length(3), 2u * 2u * 8u);
  request.kind = CollectiveKind::kAllGather;
  EXPECT_EQ(make_program("hierarchical_2d", request)->length(3), 2u * 2u * 4u);
}

// Elements sent by one rank, for a collective of so many elements.
std::uint64_t sent(const Program& program, std::uint32_t rank, std::uint64_t elements) {
  const Geometry geometry(program.shape(), elements, 1);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < program.length(rank); ++i) {
    const Instruction in = program.at(rank, i);
    const Slice& slice = in.op == Op::kRecvCopySend ? in.dst : in.src;
    sum += in.to.size() * (op_sends(in.op) ? geometry.elements(rank, slice, 0) : 0);
  }
  return sum;
}

std::unique_ptr<const Program> program_of(const std::string& algorithm, CollectiveKind kind, std::uint32_t ranks,
                                          std::uint32_t root = 0, Mesh mesh = {0, 0}) {
  ProgramRequest request;
  request.kind = kind;
  request.ranks = ranks;
  request.root = root;
  request.size_x = mesh.x;
  request.size_y = mesh.y;
  request.torus = mesh.torus;
  return make_program(algorithm, request);
}

TEST(Generators, send_what_the_closed_forms_say) {
  const std::uint64_t e = 16 * 15 * 14;
  for (const std::uint32_t n : {2u, 4u, 8u, 16u}) {
    for (const char* name : {"ring", "direct", "halving_doubling"}) {
      const auto each = [&](CollectiveKind kind) { return sent(*program_of(name, kind, n), n - 1, e); };
      EXPECT_EQ(each(CollectiveKind::kAllReduce), 2 * (n - 1) * e / n) << name << n;
      EXPECT_EQ(each(CollectiveKind::kReduceScatter), (n - 1) * e / n) << name << n;
      EXPECT_EQ(each(CollectiveKind::kAllGather), (n - 1) * e) << name << n;
    }
    EXPECT_EQ(sent(*program_of("ring", CollectiveKind::kAllToAll, n), 0, e), n * (n - 1) / 2 * e / n);
    EXPECT_EQ(sent(*program_of("direct", CollectiveKind::kAllToAll, n), 0, e), (n - 1) * e / n);
  }
  // hierarchical_2d, all_reduce of 5x4: 11/24 of the data 2(x-1)/x + 2(y-1)/(xy) times, the rest 2(y-1)/y +
  // 2(x-1)/(xy).
  const auto plane = program_of("hierarchical_2d", CollectiveKind::kAllReduce, 20, 0, {5, 4});
  EXPECT_EQ(sent(*plane, 7, 4800), 2200 * 2 * 4 / 5 + 2200 * 2 * 3 / 20 + 2600 * 2 * 3 / 4 + 2600 * 2 * 4 / 20);
  // Two trees: everybody passes each half up once, and down once in total per rank that is not the root.
  std::uint64_t all = 0;
  for (std::uint32_t r = 0; r < 13; ++r)
    all += sent(*program_of("double_binary_tree", CollectiveKind::kAllReduce, 13), r, e);
  EXPECT_EQ(all, 2 * 12 * e);
}

TEST(Generators, double_binary_tree_has_two_children_at_most_and_complementary_leaves) {
  for (std::uint32_t n = 2; n <= 40; n += 2) {
    const auto program = program_of("double_binary_tree", CollectiveKind::kAllReduce, n);
    for (std::uint32_t rank = 0; rank < n; ++rank) {
      std::map<std::uint32_t, std::size_t> children;  // by tree
      for (std::uint32_t i = 0; i < program->length(rank); ++i) {
        const Instruction in = program->at(rank, i);
        if (op_sends(in.op) && in.send_tag % 2 == 1) children[in.send_tag / 2] = in.to.size();
      }
      EXPECT_LE(children[0], 2u);
      EXPECT_LE(children[1], 2u);
      EXPECT_FALSE(children[0] == 2 && children[1] == 2) << "rank " << rank << " of " << n;
      EXPECT_TRUE(children[0] > 0 || children[1] > 0) << "rank " << rank << " of " << n << " is a leaf of both";
    }
  }
}

TEST(Generators, halves_of_hierarchical_2d_run_in_opposite_directions) {
  // 5x4: half 0 begins along x; half 1 reaches x after the three steps of its scatter along y.
  const auto program = program_of("hierarchical_2d", CollectiveKind::kAllReduce, 20, 0, {5, 4});
  for (std::uint32_t rank = 0; rank < 20; ++rank) {
    const Instruction first_half_send = program->at(rank, 0);
    const Instruction second_half_receive = program->at(rank, 4 * 3 + 3);
    EXPECT_EQ(first_half_send.hints.queue, 0);
    EXPECT_EQ(second_half_receive.hints.queue, 0);
    EXPECT_EQ(program->at(rank, 2).hints.queue, 1);
    EXPECT_EQ(first_half_send.to.front() / 5, rank / 5);
    EXPECT_EQ(first_half_send.to.front(), second_half_receive.from);
  }
}

TEST(Generators, halving_sends_the_largest_message_to_the_nearest) {
  const auto program = program_of("halving_doubling", CollectiveKind::kAllReduce, 8);
  const Instruction first = program->at(5, 0);
  EXPECT_EQ(first.to, std::vector<std::uint32_t>{4});
  EXPECT_EQ(first.src.count, 4u);
}

TEST(Generators, ring_follows_the_neighbours_of_a_mesh) {
  const auto program = program_of("ring", CollectiveKind::kAllReduce, 20, 0, {5, 4});
  for (std::uint32_t rank = 0; rank < 20; ++rank) {
    const std::uint32_t next = program->at(rank, 0).to.at(0);
    const int dx = std::abs(static_cast<int>(rank % 5) - static_cast<int>(next % 5));
    const int dy = std::abs(static_cast<int>(rank / 5) - static_cast<int>(next / 5));
    EXPECT_EQ(dx + dy, 1) << "from " << rank << " to " << next;
  }
}

TEST(Generators, instructions_come_without_the_rest_of_the_program) {
  // A million ranks: asking for one instruction must not cost a program.
  const auto ring = program_of("ring", CollectiveKind::kAllReduce, 1'000'000);
  EXPECT_EQ(ring->at(123'456, 7).from, 123'455u);
  const auto direct = program_of("direct", CollectiveKind::kAllToAll, 1'000'000);
  EXPECT_EQ(direct->length(5), 1'999'999u);
  const auto tree = program_of("double_binary_tree", CollectiveKind::kAllReduce, 1'000'000);
  EXPECT_LE(tree->length(777'777), 8u);
}

std::string message_of(const std::string& algorithm, const ProgramRequest& request) {
  try {
    make_program(algorithm, request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Generators, unknown_name_unsupported_kind_and_unfit_group_bad) {
  ProgramRequest request;
  request.ranks = 4;
  EXPECT_EQ(message_of("rings", request),
            "unknown collective algorithm 'rings'; known: ring, direct, halving_doubling, double_binary_tree, "
            "hierarchical_2d, star, chain, tree, two_phase, auto_gen, snake, multicast, in_router, two_level_ring, "
            "in_switch, in_switch_series; did you mean 'ring'?");
  request.kind = CollectiveKind::kAllToAll;
  EXPECT_EQ(message_of("double_binary_tree", request),
            "algorithm double_binary_tree does not do all_to_all; it does all_reduce, reduce, broadcast, barrier. "
            "all_to_all is done by ring, direct, in_switch, in_switch_series");
  request.kind = CollectiveKind::kBroadcast;
  request.root = 4;
  EXPECT_EQ(message_of("ring", request), "the root of a broadcast must be a position of the group, 0..3, found 4");
  request.root = 0;
  EXPECT_EQ(message_of("hierarchical_2d", request),
            "algorithm hierarchical_2d needs to know the size of the mesh that the group is on");
  request.size_x = 3;
  request.size_y = 3;
  EXPECT_EQ(message_of("hierarchical_2d", request),
            "algorithm hierarchical_2d needs a group that fills every crossing of some rows and columns of the fabric; "
            "these 4 ranks do not");
  request.kind = CollectiveKind::kReduceScatter;
  request.nodes = {NodeId{1}, NodeId{0}, NodeId{3}, NodeId{4}};
  EXPECT_EQ(
      message_of("hierarchical_2d", request),
      "reduce_scatter by hierarchical_2d needs the group's ranks in the order of their places, row by row from the "
      "lowest node");
  request.nodes.pop_back();
  EXPECT_EQ(message_of("ring", request), "a group of 4 ranks comes with 3 nodes");
}

}  // namespace
}  // namespace weft::npu
