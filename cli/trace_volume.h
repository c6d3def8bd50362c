// SPDX-License-Identifier: Apache-2.0
// What a trace will send and compute, for the estimate of `weft check`.
#pragma once

#include "config/config.h"
#include "config/run_estimate.h"
#include "npu/player/workload_check.h"

namespace weft::cli {

/// Reads all files of the trace of `config` once and adds up bytes of collectives (by kind and group size) and sends,
/// and the recorded durations of the busiest rank. Throws InputError for files that cannot be read and, with a line for
/// each, for nodes that cannot be played.
/// `visit`, if any, is given each node, too.
TraceVolume trace_volume(const Config& config, const npu::NodeVisitor& visit = {});

}  // namespace weft::cli
