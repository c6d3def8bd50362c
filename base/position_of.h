// SPDX-License-Identifier: Apache-2.0
// Where something stands in a list that is mostly in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/types.h"

namespace weft {

/// Position of `id` in `list`; nullopt if it is not there. Fast where the list is 0, 1, 2, ... or ascending, as groups
/// and placements mostly are: runs with a million ranks ask this once per rank.
template <typename Id>
std::optional<std::size_t> position_of(const std::vector<Id>& list, Id id) {
  if (index(id) < list.size() && list[index(id)] == id) return index(id);
  const auto ascending = std::lower_bound(list.begin(), list.end(), id);
  if (ascending != list.end() && *ascending == id) return static_cast<std::size_t>(ascending - list.begin());
  const auto found = std::find(list.begin(), list.end(), id);
  if (found == list.end()) return std::nullopt;
  return static_cast<std::size_t>(found - list.begin());
}

}  // namespace weft
