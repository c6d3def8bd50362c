// SPDX-License-Identifier: Apache-2.0
// The parameters of a block and the widths that follow from them.
#pragma once

#include <map>
#include <string>

namespace weft::tb {

/// Values by name: parameters of the RTL, of its generator, and what follows from them.
using Shape = std::map<std::string, long long>;

/// The value of a sum of products over a shape: "NumIn * (SideBits + 1)". Throws InputError for an unknown name or a
/// text that is none.
long long evaluate(const std::string& expression, const Shape& shape);

/// "Lanes=4 Skid=0"
std::string text_of(const Shape& shape);

}  // namespace weft::tb
