// SPDX-License-Identifier: Apache-2.0
// What a run will cost, before it is started. Packets and hops are counted with the run's own programs and routes; what
// they cost was measured. The formulas are printed with the numbers.
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "runs/estimate/cpu_estimate.h"
#include "runs/estimate/memory_estimate.h"
#include "runs/estimate/sent_volume.h"
#include "sc_models/fabric_sketch.h"

namespace weft::runs {

/// What a trace does, as far as the one who can read it says.
struct TraceVolume {
  SentVolume sent;
  double compute_seconds = 0;  ///< seconds for which the busiest rank computes
  double dram_bursts = 0;      ///< bursts of the NPUs' own DRAM, all together
  HeldData held;               ///< engines: of the collectives that need most, one of each rank
};

struct RunEstimate {
  std::optional<SentVolume> sent;  ///< nullopt: not known before the trace is read
  std::optional<double> cycles;    ///< simulated; of a collective or trace the least that its data need
  CpuEstimate cpu;                 ///< where `sent` is known
  double dram_bursts = 0;          ///< bursts of the NPUs' own DRAM, all together
  std::string formula;             ///< how the flits of `sent` came about
  MemoryEstimate memory;
};

/// `trace`: what a trace that was read does. Throws InputError for what cannot be built or carried.
RunEstimate estimate_run(const Config& config, sc_models::FabricSketch& sketch,
                         const std::optional<TraceVolume>& trace = std::nullopt);

}  // namespace weft::runs
