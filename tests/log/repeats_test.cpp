// SPDX-License-Identifier: Apache-2.0
// What of a track repeats: tracks whose copies are known by hand, and what every stretch keeps to.
#include "log/repeats.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weft::log {
namespace {

/// One event per letter; '.' is a cycle without one.
EventTrack track_of(const std::string& text) {
  EventTrack track;
  for (const char letter : text) {
    track.events.push_back(letter == '.' ? 0 : static_cast<std::uint64_t>(letter));
    track.flits.push_back(letter == '.' ? 0 : 1);
  }
  return track;
}

TEST(Repeats, what_comes_round_is_one_periodic_stretch) {
  const std::vector<Stretch> found = find_stretches(track_of("xyzabcabcabcabcq"), 3);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].start, 6U);
  EXPECT_EQ(found[0].period, 3U);
  EXPECT_EQ(found[0].length, 9U);
  EXPECT_TRUE(found[0].periodic());
}

TEST(Repeats, a_copy_after_something_else_lies_apart) {
  const std::vector<Stretch> found = find_stretches(track_of("abcdUVWXYZabcdQ"), 3);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].start, 10U);
  EXPECT_EQ(found[0].period, 10U);
  EXPECT_EQ(found[0].length, 4U);
  EXPECT_FALSE(found[0].periodic());
}

// "abc" comes before both copies; the earlier one goes on as the third does.
TEST(Repeats, the_longest_of_several_copies_is_taken) {
  const std::vector<Stretch> found = find_stretches(track_of("abcdefgUabcVabcdefgW"), 3);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].start, 12U);
  EXPECT_EQ(found[1].period, 12U);
  EXPECT_EQ(found[1].length, 7U);
}

TEST(Repeats, the_later_of_equal_copies_is_taken) {
  const std::vector<Stretch> found = find_stretches(track_of("abcUabcVabcW"), 3);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].start, 8U);
  EXPECT_EQ(found[1].period, 4U);
}

TEST(Repeats, idle_cycles_and_short_copies_are_none) {
  EXPECT_TRUE(find_stretches(track_of("a...................b"), 3).empty());
  EXPECT_TRUE(find_stretches(track_of("abUabVabW"), 3).empty());
  EXPECT_TRUE(find_stretches(track_of("ab"), 3).empty());
  EXPECT_TRUE(find_stretches(track_of(""), 3).empty());
}

TEST(Repeats, shares_count_cycles_and_flits_of_both_kinds) {
  RepeatedShare share;
  const EventTrack track = track_of("ab.ab.ab.UVWXYZab.abQ");
  share.add(track, find_stretches(track, 3));
  EXPECT_EQ(share.cycles, 21U);
  EXPECT_EQ(share.flits, 17U);
  EXPECT_EQ(share.periodic_cycles, 6U);  // "ab.ab." behind the first "ab."
  EXPECT_EQ(share.periodic_flits, 4U);
  EXPECT_EQ(share.apart_cycles, 5U);  // "ab.ab" behind the letters
  EXPECT_EQ(share.apart_flits, 4U);
  EXPECT_EQ(share.longest.start, 3U);
}

TEST(Repeats, events_are_told_apart_by_all_but_the_packet) {
  EventTracks tracks({0, 1, 0}, 2);
  const auto sent = [&](Cycle now, std::uint32_t link, std::uint8_t vc, std::uint32_t packet, bool head, int credits) {
    tracks.flit_sent(now, LinkId{link}, VcId{vc}, {NodeId{packet}, packet}, head, false, credits);
  };
  sent(0, 0, 1, 7, true, 3);
  tracks.credit_returned(0, LinkId{2}, VcId{0}, 5);
  tracks.credit_returned(1, LinkId{2}, VcId{0}, 5);
  sent(1, 0, 1, 8, true, 3);   // as in cycle 0, in another order and of another packet
  sent(2, 0, 1, 7, true, 3);   // without the credit
  sent(3, 0, 2, 7, true, 3);   // on another VC
  sent(4, 0, 1, 7, false, 3);  // no head
  sent(5, 0, 1, 7, true, 4);   // with other credits
  sent(6, 2, 1, 7, true, 3);   // on another link
  tracks.credit_returned(7, LinkId{0}, VcId{1}, 3);
  const std::vector<std::uint64_t>& events = tracks.tracks()[0].events;
  EXPECT_EQ(events[0], events[1]);
  for (std::size_t a = 1; a < events.size(); ++a) {
    for (std::size_t b = a + 1; b < events.size(); ++b) EXPECT_NE(events[a], events[b]) << a << " and " << b;
  }
  EXPECT_EQ(tracks.tracks()[0].flits, (std::vector<std::uint32_t>{1, 1, 1, 1, 1, 1, 1, 0}));
  sent(7, 1, 0, 1, true, 1);
  EXPECT_EQ(tracks.tracks()[1].flits, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 1}));
}

/// Whether the `window` cycles from `cycle` on have been there before, asked of every earlier cycle.
bool seen_before(const std::vector<std::uint64_t>& events, std::size_t cycle, std::size_t window) {
  for (std::size_t earlier = 0; earlier < cycle; ++earlier) {
    std::size_t same = 0;
    while (same < window && events[earlier + same] == events[cycle + same]) ++same;
    if (same == window) return true;
  }
  return false;
}

RC_GTEST_PROP(RepeatsLaws, stretches_are_copies_as_long_as_can_be_and_none_is_missed, ()) {
  EventTrack track;
  track.events = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 3));
  track.flits.resize(track.events.size());
  const auto window = *rc::gen::inRange<std::size_t>(1, 6);
  const std::vector<std::uint64_t>& events = track.events;
  std::size_t free = 0;  // the first cycle behind the stretches so far
  const auto none_until = [&](std::size_t end) {
    for (; free < end; ++free) {
      if (events[free] != 0 && free + window <= events.size()) RC_ASSERT(!seen_before(events, free, window));
    }
  };
  for (const Stretch& stretch : find_stretches(track, window)) {
    RC_ASSERT(stretch.start >= free);
    none_until(stretch.start);
    RC_ASSERT(events[stretch.start] != 0U);
    RC_ASSERT(stretch.length >= window);
    RC_ASSERT(stretch.period >= 1U);
    free = stretch.start + stretch.length;
    for (std::size_t i = stretch.start; i < free; ++i) RC_ASSERT(events[i] == events[i - stretch.period]);
    if (free < events.size()) RC_ASSERT(events[free] != events[free - stretch.period]);
  }
  none_until(events.size());
}

}  // namespace
}  // namespace weft::log
