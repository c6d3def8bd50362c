// SPDX-License-Identifier: Apache-2.0
// The calendar against a sorted map of the same events.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <map>

#include "kernel/calendar.h"

namespace weft {
namespace {

RC_GTEST_PROP(Calendar, gives_back_what_a_sorted_map_would, ()) {
  Calendar<int> calendar;
  std::multimap<Cycle, int> reference;
  Cycle now = 0;
  int next_event = 0;
  for (int round = 0; round < 60; ++round) {
    const auto added = *rc::gen::inRange(0, 4);
    for (int i = 0; i < added; ++i) {
      // Near and far, across the ring's size of 4096.
      const Cycle at = now + 1 + *rc::gen::element<Cycle>(0, 1, 63, 64, 4094, 4095, 4096, 5000, 100000) +
                       *rc::gen::inRange<Cycle>(0, 70);
      calendar.add(at, next_event);
      reference.emplace(at, next_event++);
    }
    const Cycle expected = reference.empty() ? kNever : reference.begin()->first;
    RC_ASSERT(calendar.next_after(now) == expected);
    if (expected == kNever) continue;
    now = expected;
    std::vector<int> taken;
    calendar.take(now, [&](int event) { taken.push_back(event); });
    std::vector<int> wanted;
    for (auto it = reference.begin(); it != reference.end() && it->first == now; it = reference.erase(it)) {
      wanted.push_back(it->second);
    }
    std::sort(taken.begin(), taken.end());
    std::sort(wanted.begin(), wanted.end());
    RC_ASSERT(taken == wanted);
  }
}

}  // namespace
}  // namespace weft
