// SPDX-License-Identifier: Apache-2.0
// What a person reads at the end of a run.
#pragma once

#include <ostream>
#include <string>

#include "config/config.h"
#include "runs/names.h"

namespace weft::runs {

/// Prints what ran, how long it took, latencies, collectives with their bandwidths, ranks with their exposed
/// communication, and the busiest links. Long lists are cut, and the cut is said.
void print_report(const Config& config, const RunResult& result, std::ostream& out);

/// One line: fabric and workload, for example "5 x 4 mesh, xy; traffic uniform at 0.1 flits/node/cycle".
std::string describe_run(const Config& config);

}  // namespace weft::runs
