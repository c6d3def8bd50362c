// SPDX-License-Identifier: Apache-2.0
// Small helpers for texts that people read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::npu {

/// The text itself, or its first `longest` bytes and "..."; never cuts inside of a UTF-8 character.
std::string shorten(std::string_view text, std::size_t longest);

/// "1048576 B (1 MiB)": exact, with a rounded form where that is shorter to grasp.
std::string bytes_text(std::uint64_t bytes);

}  // namespace weft::npu
