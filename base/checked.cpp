// SPDX-License-Identifier: Apache-2.0
#include "base/checked.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft {

void refuse_overflow(const std::string& what, std::uint64_t a, const char* sign, std::uint64_t b) {
  throw InputError(fmt::format("{}: {} {} {} needs more than 64 bits", what, a, sign, b));
}

}  // namespace weft
