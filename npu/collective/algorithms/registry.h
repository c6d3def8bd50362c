// SPDX-License-Identifier: Apache-2.0
// Algorithms by name: each makes the program of a collective for one group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/policy.h"
#include "base/types.h"
#include "config/policies.h"
#include "npu/collective/form/program.h"

namespace weft::npu {

/// What a program is wanted for.
struct ProgramRequest {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::uint32_t ranks = 1;
  std::uint32_t root = 0;     ///< position in the group
  std::vector<NodeId> nodes;  ///< where the group's members are; empty = 0, 1, 2, ...
  int size_x = 0;             ///< columns of the mesh or torus; 0 = unknown (a line of nodes)
  int size_y = 0;
  bool torus = false;
  /// Logical FRED switches of each level, the lowest first, size_x NPUs below each of those; empty = size_y of them
  /// below one.
  std::vector<std::uint32_t> switch_groups;
  int planes = 1;              ///< planes of FRED switches: packets that an NPU's port carries side by side
  int colours = 0;             ///< colours of the fabric's routers; 0 = none: hints of colours are not looked at
  std::uint64_t elements = 0;  ///< per rank and chunk, for algorithms that choose by it; 0 = unknown
  Cycle ramp_cycles = 2;       ///< core to router and back, each way
  Cycle hop_cycles = 1;        ///< router to router
};

/// An algorithm: one file each, in the list of registry.cpp.
class Algorithm : public AlgorithmFacts {
 public:
  explicit Algorithm(const AlgorithmFacts& facts) : AlgorithmFacts(facts) {}
  virtual ~Algorithm() = default;
  virtual std::vector<CollectiveKind> kinds() const = 0;
  /// Makes the program. The request's kind is one of kinds(). InputError where the group does not suit.
  virtual std::unique_ptr<const Program> make(const ProgramRequest& request) const = 0;
};

/// All algorithms that generate programs.
const PolicyList<Algorithm>& algorithms();

/// InputError, with those that do, where an algorithm does no collectives of this kind.
void require_kind(const Algorithm& algorithm, CollectiveKind kind);

/// The program of a collective. InputError names what is known or supported where name, kind or group do not suit.
std::unique_ptr<const Program> make_program(const std::string& algorithm, const ProgramRequest& request);

}  // namespace weft::npu
