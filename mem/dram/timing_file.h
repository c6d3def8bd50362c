// SPDX-License-Identifier: Apache-2.0
// Timing files: YAML with every time in ns (or another unit of time) or in cycles.
#pragma once

#include <string>
#include <vector>

#include "mem/dram/timing.h"

namespace weft::mem {

/// Names of the timings that are part of the program (the files of configs/memory).
std::vector<std::string> timing_names();
/// The timing of that name. Throws InputError with the known names and the nearest one.
DramTiming named_timing(const std::string& name);
/// Reads a timing from YAML text; `source` stands in messages. Times are rounded up to whole cycles. All errors of the
/// text are thrown at once as one InputError with file, line, column: unknown and missing keys, wrong units, numbers
/// out of range, times that contradict each other.
DramTiming read_timing(const std::string& text, const std::string& source);
/// The file at `path`. Throws InputError when it cannot be read.
DramTiming read_timing_file(const std::string& path);

}  // namespace weft::mem
