// SPDX-License-Identifier: Apache-2.0
// Rings of several groups at once over FRED switches that start unicasts greedily.
#include <gtest/gtest.h>

#include "config/load.h"
#include "tests/sc_models/support/trace_text.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::sc_models {
namespace {

using weft::test::CsvTable;

// MP3-DP3-PP2: six groups of three do an all-reduce of 16 MiB at once, and no two members of a group are below one
// switch. An NPU sends and receives 4/3 x 16 MiB = 43,691 flits of 512 bytes over five planes, 8,738 cycles at a flit
// per cycle and plane. A tenth is left for headers, for latency and for the chunks at both ends. Where unicasts of
// several NPUs share an uplink, or two rings that lie alike go round in different orders, some take 12,000 cycles and
// more.
TEST(FredRings, six_rings_at_once_have_the_rate_of_their_ports) {
  const TempDir folder;
  const std::vector<std::string> sets{"workload.collective.parallelism=[3,2,3]", "workload.collective.phase=dp",
                                      "workload.collective.algorithm=ring", "workload.collective.size=16 MiB"};
  ASSERT_EQ(run_into(folder, load_config(weft::test::source("configs/fred-c.yaml"), sets)), "");
  const CsvTable table(folder / "collectives.csv");
  ASSERT_EQ(table.rows(), 6U);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::uint64_t end = std::stoull(table.at(row, "end_cycle"));
    EXPECT_GE(end, 8738U) << table.at(row, "group");
    EXPECT_LE(end, 8738U * 11 / 10) << table.at(row, "group");
  }
}

}  // namespace
}  // namespace weft::sc_models
