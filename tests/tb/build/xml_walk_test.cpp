// SPDX-License-Identifier: Apache-2.0
// The elements of an XML text.
#include "tb/build/xml_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/error.h"

namespace weft::tb {
namespace {

using testing::ElementsAre;

struct Told final : XmlVisitor {
  std::vector<std::string> words;
  void enter(const XmlTag& tag) override {
    if (tag.name == "stop") throw std::out_of_range("stopped");
    words.push_back("<" + tag.name + " " + tag.get("x"));
  }
  void leave(const std::string& name) override { words.push_back(">" + name); }
};

std::vector<std::string> told(const std::string& text) {
  Told visitor;
  walk_xml(text, "a.xml", visitor);
  return visitor.words;
}

TEST(XmlWalk, tells_begins_and_ends_with_attributes) {
  EXPECT_THAT(told("<?xml version=\"1.0\"?><!-- <no> --><a x=\"two words\">text<b/></a>"),
              ElementsAre("<a two words", "<b ", ">b", ">a"));
}

TEST(XmlWalk, resolves_character_names) {
  EXPECT_THAT(told("<a x=\"32&apos;h4 &lt;&amp;&gt; &quot;\"/>"), ElementsAre("<a 32'h4 <&> \"", ">a"));
}

TEST(XmlWalk, a_broken_text_is_refused_with_its_line_bad) {
  try {
    told("<a>\n<b x=\"1\"");
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a.xml, line 2: unclosed token");
  }
}

TEST(XmlWalk, what_the_visitor_throws_passes_through) { EXPECT_THROW(told("<a><stop/><b/></a>"), std::out_of_range); }

}  // namespace
}  // namespace weft::tb
