// SPDX-License-Identifier: Apache-2.0
// The CPU time of a run, added up from counts and costs that were measured (cost_table.h).
#pragma once

#include <string>

#include "config/config.h"
#include "runs/estimate/sent_volume.h"
#include "sc_models/fabric_sketch.h"

namespace weft::runs {

struct CpuEstimate {
  double seconds = 0;
  std::string formula;  ///< how `seconds` came about
};

/// `value_bytes`: inputs and results, in values mode; `cycles`: at least simulated; `memory_bytes`: memory of the run.
CpuEstimate estimate_cpu(const Config& config, const sc_models::FabricSketch& sketch, const SentVolume& sent,
                         double value_bytes, double dram_bursts, double cycles, double memory_bytes);

}  // namespace weft::runs
