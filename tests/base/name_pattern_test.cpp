// SPDX-License-Identifier: Apache-2.0
// Patterns of names, by hand.
#include "base/name_pattern.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(NamePattern, a_star_stands_for_any_text) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("w*", "w"));
  EXPECT_TRUE(matches_pattern("*grad*", "layer 3 grad out"));
  EXPECT_TRUE(matches_pattern("a*b*c", "axbxbyc"));
  EXPECT_FALSE(matches_pattern("a*b*c", "axbxby"));
  EXPECT_FALSE(matches_pattern("w", "w1"));
  EXPECT_FALSE(matches_pattern("w1", "w"));
  EXPECT_TRUE(matches_pattern("a.b", "a.b"));
  EXPECT_FALSE(matches_pattern("a.b", "a.bc"));
  EXPECT_TRUE(matches_pattern("a.*", "a.bc"));
  EXPECT_TRUE(matches_pattern("*.b", "x.y.b"));
  EXPECT_FALSE(matches_pattern("*.b", "x.bb"));
  EXPECT_TRUE(matches_pattern("a*c*", "abcd"));
  EXPECT_FALSE(matches_pattern("a*c*", "abd"));
}

}  // namespace
}  // namespace weft
