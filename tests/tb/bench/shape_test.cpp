// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/shape.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace weft::tb {
namespace {

TEST(Shape, sums_of_products_have_their_value) {
  const Shape shape = {{"Lanes", 4}, {"P", 12}};
  EXPECT_EQ(evaluate("1", shape), 1);
  EXPECT_EQ(evaluate("Lanes", shape), 4);
  EXPECT_EQ(evaluate("Lanes * 32 + 2", shape), 130);
  EXPECT_EQ(evaluate("2 + Lanes*(P - 2)", shape), 42);
  EXPECT_EQ(evaluate("P*P - 4 - 40", shape), 100);
}

TEST(Shape, refuses_what_is_no_sum_of_products_bad) {
  const Shape shape = {{"Lanes", 4}};
  for (const char* text : {"", "Lanes +", "(Lanes", "Lanes)", "4 4", "Lane", "4 / 2"}) {
    EXPECT_THROW(evaluate(text, shape), InputError) << text;
  }
}

TEST(Shape, is_written_by_name) { EXPECT_EQ(text_of({{"b", 2}, {"a", 1}}), "a=1 b=2"); }

}  // namespace
}  // namespace weft::tb
