// SPDX-License-Identifier: Apache-2.0
// What is measured of a whole run: the keys of summary.json.
//
// A new quantity is a line in the table of run_quantities.cpp, beside a field of the result and the block that counts
// it. summary.json, the tables of a sweep, the text of a run and the report list the quantities that stand there.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runs/measured_run.h"

namespace weft::runs {

/// How the values of runs that differ only in their seed become one cell of a sweep's table. The columns of a table are
/// in this order, and among equals in that of summary.json.
enum class SeedMerge : std::uint8_t {
  kAll,      ///< true where all runs say so
  kAny,      ///< true where any run says so
  kMean,     ///< with a confidence interval
  kNone,     ///< each run has its own: in runs.csv only
  kNoTable,  ///< the tables of a sweep do not have it
};

/// How a quantity is named, what it says, where it is shown and what it is.
struct RunQuantity {
  std::string key;  ///< in summary.json; a dot goes into an object
  std::string unit;
  std::string words;    ///< its name in sentences
  std::string meaning;  ///< one sentence
  /// Its value; null where it means nothing, discarded where its key is left out.
  std::function<nlohmann::ordered_json(const MeasuredRun&)> value;
  SeedMerge seeds = SeedMerge::kNoTable;
  int drawn = 0;               ///< its place among the figures of sweeps that the report draws; 0 = it draws none
  const char* line = nullptr;  ///< the line of a run's text that lists it; null = a sentence of its own there, or none
};

/// All quantities in the order of summary.json. What has further keys of its own, such as a list, stands there as one.
const std::vector<RunQuantity>& run_quantities();

/// The quantities that the tables of a sweep have, in the order of the columns.
std::vector<const RunQuantity*> swept_quantities();

/// The quantities that the report draws of sweeps, in the order in which it offers them.
std::vector<const RunQuantity*> drawn_quantities();

}  // namespace weft::runs
