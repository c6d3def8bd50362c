// SPDX-License-Identifier: Apache-2.0
// Runs whose waves are compared with their tables.
#pragma once

#include "config/config.h"
#include "runs/run.h"

namespace weft::sc_models::test {

/// A mesh of 4x3 with uniform traffic.
inline Config traffic_config() {
  Config config;
  config.seed = 7;
  config.fabric.size_x = 4;
  config.fabric.size_y = 3;
  TrafficWorkload traffic;
  traffic.rate = 0.3;
  traffic.packet_flits = 3;
  traffic.warmup_cycles = 100;
  traffic.measure_cycles = 500;
  config.workload = traffic;
  return config;
}

/// Runs it, nothing shown.
inline RunResult run_as_set(const Config& config) {
  runs::RunControl control;
  return runs::run(config, control);
}

}  // namespace weft::sc_models::test
