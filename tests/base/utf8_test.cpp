// SPDX-License-Identifier: Apache-2.0
// Well-formed and ill-formed UTF-8; the byte sequences are those of table 3-7 of the Unicode standard and its borders.
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Utf8, characters_of_all_lengths_are_well_formed) {
  for (const char* text : {"", "plain", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "caf\xc3\xa9"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
    EXPECT_EQ(escaped_utf8(text), text);
  }
}

TEST(Utf8, bytes_that_belong_to_no_character_are_found_bad) {
  const std::pair<const char*, std::size_t> cases[] = {{"a\xff", 1},
                                                       {"\x80", 0},
                                                       {"ab\xc1\xbf", 2},
                                                       {"\xc3", 0},
                                                       {"\xe0\x9f\xbf", 0},
                                                       {"a\xed\xa0\x80", 1},
                                                       {"\xe1\x80", 0},
                                                       {"\xe1\x80q", 0},
                                                       {"\xf0\x8f\xbf\xbf", 0},
                                                       {"\xf4\x90\x80\x80", 0},
                                                       {"\xf5\x80\x80\x80", 0}};
  for (const auto& [text, place] : cases) EXPECT_EQ(ill_formed_utf8(text), place) << text;
}

TEST(Utf8, only_bytes_of_no_character_are_escaped) {
  EXPECT_EQ(escaped_utf8("n\xff\xc3\xa9\xed"), "n\\xff\xc3\xa9\\xed");
}

}  // namespace
}  // namespace weft
