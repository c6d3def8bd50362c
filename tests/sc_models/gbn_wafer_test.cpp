// SPDX-License-Identifier: Apache-2.0
// Whole runs over FRED links with errors: the collective's data is right, and the results say what it took.
#include <gtest/gtest.h>

#include "config/load.h"
#include "runs/run.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

/// An all-reduce with data, by a ring over two planes and two levels.
RunResult run_with(const std::vector<std::string>& sets) {
  const Config config = load_config_text(
      "fabric: {kind: fred, levels: [{groups: 2, planes: 2, uplinks: 2, latency: 5}, {groups: 1}]}\n"
      "npu: {count: 6, packet_bytes: 256}\n"
      "workload: {collective: {kind: all_reduce, algorithm: ring, size: 24 KiB, data: values}}\n",
      "gbn.yaml", sets);
  RunControl control;
  return run(config, control);
}

TEST(GbnWafer, credit_links_have_no_counts) { EXPECT_FALSE(run_with({}).link_layer.has_value()); }

// Reduce-scatter and all-gather: 6 ranks x 10 steps x 4 KiB are 960 packets. Each takes 2 links, and 4 between the
// groups: that is ranks 2 and 5 of each six.
TEST(GbnWafer, without_errors_each_packet_goes_once_over_each_link) {
  const RunResult result = run_with({"fabric.link_layer=gbn"});
  ASSERT_TRUE(result.finished) << result.stop_text;
  EXPECT_EQ(result.verified_collectives, 1u);
  ASSERT_TRUE(result.link_layer.has_value());
  EXPECT_EQ(result.packets, 960u);
  EXPECT_EQ(result.link_layer->packets, 640u * 2 + 320 * 4);
  EXPECT_EQ(result.link_layer->resent, 0u);
  EXPECT_EQ(result.link_layer->discarded, 0u);
  EXPECT_EQ(result.link_layer->nacks, 0u);
  EXPECT_EQ(result.link_layer->timeouts, 0u);
  EXPECT_GT(result.link_layer->acks, 2560u / 16);
}

TEST(GbnWafer, with_errors_the_data_is_right_all_the_same) {
  const RunResult result =
      run_with({"fabric.link_layer=gbn", "fabric.bit_error_rate=1e-4", "fabric.drop_rate=0.02", "seed=3"});
  ASSERT_TRUE(result.finished) << result.stop_text;
  EXPECT_EQ(result.verified_collectives, 1u);
  EXPECT_EQ(result.packets, 960u);
  EXPECT_EQ(result.link_layer->packets, 640u * 2 + 320 * 4);
  EXPECT_GT(result.link_layer->resent, 500u);
}

// Nothing ever arrives: the watchdog says which links wait.
TEST(GbnWafer, links_that_carry_nothing_are_named) {
  const RunResult result = run_with({"fabric.link_layer=gbn", "fabric.drop_rate=1", "limits.watchdog_cycles=5000"});
  EXPECT_EQ(result.stop, StopReason::kViolation);
  EXPECT_NE(result.stop_text.find("link into port 0 of l1[0].plane[0]: "), std::string::npos) << result.stop_text;
}

}  // namespace
}  // namespace weft::sc_models
