// SPDX-License-Identifier: Apache-2.0
// Phases of parallel training on one switch, and where its NPUs sit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "switch/routing/flow.h"

namespace weft::fred {

/// Flows of one phase: active at once.
struct Phase {
  std::string name;
  FlowSet flows;
};

/// Degrees of model, pipeline and data parallelism; their product is the number of NPUs.
struct Parallelism {
  int mp = 1;
  int pp = 1;
  int dp = 1;
  int npus() const { return mp * pp * dp; }
};

/// All-reduces of the MP groups, and of the DP groups, where these have two members or more. NPU (mp, pp, dp) sits at
/// port mp + MP * (pp + PP * dp): MP placed first, then PP, then DP.
std::vector<Phase> training_phases(const Parallelism& degrees);

/// The same phases with what was at port p now at port `port_of[p]`; `port_of` is a permutation.
std::vector<Phase> placed(const std::vector<Phase>& phases, const std::vector<PortId>& port_of);

}  // namespace weft::fred
