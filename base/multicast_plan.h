// SPDX-License-Identifier: Apache-2.0
// Multicast through VCs: which outputs a packet is copied to at each router, one tree per sender.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/types.h"

namespace weft {

/// Outputs of one router for the packets of one tree, as bits (1 << port).
struct MulticastBranch {
  NodeId node{};
  std::uint8_t outputs = 0;
};

/// How many outputs of routers a packet leaves that follows `tree`.
inline std::uint32_t outputs_of(const std::vector<MulticastBranch>& tree) {
  std::uint32_t outputs = 0;
  for (const MulticastBranch& branch : tree) outputs += static_cast<std::uint32_t>(__builtin_popcount(branch.outputs));
  return outputs;
}

/// The packets of one sender in one message class follow one tree.
struct TreeName {
  NodeId sender{};
  std::uint8_t message_class = 0;
  TreeName(NodeId from, std::uint8_t messages = 0) : sender(from), message_class(messages) {}
  friend bool operator<(const TreeName& a, const TreeName& b) {
    return a.sender != b.sender ? a.sender < b.sender : a.message_class < b.message_class;
  }
};

/// Trees that go along x first, then along y, or the other way round; all trees of a message class the same way.
struct MulticastPlan {
  std::map<TreeName, std::vector<MulticastBranch>> trees;
  bool empty() const { return trees.empty(); }
};

}  // namespace weft
