// SPDX-License-Identifier: Apache-2.0
// The CSV tables of a results directory. Column titles carry the unit; columns are documented in README.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "config/config.h"
#include "runs/names.h"

namespace weft::runs {

/// Writes links.csv, nodes.csv, collectives.csv and latency.csv into `folder`. A table of more than `row_limit` rows
/// is left out, and a sentence about it returned. Throws ResultsNotWritten after it has tried all of them.
std::vector<std::string> write_tables(const std::filesystem::path& folder, const Config& config,
                                      const RunResult& result, std::size_t row_limit);

}  // namespace weft::runs
