// SPDX-License-Identifier: Apache-2.0
// Messages that line up at a network interface: the order by hand, and the queues against a list that is looked
// through.
#include "npu/interface/ready_messages.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace weft::npu {
namespace {

constexpr auto kAll = [](std::uint64_t) { return true; };

std::uint32_t take(ReadyMessages& ready) {
  const std::size_t queue = ready.choose(kAll);
  const std::uint32_t slot = ready.slot(queue);
  ready.pop(queue);
  return slot;
}

TEST(ReadyMessages, lower_ranks_go_first_then_lower_tickets) {
  ReadyMessages ready;
  ready.push(7, {2, 0}, 10);
  ready.push(7, {1, 3}, 11);
  ready.push(8, {1, 2}, 12);
  ready.push(8, {1, 4}, 13);
  EXPECT_EQ(take(ready), 12u);
  EXPECT_EQ(take(ready), 11u);
  EXPECT_EQ(take(ready), 13u);
  EXPECT_EQ(take(ready), 10u);
  EXPECT_TRUE(ready.empty());
  EXPECT_EQ(ready.choose(kAll), ReadyMessages::kNone);
}

TEST(ReadyMessages, whose_need_cannot_be_met_holds_up_nobody_else) {
  ReadyMessages ready;
  ready.push(7, {0, 0}, 10);
  ready.push(8, {5, 1}, 11);
  const auto only_8 = [](std::uint64_t need) { return need == 8; };
  EXPECT_EQ(ready.slot(ready.choose(only_8)), 11u);
  ready.pop(ready.choose(only_8));
  EXPECT_EQ(ready.choose(only_8), ReadyMessages::kNone);
  EXPECT_FALSE(ready.empty());
  EXPECT_TRUE(ready.any([](std::uint64_t need) { return need == 7; }));
  EXPECT_FALSE(ready.any(only_8));
}

/// A message of the plain reference.
struct Listed {
  std::uint64_t need;
  std::uint64_t rank;
  std::uint32_t slot;
};

// The reference is one list in the order of tickets, looked through from its begin for the lowest rank that can start.
RC_GTEST_PROP(ReadyMessages, choose_what_a_look_through_all_finds, ()) {
  ReadyMessages ready;
  std::vector<Listed> list;
  std::uint64_t tickets = 0;
  for (std::uint32_t slot = 0; slot < 90; ++slot) {
    if (*rc::gen::inRange(0, 3) == 0) {
      const Listed message{*rc::gen::inRange<std::uint64_t>(0, 4), *rc::gen::inRange<std::uint64_t>(0, 3), slot};
      ready.push(message.need, {message.rank, tickets++}, slot);
      list.push_back(message);
      continue;
    }
    const auto open = *rc::gen::inRange<unsigned>(0, 16);
    const auto can_start = [&](std::uint64_t need) { return (open >> need & 1) != 0; };
    auto best = list.end();
    for (auto it = list.begin(); it != list.end(); ++it) {
      if (can_start(it->need) && (best == list.end() || it->rank < best->rank)) best = it;
    }
    const std::size_t queue = ready.choose(can_start);
    RC_ASSERT((queue == ReadyMessages::kNone) == (best == list.end()));
    if (best == list.end()) continue;
    RC_ASSERT(ready.slot(queue) == best->slot);
    if (*rc::gen::inRange(0, 3) == 0) {
      ready.pop(queue);
      list.erase(best);
      continue;
    }
    const Listed again{*rc::gen::element(best->need, best->need, std::uint64_t{3}),
                       *rc::gen::element(best->rank, std::uint64_t{1}), best->slot};
    ready.line_up_again(queue, again.need, {again.rank, tickets++});
    list.erase(best);
    list.push_back(again);
  }
  RC_ASSERT(ready.empty() == list.empty());
}

}  // namespace
}  // namespace weft::npu
