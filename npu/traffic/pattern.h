// SPDX-License-Identifier: Apache-2.0
// Destinations of synthetic traffic, chosen by name.
#pragma once

#include <memory>

#include "base/policy.h"
#include "base/random.h"
#include "base/types.h"
#include "config/config.h"

namespace weft::npu {

/// Draws destinations. Stateless; may be shared by threads.
class TrafficPattern {
 public:
  virtual ~TrafficPattern() = default;
  /// Destination of the next packet of `src`; a random pattern takes its numbers from `random`, the stream of `src`.
  virtual NodeId destination(NodeId src, RandomStream& random) const = 0;
};

/// A pattern as the registry lists it.
struct PatternPolicy : Policy {
  std::unique_ptr<TrafficPattern> (*make)(const TrafficWorkload& traffic, int size_x, int size_y) = nullptr;
};

/// All patterns.
const PolicyList<PatternPolicy>& pattern_policies();

/// The pattern that `traffic` names on a grid of size_x by size_y; throws InputError for an unknown name, a grid that
/// the pattern does not fit, or a permutation file that cannot be used (with file and line).
std::unique_ptr<TrafficPattern> make_pattern(const TrafficWorkload& traffic, int size_x, int size_y);

}  // namespace weft::npu
