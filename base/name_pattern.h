// SPDX-License-Identifier: Apache-2.0
// Patterns of names.
#pragma once

#include <string_view>

namespace weft {

/// Whether `name` is one that `pattern` means. A star stands for any text, also for none.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace weft
