// SPDX-License-Identifier: Apache-2.0
// The memory of a run, added up from counts and bytes that were measured (cost_table.h).
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "runs/estimate/engine_need.h"
#include "runs/estimate/sent_volume.h"
#include "sc_models/fabric_sketch.h"

namespace weft::runs {

struct MemoryEstimate {
  double bytes = 0;
  std::string formula;  ///< how `bytes` came about
};

/// What a run holds beside its fabric and its log.
struct HeldData {
  EngineNeed engines;
  double trace_nodes = 0;  ///< that stand in the file before what they depend on, all ranks together
  double json_bytes = 0;   ///< bytes of trace files in JSON
};

/// `sent`: none of a trace that nobody has read.
MemoryEstimate estimate_memory(const Config& config, const sc_models::FabricSketch& sketch, const HeldData& held,
                               const std::optional<SentVolume>& sent);

/// Estimates the memory of a run without reading its trace, if it has one, so that `weft run` can say it at once.
MemoryEstimate quick_memory_estimate(const Config& config);

}  // namespace weft::runs
