// SPDX-License-Identifier: Apache-2.0
#include "base/name_pattern.h"

#include <cstddef>

namespace weft {

bool matches_pattern(std::string_view pattern, std::string_view name) {
  // Goes back to the last star whenever the text after it does not fit.
  std::size_t in_pattern = 0;
  std::size_t in_name = 0;
  std::size_t after_star = std::string_view::npos;
  std::size_t retry = 0;
  while (in_name < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      after_star = ++in_pattern;
      retry = in_name;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == name[in_name]) {
      ++in_pattern;
      ++in_name;
    } else if (after_star != std::string_view::npos) {
      in_pattern = after_star;
      in_name = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

}  // namespace weft
