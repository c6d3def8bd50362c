// SPDX-License-Identifier: Apache-2.0
// Multicast through VCs: which outputs a packet is copied to at each router, one tree per sender.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernel/types.h"

namespace weft {

/// Outputs of one router for the packets of one tree, as bits (1 << port).
struct MulticastBranch {
  NodeId node{};
  std::uint8_t outputs = 0;
};

/// The trees by sender, each along x first, then along y.
struct MulticastPlan {
  std::map<NodeId, std::vector<MulticastBranch>> trees;
  bool empty() const { return trees.empty(); }
};

}  // namespace weft
