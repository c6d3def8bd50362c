// SPDX-License-Identifier: Apache-2.0
// Parts of the text of run_report.h.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "runs/measured_run.h"

namespace weft::runs {

/// Prints a line of the report: what it is about, and the value.
void line(std::ostream& out, const char* what, const std::string& value);
/// "12.34%", or "-" where there is nothing to take a share of.
std::string percent(const std::optional<double>& share);

/// Prints what I/O streams, I/O controllers, the pool and the NPUs' DRAM have carried; nothing where there are none.
void print_memory(const MeasuredRun& run, std::ostream& out);
/// Prints the busiest links, and why links stood still.
void print_links(const RunResult& result, std::ostream& out);

}  // namespace weft::runs
