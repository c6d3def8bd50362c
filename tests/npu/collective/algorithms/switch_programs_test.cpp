// SPDX-License-Identifier: Apache-2.0
// Programs for trees of FRED switches: flows, their order of additions, and the ring of two levels at the endpoints.
#include <gtest/gtest.h>

#include "base/error.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/checker/checker.h"
#include "npu/collective/form/listed_program.h"

namespace weft::npu {

void PrintTo(const FlowMerge& merge, std::ostream* out) { *out << merge.into << " += " << merge.from; }

namespace {

using Merges = std::vector<FlowMerge>;
using Borders = std::vector<std::size_t>;

ProgramRequest request_for(CollectiveKind kind, const std::vector<std::uint32_t>& nodes, int size_x, int size_y,
                           std::vector<std::uint32_t> groups = {}) {
  ProgramRequest request;
  request.kind = kind;
  request.ranks = static_cast<std::uint32_t>(nodes.size());
  for (const std::uint32_t node : nodes) request.nodes.push_back(NodeId{node});
  request.size_x = size_x;
  request.size_y = size_y;
  request.switch_groups = std::move(groups);
  return request;
}

std::vector<std::uint32_t> first_nodes(std::uint32_t count) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 0; n < count; ++n) nodes.push_back(n);
  return nodes;
}

std::string errors_of(const Program& program) {
  const CheckReport report = check_program(program);
  return report.ok() ? "" : report.errors.front();
}

// Three switches of four NPUs below one. Switch 0 has ports 1 (rank 2) and 2 (rank 1), which meet only after the pairs;
// switch 1 has ports 0 (rank 4) and 3 (rank 3); what comes from switch 2 is rank 0 alone. Above, switches 0 and 1 are a
// pair, and 2 comes last.
TEST(InSwitch, adds_in_the_order_of_the_ports) {
  const auto program =
      make_program("in_switch", request_for(CollectiveKind::kAllReduce, {9, 2, 1, 7, 4}, 4, 3, {3, 1}));
  EXPECT_EQ(program->flow_merges(0), (Merges{{2, 1}, {4, 3}, {2, 4}, {2, 0}}));
  EXPECT_EQ(program->flow_borders(0), (Borders{0, 1, 3}));
  EXPECT_EQ(errors_of(*program), "");
}

// One switch of 8 ports, all of them in: pairs, pairs of pairs, halves.
TEST(InSwitch, adds_pairs_first_within_a_switch) {
  const auto program = make_program("in_switch", request_for(CollectiveKind::kReduce, first_nodes(8), 8, 1, {1}));
  EXPECT_EQ(program->flow_merges(0), (Merges{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {4, 6}, {0, 4}}));
  EXPECT_EQ(program->flow_borders(0), Borders{6});
}

// Four switches of two NPUs, two above them, one at the top; not the same as without the middle level only by when the
// sums are formed: 0..3 are complete before they meet 4..7.
TEST(InSwitch, adds_level_by_level) {
  const auto program =
      make_program("in_switch", request_for(CollectiveKind::kAllReduce, {0, 1, 2, 4, 7}, 2, 4, {4, 2, 1}));
  EXPECT_EQ(program->flow_merges(0), (Merges{{0, 1}, {0, 2}, {3, 4}, {0, 3}}));
  EXPECT_EQ(program->flow_borders(0), (Borders{0, 1, 2, 3}));
}

TEST(InSwitch, does_reduce_scatter_and_all_gather_as_a_flow_per_rank) {
  for (const CollectiveKind kind : {CollectiveKind::kReduceScatter, CollectiveKind::kAllGather}) {
    const auto program = make_program("in_switch", request_for(kind, {0, 1, 4, 5, 8}, 4, 3, {3, 1}));
    EXPECT_EQ(errors_of(*program), "");
    const bool reduces = kind == CollectiveKind::kReduceScatter;
    for (std::uint32_t rank = 0; rank < 5; ++rank) {
      ASSERT_EQ(program->length(rank), 5u);
      for (std::uint32_t flow = 0; flow < 5; ++flow) {
        const Instruction in = program->at(rank, flow);
        EXPECT_EQ(in.op, Op::kFlow);
        EXPECT_EQ(in.hints.flow, static_cast<int>(flow));
        EXPECT_EQ(in.src.count, reduces || flow == rank ? 1u : 0u);
        EXPECT_EQ(in.dst.count, reduces == (flow == rank) ? 1u : 0u);
      }
    }
  }
}

TEST(InSwitch, proves_every_kind_on_trees_of_switches) {
  for (const CollectiveKind kind : all_kinds()) {
    for (const std::uint32_t root : {0u, 3u, 5u}) {
      ProgramRequest request = request_for(kind, {11, 3, 2, 6, 15, 1}, 4, 4, {4, 2, 1});
      request.root = root;
      EXPECT_EQ(errors_of(*make_program("in_switch_series", request)), "") << kind_name(kind) << root;
      for (request.planes = 1; request.planes < 7; ++request.planes) {
        EXPECT_EQ(errors_of(*make_program("in_switch", request)), "") << kind_name(kind) << root;
      }
    }
  }
}

TEST(InSwitch, a_rank_outside_the_switches_bad) {
  EXPECT_THROW(make_program("in_switch", request_for(CollectiveKind::kAllReduce, {0, 12}, 4, 3, {3, 1})), InputError);
}

using Deps = std::vector<std::uint32_t>;

// Flow by flow, part by part.
TEST(InSwitchSeries, each_flow_waits_for_the_one_before) {
  for (const CollectiveKind kind : {CollectiveKind::kReduceScatter, CollectiveKind::kAllGather}) {
    const auto series = make_program("in_switch_series", request_for(kind, first_nodes(4), 4, 1));
    const auto at_once = make_program("in_switch", request_for(kind, first_nodes(4), 4, 1));
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      for (std::uint32_t flow = 0; flow < 4; ++flow) {
        EXPECT_EQ(series->at(rank, flow).deps, flow > 0 ? Deps{flow - 1} : Deps{});
        EXPECT_EQ(at_once->at(rank, flow).deps, Deps{});
      }
    }
  }
  const auto series = make_program("in_switch_series", request_for(CollectiveKind::kScatter, first_nodes(4), 4, 1));
  const auto at_once = make_program("in_switch", request_for(CollectiveKind::kScatter, first_nodes(4), 4, 1));
  for (std::uint32_t part = 0; part < 3; ++part) {
    EXPECT_EQ(series->at(0, part).deps, part > 0 ? Deps{part - 1} : Deps{});
    EXPECT_EQ(at_once->at(0, part).deps, Deps{});
  }
}

// With two planes round 3, instruction 5, waits for round 1, instruction 1.
TEST(InSwitch, exchanges_in_as_many_rounds_at_once_as_there_are_planes) {
  ProgramRequest request = request_for(CollectiveKind::kAllToAll, first_nodes(6), 6, 1);
  request.planes = 2;
  const auto program = make_program("in_switch", request);
  for (std::uint32_t rank = 0; rank < 6; ++rank) {
    for (std::uint32_t round = 1; round < 6; ++round) {
      EXPECT_EQ(program->at(rank, 2 * round - 1).deps, round > 2 ? Deps{2 * round - 5} : Deps{});
    }
  }
}

// Rank i serves i + r in round r.
TEST(InSwitch, exchanges_by_permutations) {
  const auto program = make_program("in_switch", request_for(CollectiveKind::kAllToAll, first_nodes(5), 4, 2));
  for (std::uint32_t rank = 0; rank < 5; ++rank) {
    for (std::uint32_t round = 1; round < 5; ++round) {
      const Instruction in = program->at(rank, 2 * round - 1);
      EXPECT_EQ(in.to, std::vector<std::uint32_t>{(rank + round) % 5});
      const std::vector<std::uint32_t> sent_before{2 * round - 3};
      EXPECT_EQ(in.deps, round > 1 ? sent_before : std::vector<std::uint32_t>{});
    }
  }
}

// Elements that a rank sends, and those of them that go to another switch of `size_x` NPUs.
struct Sent {
  std::uint64_t all = 0;
  std::uint64_t across = 0;
};
Sent sent(const Program& program, std::uint32_t rank, std::uint64_t elements, std::uint32_t size_x) {
  const Geometry geometry(program.shape(), elements, 1);
  Sent sum;
  for (std::uint32_t i = 0; i < program.length(rank); ++i) {
    const Instruction in = program.at(rank, i);
    for (const std::uint32_t to : in.to) {
      const std::uint64_t count = geometry.elements(rank, in.src, 0);
      sum.all += count;
      if (to / size_x != rank / size_x) sum.across += count;
    }
  }
  return sum;
}

// All-reduce of D on 5 switches of 4: 2 (4-1)/4 D within, 2 (5-1)/5 D/4 across.
TEST(TwoLevelRing, sends_an_nth_across) {
  const std::uint64_t d = 4000;
  for (std::uint32_t rank = 0; rank < 20; ++rank) {
    const auto reduce = make_program("two_level_ring", request_for(CollectiveKind::kAllReduce, first_nodes(20), 4, 5));
    EXPECT_EQ(sent(*reduce, rank, d, 4).across, 2 * 4 * d / 4 / 5);
    EXPECT_EQ(sent(*reduce, rank, d, 4).all, 2 * 4 * d / 4 / 5 + 2 * 3 * d / 4);
    const auto scatter =
        make_program("two_level_ring", request_for(CollectiveKind::kReduceScatter, first_nodes(20), 4, 5));
    EXPECT_EQ(sent(*scatter, rank, d, 4).across, 4 * d / 4 / 5);
    EXPECT_EQ(sent(*scatter, rank, d, 4).all, 4 * d / 4 / 5 + 3 * d / 4);
  }
}

TEST(TwoLevelRing, is_proved_on_grids_and_lines) {
  for (const CollectiveKind kind :
       {CollectiveKind::kAllReduce, CollectiveKind::kReduceScatter, CollectiveKind::kAllGather}) {
    for (const auto& nodes : {first_nodes(20), std::vector<std::uint32_t>{1, 3, 9, 11, 17, 19},
                              std::vector<std::uint32_t>{2, 6, 10, 14, 18}, std::vector<std::uint32_t>{5, 6, 7},
                              std::vector<std::uint32_t>{8}}) {
      EXPECT_EQ(errors_of(*make_program("two_level_ring", request_for(kind, nodes, 4, 5))), "");
    }
  }
}

// On one switch, or with one NPU per switch: 2 (n-1) steps of an n-th, as a ring.
TEST(TwoLevelRing, is_a_plain_ring_on_one_line) {
  for (const auto& nodes : {std::vector<std::uint32_t>{4, 5, 6}, std::vector<std::uint32_t>{1, 9, 17}}) {
    const ProgramRequest request = request_for(CollectiveKind::kAllReduce, nodes, 4, 5);
    const auto program = make_program("two_level_ring", request);
    const auto ring = make_program("ring", request);
    ASSERT_EQ(program->length(1), ring->length(1));
    for (std::uint32_t i = 0; i < ring->length(1); ++i) {
      EXPECT_EQ(to_text(program->at(1, i)), to_text(ring->at(1, i)));
    }
  }
}

TEST(TwoLevelRing, group_without_a_grid_bad) {
  try {
    make_program("two_level_ring", request_for(CollectiveKind::kAllReduce, {0, 1, 4}, 4, 5));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "algorithm two_level_ring needs a group that fills every crossing of some rows and columns of the "
                 "fabric; these 3 ranks do not");
  }
}

Instruction operand(int flow, std::uint32_t fragment) {
  Instruction in;
  in.op = Op::kFlow;
  in.hints.flow = flow;
  in.send_tag = static_cast<std::uint32_t>(flow);
  in.recv_tag = static_cast<std::uint32_t>(flow);
  in.src = {Buffer::kInput, fragment, 1};
  in.dst = in.src;
  return in;
}

// Three flows of two halves' sums; flow 2 is a third fragment. Each pair of ranks agrees about the flows that it
// shares, all three together do not: 0 before 1, 1 before 2, 2 before 0.
TEST(CheckerFlows, orders_that_contradict_each_other_bad) {
  const ProgramShape shape{CollectiveKind::kAllReduce, 2, 0, 3, 0, true};
  const auto program_with = [&](const std::vector<std::vector<int>>& orders) {
    ListedProgram::Sequences sequences;
    for (const auto& order : orders) {
      sequences.emplace_back();
      for (const int flow : order) sequences.back().push_back(operand(flow, static_cast<std::uint32_t>(flow)));
    }
    const Merges both{{0, 1}};
    return ListedProgram(shape, sequences, true, {{0, both}, {1, both}, {2, both}});
  };
  EXPECT_EQ(errors_of(program_with({{0, 1, 2}, {0, 1, 2}})), "");
  EXPECT_EQ(errors_of(program_with({{2, 0, 1}, {2, 0, 1}})), "");
  EXPECT_EQ(errors_of(program_with({{0, 1, 2}, {0, 2, 1}})),
            "the ranks put operands into flows in orders that contradict each other: rank 0 instruction 2 (flow "
            "input[2] into input[2] flow 2) issues flow 2 after flow 1, rank 1 instruction 2 (flow input[1] into "
            "input[1] flow 1) issues flow 1 after flow 2");
}

TEST(CheckerFlows, orders_that_go_round_bad) {
  // Fragment c of three ranks: flow c of two of them, whose sum goes on to nobody; the order alone is at fault.
  const ProgramShape shape{CollectiveKind::kAllReduce, 3, 0, 3, 0, true};
  ListedProgram::Sequences sequences(3);
  const std::vector<std::pair<int, int>> orders{{0, 1}, {1, 2}, {2, 0}};
  for (std::size_t rank = 0; rank < 3; ++rank) {
    sequences[rank].push_back(operand(orders[rank].first, static_cast<std::uint32_t>(orders[rank].first)));
    sequences[rank].push_back(operand(orders[rank].second, static_cast<std::uint32_t>(orders[rank].second)));
  }
  const ListedProgram program(shape, sequences, true, {{0, {{0, 2}}}, {1, {{0, 1}}}, {2, {{1, 2}}}});
  EXPECT_NE(errors_of(program).find("in orders that contradict each other"), std::string::npos);
}

}  // namespace
}  // namespace weft::npu
