// SPDX-License-Identifier: Apache-2.0
// Traffic classes follow the training phase of a trace's groups. Each run is a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "config/load.h"
#include "tests/sc_models/support/trace_text.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::sc_models {
namespace {

using weft::test::CsvTable;

/// Times of the all-reduces of groups 1, below a switch, and 2, across switches, which NPU 0 does at the same time.
std::vector<double> times(const std::string& wafer, const std::string& algorithm, const std::string& phases) {
  const Traces trace(20, [](TraceText& text, int rank) {
    if (rank == 0 || rank == 1) text.all_reduce(6 << 20, -1, "1");
    if (rank == 0 || rank == 4) text.all_reduce(6 << 20, -1, "2");
  });
  std::ofstream(trace / "groups.json") << R"({"1": [0, 1], "2": [0, 4]})";
  std::ofstream(trace / "phases.json") << phases;
  const std::vector<std::string> sets{
      "workload.trace.chakra=" + (trace / "t").string(), "workload.trace.groups=" + (trace / "groups.json").string(),
      "workload.trace.phases=" + (trace / "phases.json").string(), "workload.trace.algorithm=" + algorithm};
  const TempDir folder;
  EXPECT_EQ(run_into(folder, load_config(weft::test::source("configs/") + wafer + ".yaml", sets)), "");
  const CsvTable table(folder / "collectives.csv");
  std::vector<double> result(2);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double cycles = std::stod(table.at(row, "end_cycle")) - std::stod(table.at(row, "start_cycle"));
    result[table.at(row, "group") == "1" ? 0 : 1] = cycles;
  }
  return result;
}

// NPU 0 can send 3 TB/s, for two all-reduces of the same size: the one of the higher class has all of that until it is
// done, and then the other one has, so that this one takes about twice as long.
TEST(FredPhases, the_group_of_mp_goes_first_wherever_its_members_are) {
  const std::vector<double> below = times("fred-d", "in_switch", R"({"mp": ["1"], "dp": ["2"]})");
  EXPECT_LT(below[0], 0.65 * below[1]);
  const std::vector<double> across = times("fred-d", "in_switch", R"({"mp": ["2"], "dp": ["1"]})");
  EXPECT_LT(across[1], 0.65 * across[0]);
}

// A step of a ring waits for the step of the other NPU, and meanwhile packets of the lower class go; still the higher
// class is done first. Without phases messages below a switch have the lowest class.
TEST(FredPhases, so_it_does_where_the_endpoints_reduce) {
  const std::vector<double> below = times("fred-c", "ring", R"({"mp": ["1"], "dp": ["2"]})");
  EXPECT_LT(below[0], below[1]);
  const std::vector<double> across = times("fred-c", "ring", R"({"mp": ["2"], "dp": ["1"]})");
  EXPECT_LT(across[1], across[0]);
}

}  // namespace
}  // namespace weft::sc_models
