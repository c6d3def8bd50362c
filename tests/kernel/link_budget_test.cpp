// SPDX-License-Identifier: Apache-2.0
// Round trips and starvation, worked out by hand.
#include "kernel/link_budget.h"

#include <gtest/gtest.h>

#include "memory_files.h"

namespace weft {
namespace {

TEST(LinkBudget, round_trip_of_the_reference_router) {
  // Latency 1, traversal 1: 5 + credit_delay.
  RouterSpec router;
  router.credit_delay = 2;
  EXPECT_EQ(credit_round_trip(router, 1), 7u);
  router.credit_delay = 0;
  EXPECT_EQ(credit_round_trip(router, 1), 5u);
  // The source uses a credit in the cycle it comes: sent in I, received in I+2, credit at I+4.
  EXPECT_EQ(injection_round_trip(router, 1), 4u);
}

TEST(LinkBudget, every_delay_counts_once_and_the_wire_twice) {
  RouterSpec router;
  const Cycle base = credit_round_trip(router, 1);
  EXPECT_EQ(credit_round_trip(router, 20), base + 38);
  router.traversal_delay = 3;
  EXPECT_EQ(credit_round_trip(router, 1), base + 2);
  router.switch_alloc_delay = 2;
  EXPECT_EQ(credit_round_trip(router, 1), base + 3);
  router.hop_cycles = 4;
  EXPECT_EQ(credit_round_trip(router, 1), base + 7);
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
  EXPECT_EQ(budgets[1].round_trip, 42u);
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

TEST(LinkBudget, one_node_has_no_links_between_routers) {
  EXPECT_EQ(link_budgets(load_config_text("fabric: {size: [1, 1]}\nworkload: {traffic: {}}\n")).size(), 1u);
}

}  // namespace
}  // namespace weft
