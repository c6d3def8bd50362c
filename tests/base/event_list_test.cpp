// SPDX-License-Identifier: Apache-2.0
// Lists of events against std::vector.
#include "base/event_list.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace weft {
namespace {

/// Two parts and a byte, as an event of a router has.
struct Event {
  std::uint32_t stop;
  std::uint32_t flit;
  std::uint8_t port;
};

using Parts = std::vector<std::pair<std::uint64_t, int>>;

Parts parts_of(const EventList<Event>& list) {
  Parts parts;
  for (const Event& event : list) parts.emplace_back(std::uint64_t{event.stop} << 32 | event.flit, event.port);
  return parts;
}

RC_GTEST_PROP(EventList, holds_what_a_vector_would, ()) {
  EventList<Event> lists[2];
  Parts vectors[2];
  for (int round = 0; round < 100; ++round) {
    const auto which = *rc::gen::inRange(0, 2);
    switch (*rc::gen::inRange(0, 8)) {
      case 0:
        lists[which].clear();
        vectors[which].clear();
        break;
      case 1:
        lists[0].swap(lists[1]);
        vectors[0].swap(vectors[1]);
        break;
      case 2: {
        EventList<Event> moved(std::move(lists[which]));
        lists[which] = std::move(moved);
        break;
      }
      default: {
        const auto stop = *rc::gen::arbitrary<std::uint32_t>();
        const auto flit = *rc::gen::arbitrary<std::uint32_t>();
        const auto port = *rc::gen::arbitrary<std::uint8_t>();
        lists[which].push_back({stop, flit, port});
        vectors[which].emplace_back(std::uint64_t{stop} << 32 | flit, port);
      }
    }
    for (const int i : {0, 1}) {
      RC_ASSERT(parts_of(lists[i]) == vectors[i]);
      RC_ASSERT(lists[i].size() == vectors[i].size());
      RC_ASSERT(lists[i].empty() == vectors[i].empty());
    }
  }
}

TEST(EventList, a_list_that_was_moved_from_takes_events_again) {
  EventList<int> list;
  for (int i = 0; i < 9; ++i) list.push_back(i);
  const EventList<int> other(std::move(list));
  list.push_back(7);  // NOLINT(bugprone-use-after-move)
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0], 7);
  ASSERT_EQ(other.size(), 9u);
  EXPECT_EQ(other[8], 8);
}

}  // namespace
}  // namespace weft
