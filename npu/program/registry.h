// SPDX-License-Identifier: Apache-2.0
// Algorithms by name: each makes the program of a collective for one group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernel/types.h"
#include "npu/program/program.h"

namespace weft::npu {

/// What a program is wanted for.
struct ProgramRequest {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;     ///< position in the group
  std::vector<NodeId> nodes;  ///< where the group's members are; empty = 0, 1, 2, ...
  int size_x = 0;             ///< of the mesh or torus; 0 = unknown (a line of nodes)
  int size_y = 0;
  bool torus = false;
};

/// An algorithm: one file each, in the list of registry.cpp.
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual std::string name() const = 0;
  virtual std::vector<CollectiveKind> kinds() const = 0;
  /// Makes the program. The request's kind is one of kinds(). InputError where the group does not suit.
  virtual std::unique_ptr<const Program> make(const ProgramRequest& request) const = 0;
};

const Algorithm& ring_algorithm();
const Algorithm& direct_algorithm();
const Algorithm& halving_doubling_algorithm();
const Algorithm& double_binary_tree_algorithm();
const Algorithm& hierarchical_2d_algorithm();

/// All algorithms that generate programs.
const std::vector<const Algorithm*>& algorithms();

/// The program of a collective. InputError names what is known or supported where name, kind or group do not suit.
std::unique_ptr<const Program> make_program(const std::string& algorithm, const ProgramRequest& request);

}  // namespace weft::npu
