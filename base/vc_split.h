// SPDX-License-Identifier: Apache-2.0
// How VCs are divided among classes.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

/// Divides `vcs` VCs from number `first` on into `parts` sets of neighbours, as bits; where the division leaves a
/// rest the first sets get one VC more.
inline std::vector<std::uint32_t> split_vcs(int vcs, int parts, int first = 0) {
  std::vector<std::uint32_t> sets;
  for (int part = 0; part < parts; ++part) {
    const int share = vcs / parts + (part < vcs % parts ? 1 : 0);
    sets.push_back(((1U << share) - 1) << first);
    first += share;
  }
  return sets;
}

}  // namespace weft
