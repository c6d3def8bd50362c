// SPDX-License-Identifier: Apache-2.0
// Algorithms by name: each makes the program of a collective for one group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/policy.h"
#include "base/types.h"
#include "npu/collective/form/program.h"

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
  /// Logical FRED switches of each level, the lowest first, size_x NPUs below each of those; empty = size_y of them
  /// below one.
  std::vector<std::uint32_t> switch_groups;
  int planes = 1;              ///< of FRED switches: packets that an NPU's port carries side by side
  int colours = 0;             ///< of the fabric's routers; 0 = none: hints of colours are not looked at
  std::uint64_t elements = 0;  ///< per rank and piece, for algorithms that choose by it; 0 = unknown
  Cycle ramp_cycles = 2;       ///< core to router and back, each way
  Cycle hop_cycles = 1;        ///< router to router
};

/// An algorithm: one file each, in the list of registry.cpp.
class Algorithm : public Policy {
 public:
  explicit Algorithm(const Policy& policy) : Policy(policy) {}
  virtual ~Algorithm() = default;
  virtual std::vector<CollectiveKind> kinds() const = 0;
  /// True if its programs have in-fabric flows, which only fabrics with colours can carry.
  virtual bool needs_colours() const { return false; }
  /// True if its programs have flows that only fabrics of FRED switches can carry.
  virtual bool needs_switches() const { return false; }
  /// Makes the program. The request's kind is one of kinds(). InputError where the group does not suit.
  virtual std::unique_ptr<const Program> make(const ProgramRequest& request) const = 0;
};

/// All algorithms that generate programs.
const PolicyList<Algorithm>& algorithms();

/// Whether the algorithm of that name needs colours, or switches; false for unknown names.
bool algorithm_needs_colours(const std::string& algorithm);
bool algorithm_needs_switches(const std::string& algorithm);

/// The program of a collective. InputError names what is known or supported where name, kind or group do not suit.
std::unique_ptr<const Program> make_program(const std::string& algorithm, const ProgramRequest& request);

}  // namespace weft::npu
