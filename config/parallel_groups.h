// SPDX-License-Identifier: Apache-2.0
// The groups of ranks that do the same at the same time in a phase of parallel training.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "config/config.h"

namespace weft {

/// Members in their order, of every group of the workload's phase; empty if the workload names no parallelism. Ranks
/// are numbered MP first, then PP, then DP: (mp, pp, dp) is mp + MP * (pp + PP * dp).
inline std::vector<std::vector<RankId>> groups_of_phase(const CollectiveWorkload& workload) {
  std::vector<std::vector<RankId>> groups;
  if (workload.parallelism.size() != 3) return groups;
  const auto phase = static_cast<std::size_t>(workload.phase);
  std::array<std::uint64_t, 3> size{};
  std::array<std::uint64_t, 3> stride{};
  std::uint64_t ranks = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    size[axis] = workload.parallelism[axis];
    stride[axis] = ranks;
    ranks *= size[axis];
  }
  for (std::uint64_t first = 0; first < ranks; ++first) {
    if (first / stride[phase] % size[phase] != 0) continue;
    groups.emplace_back();
    for (std::uint64_t i = 0; i < size[phase]; ++i) {
      groups.back().push_back(RankId{static_cast<std::uint32_t>(first + i * stride[phase])});
    }
  }
  return groups;
}

}  // namespace weft
