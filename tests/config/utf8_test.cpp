// SPDX-License-Identifier: Apache-2.0
// Text that is no UTF-8, in a configuration and in the names that come from files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/utf8.h"
#include "config/load.h"

namespace weft {
namespace {

using testing::HasSubstr;

/// What a configuration of this text is refused with.
std::string refusal(const std::string& text, const std::vector<std::string>& sets = {}) {
  try {
    load_config_text(text, "c.yaml", sets, disk_files());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ConfigUtf8, ill_formed_text_of_a_configuration_has_its_place_bad) {
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
TEST(ConfigUtf8, a_name_that_a_file_gives_is_escaped) {
  const Config config = load_config_text("fabric: {size: [2, 1]}\nworkload: {collective: {size: 4 KiB}}\n",
                                         "n\xff.yaml", {}, disk_files());
  EXPECT_EQ(config.name, "n\\xff");
}

}  // namespace
}  // namespace weft
