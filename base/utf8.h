// SPDX-License-Identifier: Apache-2.0
// Whether text is well-formed UTF-8: JSON, the report page and viewers take no other.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/// The index (from 0) of the first byte that belongs to no well-formed character; none where all do.
std::optional<std::size_t> ill_formed_utf8(std::string_view text);
/// True if the text is well-formed UTF-8.
inline bool is_utf8(std::string_view text) { return !ill_formed_utf8(text); }
/// The text with `\xHH` in the place of each byte that belongs to no well-formed character.
std::string escaped_utf8(std::string_view text);

}  // namespace weft
