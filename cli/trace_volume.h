// SPDX-License-Identifier: Apache-2.0
// What a trace will send and compute, for the estimate of `weft check`.
#pragma once

#include <string>

#include "kernel/run_estimate.h"

namespace weft::cli {

/// Reads all files of the trace once and adds up bytes of collectives (by kind and group size) and sends, and the
/// recorded durations of the busiest rank. Throws InputError for files that cannot be read and for unknown groups.
TraceVolume trace_volume(const std::string& prefix, const std::string& groups_file);

}  // namespace weft::cli
