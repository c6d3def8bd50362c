// SPDX-License-Identifier: Apache-2.0
// Numbers with their nouns, for people.
#pragma once

#include <fmt/format.h>

#include <string>

namespace weft {

/// "1 flit", "3/2 flits", "0 flits": `count` as text, and `what` in its plural unless that text is 1.
template <typename Count>
std::string counted(const Count& count, const char* what) {
  const std::string text = fmt::format("{}", count);
  return fmt::format("{} {}{}", text, what, text == "1" ? "" : "s");
}

}  // namespace weft
