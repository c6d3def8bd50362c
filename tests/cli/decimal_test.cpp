// SPDX-License-Identifier: Apache-2.0
// Decimal: exact where doubles are not.
#include "cli/decimal.h"

#include <gtest/gtest.h>
// rapidcheck needs gtest first.
#include <rapidcheck/gtest.h>

#include "base/error.h"

namespace weft::cli {
namespace {

std::string round_trip(const char* text) {
  const auto decimal = Decimal::parse(text);
  return decimal ? decimal->text() : "none";
}

TEST(Decimal, reads_and_prints_plain_numbers) {
  EXPECT_EQ(round_trip("12"), "12");
  EXPECT_EQ(round_trip("0.30"), "0.3");
  EXPECT_EQ(round_trip(".5"), "0.5");
  EXPECT_EQ(round_trip("-0.001"), "-0.001");
  EXPECT_EQ(round_trip("1e-3"), "0.001");
  EXPECT_EQ(round_trip("1.5E3"), "1500");
  EXPECT_EQ(round_trip("+7"), "7");
  EXPECT_EQ(round_trip("-0.0"), "0");
}

TEST(Decimal, refuses_other_text_bad) {
  for (const char* text : {"", ".", "-", "1.2.3", "0x10", "1e", "1e+", "abc", "1 ", "1e99999"}) {
    EXPECT_EQ(round_trip(text), "none") << text;
  }
}

TEST(Decimal, sums_without_binary_noise) {
  EXPECT_EQ((*Decimal::parse("0.1") + *Decimal::parse("0.2")).text(), "0.3");
  EXPECT_EQ((*Decimal::parse("0.95") + *Decimal::parse("0.05")).text(), "1");
  EXPECT_EQ((*Decimal::parse("1.5") * *Decimal::parse("0.02")).text(), "0.03");
}

TEST(Decimal, too_many_digits_bad) {
  EXPECT_THROW(Decimal::parse("12345678901234567890"), InputError);
  EXPECT_THROW(*Decimal::parse("1e18") * *Decimal::parse("1e18"), InputError);
  EXPECT_THROW(*Decimal::parse("9e18") + *Decimal::parse("9e18"), InputError);
  EXPECT_THROW(Decimal::parse("1e-19"), InputError);
}

RC_GTEST_PROP(Decimal, agrees_with_whole_numbers, ()) {
  // Thousandths as whole numbers are the independent reference.
  const auto a = *rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000);
  const auto b = *rc::gen::inRange<std::int64_t>(-1'000'000, 1'000'000);
  const Decimal x(a, 3), y(b, 3);
  RC_ASSERT(x + y == Decimal(a + b, 3));
  RC_ASSERT(x * y == Decimal(a * b, 6));
  RC_ASSERT((x < y) == (a < b));
  RC_ASSERT(*Decimal::parse(x.text()) == x);
}

}  // namespace
}  // namespace weft::cli
