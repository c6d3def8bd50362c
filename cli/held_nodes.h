// SPDX-License-Identifier: Apache-2.0
// How much of a trace a run has to hold because of the order of its file.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "npu/trace/id_set.h"
#include "npu/trace/trace_node.h"

namespace weft::cli {

/// Counts the nodes of one rank that have been read while something that they depend on has not: a run holds those.
/// Nodes are taken as done as soon as all that they depend on is, so that what a run holds is this and what is under
/// way. A file in the order of its dependencies has none.
class HeldNodes {
 public:
  /// Takes the next node of the file.
  void add(const npu::TraceNode& node);
  /// The most nodes that were held at once.
  std::uint64_t most() const { return most_; }

 private:
  void finish(std::uint64_t id);

  npu::IdSet done_;
  std::unordered_map<std::uint64_t, std::size_t> missing_;                   ///< by held node: how many it waits for
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> followers_;  ///< by id: held nodes that wait for it
  std::uint64_t most_ = 0;
};

}  // namespace weft::cli
