// SPDX-License-Identifier: Apache-2.0
#include "base/whole_number.h"

#include <gtest/gtest.h>

#include <utility>

namespace weft {
namespace {

TEST(WholeNumber, digits_are_read_up_to_64_bits) {
  for (const auto& [text, expected] :
       {std::pair<const char*, std::uint64_t>{"0", 0}, {"007", 7}, {"18446744073709551615", ~std::uint64_t{0}}}) {
    std::uint64_t number = 1;
    EXPECT_TRUE(parse_whole(text, number)) << text;
    EXPECT_EQ(number, expected) << text;
  }
}

TEST(WholeNumber, other_text_leaves_the_number_alone_bad) {
  for (const char* text : {"", " 1", "1 ", "-1", "+1", "1.0", "0x1", "18446744073709551616"}) {
    std::uint64_t number = 42;
    EXPECT_FALSE(parse_whole(text, number)) << text;
    EXPECT_EQ(number, 42u) << text;
  }
}

}  // namespace
}  // namespace weft
