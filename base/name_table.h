// SPDX-License-Identifier: Apache-2.0
// Names of the values of an enumeration.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/// Names of an enumeration in the order of the documentation.
template <typename Enum>
using NameTable = std::vector<std::pair<std::string_view, Enum>>;

/// The name of `value`, or "?".
template <typename Enum>
std::string_view lookup(const NameTable<Enum>& table, Enum value) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.second == value; });
  return at == table.end() ? std::string_view("?") : at->first;
}

}  // namespace weft
