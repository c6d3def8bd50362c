// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace weft {

void violation(const std::string& sentence) { throw ViolationError(sentence); }

}  // namespace weft
