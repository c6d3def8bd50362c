// SPDX-License-Identifier: Apache-2.0
// Routing of flows: the cases of the FRED paper and of its sheet, reports, setting bits.
#include "switch/routing/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/error.h"
#include "switch/routing/placement.h"
#include "tests/switch/support/flows.h"

namespace weft::fred {
namespace {

using testing::all_reduces;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ports;
using testing::random_flows;

/// Routes, and proves that what routes does what it should.
RouteStatus status_of(int m, int port_count, const FlowSet& flows) {
  const Interconnect net = build_interconnect(m, port_count);
  const RouteResult result = route_flows(net, flows);
  if (result.status == RouteStatus::kRouted) {
    verify_setting(net, flows, result.setting);
    EXPECT_EQ(decode(net, encode(net, result.setting)), result.setting);
  }
  return result.status;
}

TEST(Route, three_all_reduces_route_on_fred_2_8) {
  EXPECT_EQ(status_of(2, 8, all_reduces({{0, 1, 2}, {3, 4, 5}, {6, 7}})), RouteStatus::kRouted);
}

TEST(Route, a_triangle_needs_three_middle_stages) {
  const FlowSet flows = all_reduces({{0, 2}, {1, 4}, {3, 5}});  // a-b share in[0], a-c in[1], b-c in[2]
  EXPECT_EQ(status_of(2, 8, flows), RouteStatus::kConflict);
  EXPECT_EQ(status_of(3, 8, flows), RouteStatus::kRouted);
}

TEST(Route, four_groups_need_four_middle_stages_on_twelve_ports) {
  const FlowSet flows = all_reduces({{0, 2, 4}, {1, 6, 8}, {3, 7, 10}, {5, 9, 11}});
  EXPECT_EQ(status_of(3, 12, flows), RouteStatus::kConflict);
  EXPECT_EQ(status_of(4, 12, flows), RouteStatus::kRouted);
}

struct Count {
  int phases = 0;
  int failed = 0;
};

Count count_aligned_phases(int m) {
  Count count;
  for (int p = 4; p <= 24; ++p) {
    for (int mp = 1; mp <= p; ++mp) {
      for (int pp = 1; pp <= p / mp; ++pp) {
        if (p % (mp * pp) != 0) continue;
        for (const Phase& phase : training_phases({mp, pp, p / (mp * pp)})) {
          ++count.phases;
          const RouteStatus status = status_of(m, p, phase.flows);
          EXPECT_NE(status, RouteStatus::kGaveUp);
          if (status != RouteStatus::kRouted) ++count.failed;
        }
      }
    }
  }
  return count;
}

TEST(Route, three_middle_stages_route_all_aligned_phases) {
  const Count count = count_aligned_phases(3);
  EXPECT_EQ(count.phases, 234);
  EXPECT_EQ(count.failed, 0);
}

TEST(Route, two_middle_stages_fail_fifty_one_aligned_phases) {
  const Count count = count_aligned_phases(2);
  EXPECT_EQ(count.phases, 234);
  EXPECT_EQ(count.failed, 51);
}

FlowSet unicasts(int port_count, RandomStream& random) {
  std::vector<int> to(port_count);
  FlowSet flows;
  for (int p = 0; p < port_count; ++p) {
    const auto q = static_cast<int>(random.below(p + 1));
    to[p] = to[q];
    to[q] = p;
  }
  for (int p = 0; p < port_count; ++p) flows.push_back({std::to_string(p), ports({p}), ports({to[p]})});
  return flows;
}

/// A Clos with m = n = 2 is rearrangeably non-blocking.
TEST(Route, two_middle_stages_route_every_permutation) {
  RandomStream random(5, NodeId{1});
  for (const int p : {3, 8, 13, 31, 64}) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(status_of(2, p, unicasts(p, random)), RouteStatus::kRouted) << p;
  }
}

TEST(Route, large_switches_route_random_groups) {
  RandomStream random(6, NodeId{1});
  int routed = 0;
  for (int i = 0; i < 20; ++i) routed += status_of(3, 64, random_flows(64, 4, random)) == RouteStatus::kRouted ? 1 : 0;
  EXPECT_GE(routed, 1);
}

TEST(Route, a_conflict_says_which_flows_and_where) {
  const Interconnect net = build_interconnect(2, 8);
  const FlowSet flows = all_reduces({{6, 7}, {0, 2}, {1, 4}, {3, 5}});
  const RouteResult result = route_flows(net, flows);
  EXPECT_EQ(result.conflict.where, "");
  EXPECT_THAT(result.conflict.flows, ElementsAre(1, 2, 3));
  EXPECT_EQ(
      describe(net, flows, result),
      "flows 'b', 'c', 'd' conflict on Fred_2(8): 2 middle stages are too few where 'b' and 'c' share in[0], 'b' and "
      "'c' share out[0], 'b' and 'd' share in[1], 'b' and 'd' share out[1], 'c' and 'd' share in[2], 'c' and 'd' share "
      "out[2]");
}

/// Flows that colour in the outermost stages in every way that is left meet again further in.
TEST(Route, a_conflict_may_lie_within) {
  const Interconnect net = build_interconnect(2, 12);
  RandomStream random(2, NodeId{9});
  for (int i = 0; i < 20000; ++i) {
    const FlowSet flows = random_flows(12, 5, random);
    const RouteResult result = route_flows(net, flows);
    if (result.status != RouteStatus::kConflict || result.conflict.where.empty()) continue;
    EXPECT_EQ(result.conflict.where.substr(0, 6), "mid[*]");
    EXPECT_GE(result.conflict.there.size(), 3U);  // two flows always find two middle stages
    EXPECT_THAT(describe(net, flows, result), HasSubstr("must meet in a middle stage"));
    // Smallest: without any one of them the others route.
    for (const int left_out : result.conflict.flows) {
      FlowSet others;
      for (const int f : result.conflict.flows) {
        if (f != left_out) others.push_back(flows[f]);
      }
      EXPECT_EQ(route_flows(net, others).status, RouteStatus::kRouted);
    }
    return;
  }
  FAIL() << "no conflict within";
}

TEST(Route, a_bounded_search_says_that_it_gave_up) {
  const FlowSet flows = all_reduces({{0, 2, 4}, {1, 6, 8}, {3, 7, 10}, {5, 9, 11}});
  const Interconnect net = build_interconnect(3, 12);
  const RouteResult result = route_flows(net, flows, {2});
  EXPECT_EQ(result.status, RouteStatus::kGaveUp);
  EXPECT_THAT(describe(net, flows, result), HasSubstr("no proof that there is none, in 2 steps"));
  // Three steps prove the conflict but do not explain it.
  const RouteResult proven = route_flows(net, flows, {3});
  EXPECT_EQ(proven.status, RouteStatus::kConflict);
  EXPECT_EQ(describe(net, flows, proven), "flows 'a', 'b', 'c', 'd' conflict on Fred_3(12)");
}

TEST(Route, sixteen_flows_on_sixty_four_ports_take_few_steps) {
  const Interconnect net = build_interconnect(3, 64);
  for (const Parallelism& ways : {Parallelism{4, 1, 16}, Parallelism{16, 1, 4}, Parallelism{2, 2, 16}}) {
    for (const Phase& phase : training_phases(ways)) {
      const auto start = std::chrono::steady_clock::now();
      const RouteResult result = route_flows(net, phase.flows);
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      RecordProperty(phase.name + std::to_string(phase.flows.size()) + "_ms", std::to_string(took.count()));
      EXPECT_EQ(result.status, RouteStatus::kRouted);
      EXPECT_LT(result.steps, 1000U);
      verify_setting(net, phase.flows, result.setting);
    }
  }
}

TEST(Route, flows_bad) {
  const Interconnect net = build_interconnect(3, 8);
  const auto text_of = [&net](const FlowSet& flows) {
    try {
      route_flows(net, flows);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_THAT(text_of({{"a", ports({0, 8}), ports({1})}}), HasSubstr("flow 'a' names input port 8; ports are 0 to 7"));
  EXPECT_THAT(text_of({{"a", ports({0}), {}}}), HasSubstr("flow 'a' has no output port"));
  EXPECT_THAT(text_of({{"a", ports({0}), ports({1})}, {"b", ports({2}), ports({1})}}),
              HasSubstr("output port 1 belongs to flows 'a' and 'b'"));
}

/// Fred_2(3) by hand: R and D have 2 selects of 0..2 and one bit more = 5 bits each, RD 2 masks and two bits = 6, demux
/// and mux 2.
TEST(SwitchSetting, bits_by_hand) {
  EXPECT_EQ(setting_bits(build_interconnect(2, 3)), 5U + 2 + 6 + 6 + 5 + 2);
  EXPECT_EQ(setting_bits(build_interconnect(3, 2)), 6U);
}

TEST(SwitchSetting, bits_of_an_rd_uswitch) {
  const Interconnect net = build_interconnect(3, 2);
  const RouteResult result = route_flows(net, all_reduces({{0, 1}}));
  EXPECT_THAT(encode(net, result.setting),
              ElementsAre(0x3F));  // both outputs take both inputs, reduce, distribute
  const RouteResult swap = route_flows(net, {{"a", ports({0}), ports({1})}, {"b", ports({1}), ports({0})}});
  EXPECT_THAT(encode(net, swap.setting), ElementsAre(0b0110));  // output 0 takes input 1, output 1 input 0
}

TEST(SwitchSetting, bits_that_are_no_setting_bad) {
  const Interconnect net = build_interconnect(3, 2);
  EXPECT_THROW(decode(net, {0x0F}), InputError);    // sums without the reduce bit
  EXPECT_THROW(decode(net, {0b0111}), InputError);  // input 0 alone and in a sum
  EXPECT_THROW(decode(net, {0, 0}), InputError);
}

TEST(SwitchSetting, every_single_wrong_bit_is_found) {
  const Interconnect net = build_interconnect(3, 5);
  const FlowSet flows = all_reduces({{0, 1, 4}, {2, 3}});
  const std::vector<std::uint8_t> good = encode(net, route_flows(net, flows).setting);
  for (std::size_t bit = 0; bit < setting_bits(net); ++bit) {
    std::vector<std::uint8_t> wrong = good;
    wrong[bit / 8] = static_cast<std::uint8_t>(wrong[bit / 8] ^ 1U << bit % 8);
    try {
      verify_setting(net, flows, decode(net, wrong));
      FAIL() << "bit " << bit;
    } catch (const std::runtime_error&) {  // no setting at all, or one that does something else
    }
  }
}

}  // namespace
}  // namespace weft::fred
