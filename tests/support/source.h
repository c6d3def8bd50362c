// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace weft::test {

/// A file or folder of the checkout that the tests were built from; `path` is relative to its root. Only one source
/// knows where that is, so that the others compile to the same in every checkout.
std::string source(std::string_view path);

}  // namespace weft::test
