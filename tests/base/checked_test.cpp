// SPDX-License-Identifier: Apache-2.0
// Sums and products at the border of 64 bits.
#include "base/checked.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace weft {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

TEST(Checked, what_fits_is_exact) {
  EXPECT_EQ(checked_add(kMost - 5, 5, "a"), kMost);
  EXPECT_EQ(checked_multiply(kMost / 5, 5, "a"), kMost);  // 2^64 - 1 is a multiple of 5
  EXPECT_EQ(checked_multiply(0, kMost, "a"), 0U);
  EXPECT_EQ(divided_up(kMost, 2), std::uint64_t{1} << 63);
  EXPECT_EQ(divided_up(kMost, kMost), 1U);
  EXPECT_EQ(divided_up(0, 7), 0U);
}

TEST(Checked, what_does_not_fit_is_named_bad) {
  EXPECT_THROW(checked_multiply(kMost / 5 + 1, 5, "bytes"), InputError);
  try {
    checked_add(kMost, 1, "sum of sizes");
    FAIL() << "2^64 does not fit";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "sum of sizes: 18446744073709551615 + 1 needs more than 64 bits");
  }
}

}  // namespace
}  // namespace weft
