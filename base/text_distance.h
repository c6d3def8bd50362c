// SPDX-License-Identifier: Apache-2.0
// Text helpers of error messages: the nearest known name, and quoting of what a user wrote.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`; case counts.
std::size_t edit_distance(std::string_view a, std::string_view b);
/// The known name nearest to `name`, or "" when none is near enough to be meant.
std::string_view nearest_name(std::string_view name, const std::vector<std::string_view>& known);
/// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);
/// 'text' in quotes, control characters escaped, cut after 80 characters.
std::string in_quotes(std::string_view text);

}  // namespace weft
