// SPDX-License-Identifier: Apache-2.0
// What a trace will send and compute, for the estimate of `weft check`.
#pragma once

#include "config/config.h"
#include "npu/player/workload_check.h"
#include "runs/estimate/run_estimate.h"

namespace weft::cli {

/// Reads all files of the trace of `config` once and adds up what its collectives, sends, loads and stores put on the
/// fabric, and the recorded durations of the busiest rank. Throws InputError for files that cannot be read and, with a
/// line for each, for nodes that cannot be played. `visit`, if any, is given each node, too.
runs::TraceVolume trace_volume(const Config& config, sc_models::FabricSketch& sketch,
                               const npu::NodeVisitor& visit = {});

}  // namespace weft::cli
