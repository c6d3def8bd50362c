// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/inbox_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>

namespace weft::npu {
namespace {

TEST(InboxTable, a_message_has_one_inbox_until_it_is_forgotten) {
  InboxTable table;
  EXPECT_TRUE(table.empty());
  const InboxTable::Number first = table.of(NodeId{1}, 7);
  table[first].arrived = 5;
  EXPECT_EQ(table.of(NodeId{1}, 7), first);
  EXPECT_NE(table.of(NodeId{2}, 7), first);
  EXPECT_EQ(table.unasked(), 2u);
  table.erase(first);
  EXPECT_EQ(table.unasked(), 1u);
  EXPECT_EQ(table[table.of(NodeId{1}, 7)].arrived, 0u);
}

TEST(InboxTable, an_inbox_is_closed_once) {
  InboxTable table;
  const InboxTable::Number number = table.of(NodeId{1}, 7);
  table.erase(number);
  EXPECT_THROW(table.erase(number), ViolationError);
}

// std::map is the reference. Few tags, so that many of them share a home and move up when one of them goes.
RC_GTEST_PROP(InboxTable, finds_what_a_map_finds, ()) {
  InboxTable table;
  std::map<std::pair<std::uint32_t, std::uint64_t>, InboxTable::Number> plain;
  for (int call = 0; call < 300; ++call) {
    const auto src = *rc::gen::inRange<std::uint32_t>(0, 4);
    const auto tag = *rc::gen::inRange<std::uint64_t>(0, 16);
    const auto known = plain.find({src, tag});
    if (known == plain.end()) {
      const InboxTable::Number number = table.of(NodeId{src}, tag);
      RC_ASSERT(table[number].arrived == 0u);
      table[number].arrived = 100 * src + tag + 1;
      plain[{src, tag}] = number;
    } else if (*rc::gen::arbitrary<bool>()) {
      table.erase(known->second);
      plain.erase(known);
    }
    for (const auto& [key, number] : plain) {
      RC_ASSERT(table.of(NodeId{key.first}, key.second) == number);
      RC_ASSERT(table[number].arrived == 100 * key.first + key.second + 1);
    }
    RC_ASSERT(table.unasked() == plain.size());
    RC_ASSERT(table.empty() == plain.empty());
  }
}

}  // namespace
}  // namespace weft::npu
