// SPDX-License-Identifier: Apache-2.0
#include "base/text_distance.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(TextDistance, counts_edits) {
  EXPECT_EQ(edit_distance("size", "size"), 0u);
  EXPECT_EQ(edit_distance("sice", "size"), 1u);   // replace
  EXPECT_EQ(edit_distance("siz", "size"), 1u);    // insert
  EXPECT_EQ(edit_distance("sizes", "size"), 1u);  // delete
  EXPECT_EQ(edit_distance("szie", "size"), 1u);   // swap
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(TextDistance, finds_the_name_that_was_meant) {
  EXPECT_EQ(nearest_name("buffer_flit", {"vcs", "buffer_flits"}), "buffer_flits");
  EXPECT_EQ(nearest_name("TORUS", {"mesh", "torus"}), "torus");
  EXPECT_EQ(nearest_name("banana", {"mesh", "torus"}), "");
  EXPECT_EQ(nearest_name("", {"mesh"}), "");
  EXPECT_EQ(nearest_name(std::string(10000, 'a'), {"mesh"}), "");
}

TEST(TextDistance, quotes_without_control_characters) {
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "'" + std::string(80, 'x') + "...'");
}

}  // namespace
}  // namespace weft
