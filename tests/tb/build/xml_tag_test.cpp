// SPDX-License-Identifier: Apache-2.0
// Tags of an XML text.
#include "tb/build/xml_tag.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::tb {
namespace {

std::vector<XmlTag> all(const std::string& text) {
  std::vector<XmlTag> tags;
  XmlTags reader(text);
  XmlTag tag;
  while (reader.next(tag)) tags.push_back(tag);
  return tags;
}

TEST(XmlTags, read_names_attributes_and_ends) {
  const auto tags = all("<?xml version=\"1.0\"?><!-- <no> --><a x=\"1\" y=\"two words\">text<b/></a>");
  ASSERT_EQ(tags.size(), 3U);
  EXPECT_EQ(tags[0].name, "a");
  EXPECT_EQ(tags[0].get("x"), "1");
  EXPECT_EQ(tags[0].get("y"), "two words");
  EXPECT_EQ(tags[0].get("z"), "");
  EXPECT_FALSE(tags[0].closes);
  EXPECT_EQ(tags[1].name, "b");
  EXPECT_TRUE(tags[1].empty);
  EXPECT_EQ(tags[2].name, "a");
  EXPECT_TRUE(tags[2].closes);
}

TEST(XmlTags, resolve_character_names) {
  const auto tags = all("<const name=\"32&apos;h4 &lt;&amp;&gt; &quot;\"/>");
  ASSERT_EQ(tags.size(), 1U);
  EXPECT_EQ(tags[0].get("name"), "32'h4 <&> \"");
}

TEST(XmlTags, end_in_a_broken_text) { EXPECT_TRUE(all("<a x=\"1\"").empty()); }

}  // namespace
}  // namespace weft::tb
