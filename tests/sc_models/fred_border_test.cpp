// SPDX-License-Identifier: Apache-2.0
// More than one wafer: border links between the upper switches of wafers, and a third level that reduces over them.
#include <gtest/gtest.h>

#include <string>

#include "config/load.h"
#include "runs/run.h"
#include "tests/support/source.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

/// Each wafer sends its sum of 4 MiB over its border and gets that of all: 8192 flits each way over 4 uplinks in 5
/// planes of 1/8 flit per cycle, and 6 B of header per packet of 4096 B.
TEST(FredBorder, a_wafer_wide_sum_crosses_once_over_all_border_links) {
  const Config config = load_config(
      weft::test::source("configs/fred-d-two-wafers.yaml"),
      {"workload.collective.size=4MiB", "workload.collective.chunks=4", "workload.collective.active_chunks=4"});
  RunControl control;
  const RunResult result = run(config, control);
  ASSERT_TRUE(result.finished) << result.stop_text;
  std::uint64_t total[2] = {};
  int links = 0;
  for (std::size_t i = 0; i < result.links.size(); ++i) {
    const LinkRecord link = result.links.at(i);
    const bool up = link.name.rfind("fabric.l2[", 0) == 0 && link.to.rfind("l3[0]", 0) == 0;
    if (!up) continue;
    ++links;
    total[link.name[10] - '0'] += link.flits;
    EXPECT_NEAR(static_cast<double>(link.flits), 8192.0 / 20, 0.1 * 8192 / 20) << link.name;
  }
  EXPECT_EQ(links, 40);
  EXPECT_EQ(total[0], 8192U);
  EXPECT_EQ(total[1], 8192U);
  const double bound = 8192.0 / 20 * 8 * 4102 / 4096;
  EXPECT_GT(static_cast<double>(result.cycles), bound);
  // And the way of one packet: 3 levels up and down, with 24 + 118 + 24 cycles of wire each way, and a full packet at
  // 1/8 flit per cycle twice.
  EXPECT_LT(static_cast<double>(result.cycles), bound * 1.05 + 2 * (24 + 24 + 118) + 2 * 64 + 2 * 3 * 8);
}

}  // namespace
}  // namespace weft::sc_models
