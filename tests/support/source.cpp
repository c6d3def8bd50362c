// SPDX-License-Identifier: Apache-2.0
#include "tests/support/source.h"

namespace weft::test {

std::string source(std::string_view path) { return std::string(WEFT_SOURCE_DIR "/").append(path); }

}  // namespace weft::test
