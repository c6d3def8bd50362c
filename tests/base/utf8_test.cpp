// SPDX-License-Identifier: Apache-2.0
// Well-formed and ill-formed UTF-8; the byte sequences are those of table 3-7 of the Unicode standard and its borders.
#include "base/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/load.h"

namespace weft {
namespace {

using testing::HasSubstr;

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

/// What a configuration of this text is refused with.
std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    load_config_text(text, "c.yaml", sets, disk_files());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Utf8, ill_formed_text_of_a_configuration_has_its_place_bad) {
  const std::string rest = "fabric: {size: [2, 1]}\nworkload: {collective: {size: 4 KiB}}\n";
  EXPECT_EQ(refusal(rest), "");
  EXPECT_THAT(refusal(rest + "name: \"a\xed\xa0\x80"
                             "b\"\n"),
              HasSubstr("c.yaml:3:7: 'a\\xed\\xa0\\x80b' is not UTF-8 text: the byte 0xed belongs to no character"));
  EXPECT_THAT(refusal(rest + "na\xffme: x\n"), HasSubstr("c.yaml:3:1: 'na\\xffme' is not UTF-8 text"));
  EXPECT_THAT(refusal(rest, {"name=a\xff"}), HasSubstr("'a\\xff' is not UTF-8 text"));
  EXPECT_EQ(refusal(rest + "name: caf\xc3\xa9\n"), "");
}

// The name of a file may hold any bytes.
TEST(Utf8, a_name_that_a_file_gives_is_escaped) {
  const Config config = load_config_text("fabric: {size: [2, 1]}\nworkload: {collective: {size: 4 KiB}}\n",
                                         "n\xff.yaml", {}, disk_files());
  EXPECT_EQ(config.name, "n\\xff");
}

}  // namespace
}  // namespace weft
