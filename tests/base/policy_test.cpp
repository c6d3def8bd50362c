// SPDX-License-Identifier: Apache-2.0
#include "base/policy.h"

#include <gmock/gmock.h>

namespace weft {
namespace {

using testing::ElementsAre;

struct Shape : Policy {
  int corners = 0;
};

const Shape kSquare{{"square", "as long as it is wide"}, 4};
const Shape kCircle{{"circle", "round"}, 0};

const PolicyList<Shape>& shapes() {
  static const PolicyList<Shape> list("no shape", {&kSquare, &kCircle});
  return list;
}

TEST(PolicyList, finds_by_name_and_keeps_its_order) {
  EXPECT_THAT(shapes().names(), ElementsAre("square", "circle"));
  EXPECT_EQ(&shapes().at("circle"), &kCircle);
  EXPECT_EQ(shapes().find("circle"), &kCircle);
  EXPECT_EQ(shapes().find("Circle"), nullptr);
  EXPECT_EQ(shapes().find(""), nullptr);
}

TEST(PolicyList, gives_what_policies_say_of_themselves) {
  const std::vector<Policy> facts = shapes().facts();
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].name, "square");
  EXPECT_EQ(facts[1].description, "round");
  EXPECT_EQ(shapes().facts<Shape>()[0].corners, 4);
}

TEST(PolicyList, an_unknown_name_bad) {
  const auto message = [](const char* name) {
    try {
      shapes().at(name);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("was accepted");
  };
  EXPECT_EQ(message("sqare"), "no shape 'sqare'; known: square, circle; did you mean 'square'?");
  EXPECT_EQ(message("dodecahedron"), "no shape 'dodecahedron'; known: square, circle");
}

}  // namespace
}  // namespace weft
