// SPDX-License-Identifier: Apache-2.0
// Reads whole numbers of text files.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

/// Reads decimal digits. False, with `number` unchanged, if `text` is not that as a whole or needs more than 64 bits.
bool parse_whole(std::string_view text, std::uint64_t& number);

}  // namespace weft
