// SPDX-License-Identifier: Apache-2.0
// The pages that tests of access control grant.
#pragma once

#include <cstdint>

#include "mem/access/rights.h"

namespace weft::mem::test {

inline constexpr std::uint64_t kPage = 4096;  ///< bytes

/// `count` pages from page `first` on.
inline AddressRange pages(std::uint64_t first, std::uint64_t count) { return {first * kPage, count * kPage}; }

}  // namespace weft::mem::test
