// SPDX-License-Identifier: Apache-2.0
// The commit that this program was built from. cmake/build_commit.cmake writes the source file.
#pragma once

#include <string_view>

namespace weft::runs {

/// The first twelve digits of the commit's hash, with "-dirty" behind them where tracked files were changed; "unknown"
/// where the sources were no checkout.
std::string_view build_commit();

}  // namespace weft::runs
