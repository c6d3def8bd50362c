// SPDX-License-Identifier: Apache-2.0
// Collectives that chunk_bytes cuts into fewer chunks run exactly as those with so many chunks by `chunks`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/load.h"
#include "tests/sc_models/support/trace_text.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::sc_models {
namespace {

using Words = std::vector<std::string>;

Config shipped_with(const std::string& name, const Words& sets) {
  Words all;
  for (const std::string& set : sets) all.push_back("workload.collective." + set);
  return load_config(weft::test::source("configs/") + name + ".yaml", all);
}

/// The cycles of a run, 0 if it failed.
std::uint64_t cycles_of_run(const Config& config) {
  const TempDir folder;
  const std::string fault = run_into(folder, config);
  EXPECT_EQ(fault, "");
  return fault.empty() ? cycles(folder) : 0;
}

class ChunkBytes : public testing::TestWithParam<const char*> {};

/// 64 chunks take longer, so that the sameness says something.
TEST_P(ChunkBytes, make_one_chunk_of_a_small_all_reduce) {
  const std::uint64_t one =
      cycles_of_run(shipped_with(GetParam(), {"size=4 KiB", "chunks=1", "chunk_bytes=0 B", "active_chunks=0"}));
  EXPECT_EQ(cycles_of_run(shipped_with(GetParam(), {"size=4 KiB", "chunk_bytes=4 KiB"})), one);
  EXPECT_EQ(cycles_of_run(shipped_with(GetParam(), {"size=4 KiB"})), one) << "as shipped";
  EXPECT_GT(cycles_of_run(shipped_with(GetParam(), {"size=4 KiB", "chunk_bytes=0 B"})), one);
}

/// 80 KiB are three chunks of 27306 or 27307 B, as many as pieces of 32 KiB, fewer than may be in flight. Of ten
/// chunks of 8 KiB three are in flight at once.
TEST_P(ChunkBytes, leave_the_limit_of_chunks_in_flight) {
  const std::uint64_t three =
      cycles_of_run(shipped_with(GetParam(), {"size=80 KiB", "chunks=3", "chunk_bytes=0 B", "active_chunks=0"}));
  EXPECT_EQ(cycles_of_run(shipped_with(GetParam(), {"size=80 KiB", "chunk_bytes=32 KiB", "active_chunks=0"})), three);
  EXPECT_EQ(cycles_of_run(shipped_with(GetParam(), {"size=80 KiB", "chunk_bytes=32 KiB", "active_chunks=32"})), three);
  const std::uint64_t ten =
      cycles_of_run(shipped_with(GetParam(), {"size=80 KiB", "chunks=10", "chunk_bytes=0 B", "active_chunks=3"}));
  EXPECT_NE(ten, three);
  EXPECT_EQ(cycles_of_run(shipped_with(GetParam(), {"size=80 KiB", "chunk_bytes=8 KiB", "active_chunks=3"})), ten);
}

INSTANTIATE_TEST_SUITE_P(Wafers, ChunkBytes, testing::Values("fred-a", "fred-b", "mesh-wafer"), [](const auto& each) {
  std::string name = each.param;
  name.replace(name.find('-'), 1, "_");
  return name;
});

/// The cycles of the first of two all-reduces that 16 ranks do one after the other.
std::uint64_t first_of_two(std::uint64_t first, std::uint64_t second, const std::string& method) {
  const Traces traces(16, [&](TraceText& trace, int) { trace.all_reduce(second, trace.all_reduce(first)); });
  const Config config =
      load_config_text(fmt::format("fabric: {{size: [4, 4], flit_bytes: 32}}\n"
                                   "workload: {{trace: {{chakra: {}, algorithm: hierarchical_2d, {}}}}}\n",
                                   (traces / "t").string(), method));
  const TempDir folder;
  EXPECT_EQ(run_into(folder, config), "");
  const weft::test::CsvTable table(folder / "collectives.csv");
  EXPECT_EQ(table.rows(), 2U);
  return std::stoull(table.at(0, "end_cycle")) - std::stoull(table.at(0, "start_cycle"));
}

/// With 2000 B each 1000 B are one chunk and 8000 B four, in one and the same trace.
TEST(ChunkBytesOfTraces, go_by_the_bytes_of_each_collective) {
  const std::string by_bytes = "chunks: 4, chunk_bytes: 2000 B";
  EXPECT_EQ(first_of_two(1000, 8000, by_bytes), first_of_two(1000, 8000, "chunks: 1"));
  EXPECT_EQ(first_of_two(8000, 1000, by_bytes), first_of_two(8000, 1000, "chunks: 4"));
  EXPECT_NE(first_of_two(1000, 8000, by_bytes), first_of_two(1000, 8000, "chunks: 4"));
  EXPECT_NE(first_of_two(8000, 1000, by_bytes), first_of_two(8000, 1000, "chunks: 1"));
}

}  // namespace
}  // namespace weft::sc_models
