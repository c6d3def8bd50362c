// SPDX-License-Identifier: Apache-2.0
// Round trips and starvation, worked out by hand.
#include "config/link_budget.h"

#include <gtest/gtest.h>

#include "tests/config/memory_files.h"

namespace weft {
namespace {

LinkSpec wire(Cycle latency, Rational rate = {1, 1}) {
  LinkSpec link;
  link.latency_cycles = latency;
  link.flits_per_cycle = rate;
  return link;
}

TEST(LinkBudget, round_trip_of_the_reference_router) {
  // Latency 1, traversal 1: 5 + credit_delay, between routers and towards the NPU.
  RouterSpec router;
  router.credit_delay = 2;
  EXPECT_EQ(credit_round_trip(router, wire(1)), 7u);
  EXPECT_EQ(ejection_round_trip(router, wire(1)), 7u);
  router.credit_delay = 0;
  EXPECT_EQ(credit_round_trip(router, wire(1)), 5u);
}

TEST(LinkBudget, delays_count_as_often_as_a_flit_and_its_credit_meet_them) {
  RouterSpec router;
  EXPECT_EQ(credit_round_trip(router, wire(20)), 7u + 38);  // the wire twice
  router.traversal_delay = 3;
  EXPECT_EQ(credit_round_trip(router, wire(1)), 7u + 2);
  router.hop_cycles = 4;
  EXPECT_EQ(credit_round_trip(router, wire(1)), 7u + 2 + 4);
  router.switch_alloc_delay = 2;  // at both ends; an NPU has no switch
  EXPECT_EQ(credit_round_trip(router, wire(1)), 7u + 2 + 4 + 2);
  EXPECT_EQ(ejection_round_trip(router, wire(1)), 7u + 2 + 4 + 1);
  // A flit takes 4 cycles from its first to its last bit.
  EXPECT_EQ(credit_round_trip(router, wire(1, {1, 4})), 7u + 2 + 4 + 2 + 3);
}

TEST(LinkBudget, starved_means_buffer_below_rate_times_round_trip) {
  // One flit per cycle, 7 cycles: 7 flits are enough, 6 are not; 6 of them carry 6/7.
  const std::string text = "fabric: {size: [4, 4]}\nworkload: {traffic: {}}\n";
  const auto with = [&](int buffer) {
    return link_budgets(load_config_text(
        text, "a.yaml", {"fabric.router.vcs=1", "fabric.router.buffer_flits=" + std::to_string(buffer)}))[0];
  };
  EXPECT_FALSE(with(7).is_starved());
  EXPECT_TRUE(with(6).is_starved());
  EXPECT_EQ(with(6).link, "fabric.link");
  EXPECT_DOUBLE_EQ(with(6).carried_by(6), 6.0 / 7.0);
  EXPECT_DOUBLE_EQ(with(7).carried_by(100), 1.0);
}

TEST(LinkBudget, wide_links_need_more) {
  // 750 GB/s over 512 B = 375/256 flits per cycle; 20 ns: 2 x 20 + 1 + 2 + 2 = 45 cycles; 16875/256 flits.
  const auto budgets =
      link_budgets(load_config_text("fabric: {size: [5, 4], flit_bytes: 512, link: {bandwidth: 750 GB/s, latency: 20 "
                                    "ns}}\nworkload: {traffic: {}}\n"));
  ASSERT_EQ(budgets.size(), 2u);
  EXPECT_EQ(budgets[0].round_trip, 45u);
  EXPECT_EQ(budgets[0].needed_flits, (Rational{16875, 256}));
  EXPECT_EQ(budgets[0].buffer_flits, 32u);
  EXPECT_TRUE(budgets[0].is_starved());
  EXPECT_EQ(budgets[1].link, "fabric.local");
  EXPECT_EQ(budgets[1].round_trip, 45u);
}

TEST(LinkBudget, a_packet_on_a_torus_has_half_of_the_vcs) {
  const auto budgets = link_budgets(load_config_text("fabric: {kind: torus, size: [4, 4]}\nworkload: {traffic: {}}\n"));
  EXPECT_EQ(budgets[0].vcs, 2);
  EXPECT_EQ(budgets[0].buffer_flits, 16u);
  EXPECT_EQ(budgets[1].buffer_flits, 32u);
}

TEST(LinkBudget, message_classes_share_the_vcs_of_both_links) {
  const auto budgets =
      link_budgets(load_config_text("fabric: {size: [4, 4], routing: valiant, router: {vcs: 9}}\nnpu: "
                                    "{message_classes: 2}\nworkload: {traffic: {}}\n"));
  EXPECT_EQ(budgets[0].vcs, 2);  // 9 = 5 + 4, and 4 = 2 + 2
  EXPECT_EQ(budgets[1].vcs, 4);
}

TEST(LinkBudget, links_along_y_have_a_budget_where_they_differ) {
  const auto budgets =
      link_budgets(load_config_text("fabric: {size: [4, 4], link_y: {latency: 9}}\nworkload: {traffic: {}}\n"));
  ASSERT_EQ(budgets.size(), 3u);
  EXPECT_EQ(budgets[1].link, "fabric.link_y");
  EXPECT_EQ(budgets[1].round_trip, 7u + 16);
}

TEST(LinkBudget, one_node_has_no_links_between_routers) {
  EXPECT_EQ(link_budgets(load_config_text("fabric: {size: [1, 1]}\nworkload: {traffic: {}}\n")).size(), 1u);
}

TEST(LinkBudget, a_colour_has_its_own_buffer_and_the_wire_alone) {
  Config config;
  config.fabric.size_x = 8;
  config.fabric.link.latency_cycles = 1;
  config.fabric.local.latency_cycles = 2;
  config.fabric.router.buffer_flits = 8;
  config.fabric.router.hop_cycles = 1;
  config.fabric.router.turn_cycles = 20;
  config.workload = CollectiveWorkload();
  EXPECT_EQ(link_budgets(config).size(), 2U);
  config.fabric.router.colours = 4;
  std::vector<LinkBudget> budgets = link_budgets(config);
  ASSERT_EQ(budgets.size(), 4U);
  EXPECT_TRUE(budgets[2].set_up && budgets[3].set_up);
  EXPECT_EQ(budgets[2].round_trip, 3U) << "there and back, one cycle for the hop; a row has no turns";
  EXPECT_EQ(budgets[3].round_trip, 4U) << "the ramp both ways";
  EXPECT_EQ(budgets[2].buffer_flits, 8U);
  EXPECT_FALSE(budgets[2].is_starved());
  config.fabric.size_y = 8;
  budgets = link_budgets(config);
  EXPECT_EQ(budgets[2].round_trip, 23U);
  EXPECT_TRUE(budgets[2].is_starved());
}

}  // namespace
}  // namespace weft
