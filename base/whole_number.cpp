// SPDX-License-Identifier: Apache-2.0
#include "base/whole_number.h"

#include <charconv>
#include <system_error>

namespace weft {

bool parse_whole(std::string_view text, std::uint64_t& number) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return false;
  number = value;
  return true;
}

}  // namespace weft
