// SPDX-License-Identifier: Apache-2.0
// What the JSON parser says, for people.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace weft {

/// "syntax error while parsing value ..." of "[json.exception.parse_error.101] parse error at line 2, column 1: syntax
/// error while parsing value ...", with the place in front where there is one: without names of the parser's own.
inline std::string json_fault(std::string_view what) {
  if (what.substr(0, 1) == "[") what.remove_prefix(std::min(what.size(), what.find("] ") + 2));
  constexpr std::string_view kStart = "parse error at ";
  if (what.substr(0, kStart.size()) == kStart) what.remove_prefix(kStart.size());
  return std::string(what);
}

}  // namespace weft
