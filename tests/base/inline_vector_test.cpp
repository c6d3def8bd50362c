// SPDX-License-Identifier: Apache-2.0
#include "base/inline_vector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace weft {
namespace {

using List = InlineVector<std::uint32_t, 2>;

TEST(InlineVector, keeps_its_items_when_they_outgrow_the_object) {
  List list{7, 8};
  list.push_back(9);
  EXPECT_EQ(list, (List{7, 8, 9}));
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list.back(), 9u);
}

TEST(InlineVector, a_moved_list_is_empty_and_can_be_filled_again) {
  List list{1, 2, 3};
  const List other = std::move(list);
  EXPECT_EQ(other, (List{1, 2, 3}));
  list = {4};
  EXPECT_EQ(list, (List{4}));
}

// std::vector is the reference: the same random calls on two lists, copied and moved into each other.
RC_GTEST_PROP(InlineVector, does_what_a_vector_does, ()) {
  List lists[2];
  std::vector<std::uint32_t> vectors[2];
  for (int call = 0; call < 60; ++call) {
    const int which = *rc::gen::inRange(0, 2);
    List& list = lists[which];
    std::vector<std::uint32_t>& vector = vectors[which];
    const auto item = *rc::gen::inRange<std::uint32_t>(0, 1000);
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        lists[1 - which] = list;
        vectors[1 - which] = vector;
        break;
      case 1:
        lists[1 - which] = std::move(list);
        vectors[1 - which] = std::exchange(vector, {});
        list = List();
        break;
      case 2:
        list.clear();
        vector.clear();
        break;
      case 3:
        list = List(vector);
        break;
      default:
        list.push_back(item);
        vector.push_back(item);
    }
    for (int i = 0; i < 2; ++i) {
      RC_ASSERT(std::vector<std::uint32_t>(lists[i].begin(), lists[i].end()) == vectors[i]);
      RC_ASSERT(lists[i].empty() == vectors[i].empty());
    }
  }
}

}  // namespace
}  // namespace weft
