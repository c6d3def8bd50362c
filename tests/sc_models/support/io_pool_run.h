// SPDX-License-Identifier: Apache-2.0
// Runs of wafers with a pool behind their I/O controllers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/load.h"
#include "tests/mem/support/pool_text.h"
#include "tests/sc_models/support/trace_text.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::sc_models {

using mem::PoolText;
using weft::test::CsvTable;
using Words = std::vector<std::string>;

inline const Words kMesh{"fabric.router.multicast=true", "fabric.router.vcs=4", "npu.injection_vcs=any",
                         "npu.message_classes=2", "npu.message_order=round_robin"};

/// At 1 GHz 3 TB/s are six planes of 512 B per cycle and less.
inline const Words kSixPlanes{"fabric.levels[0].planes=6"};

inline Config config_of(const std::string& name, const Traces& trace, Words more) {
  const Words& own = name == "mesh-wafer" ? kMesh : kSixPlanes;
  more.insert(more.begin(), own.begin(), own.end());
  more.insert(more.begin(), {"clock=1 GHz", "memory.tensors=io", "workload.trace.chakra=" + (trace / "t").string()});
  return load_config(weft::test::source("configs/") + name + ".yaml", more);
}

/// Cycles of a run with a pool; 0 if it fails.
inline std::uint64_t with_pool(const std::string& name, const Traces& trace, const PoolText& pool, Words more = {}) {
  const TempDir folder;
  more.push_back(pool.in(folder.path()));
  const std::string error = run_into(folder, config_of(name, trace, more));
  EXPECT_EQ(error, "") << name;
  return error.empty() ? cycles(folder) : 0;
}

inline std::uint64_t without_pool(const std::string& name, const Traces& trace, Words more = {}) {
  const TempDir folder;
  EXPECT_EQ(run_into(folder, config_of(name, trace, std::move(more))), "") << name;
  return cycles(folder);
}

/// Rank 0 alone does something.
template <typename Make>
Traces of_one(const Make& make) {
  return {20, [&make](TraceText& text, int rank) {
            if (rank == 0) {
              make(text);
            } else {
              text.compute(0);
            }
          }};
}

inline std::uint64_t sum(const TempDir& folder, const std::string& memory, const std::string& column) {
  const CsvTable table(folder / "memory.csv");
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.at(i, "memory") == memory) all += std::stoull(table.at(i, column));
  }
  return all;
}

// A cycle to the pool, 2 x (10 + 20 + 30) on links, 100 in the module, 64 bytes of 1024 per cycle, a cycle back.
inline constexpr std::uint64_t kAdapterCycles = 2;
inline constexpr std::uint64_t kPath = 120;
inline constexpr std::uint64_t kModule = 100;

inline std::string refused_of(const TempDir& folder) {
  return std::filesystem::exists(folder / "refused.csv") ? read_text(folder / "refused.csv") : "";
}

}  // namespace weft::sc_models
