// SPDX-License-Identifier: Apache-2.0
// Serialisation on links of any exact rate, against the closed form of a stream.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "base/link_rate.h"
#include "base/packet_rate.h"

namespace weft {
namespace {

__extension__ using Wide = unsigned __int128;

// Flit n of a stream that starts in cycle 0 can start at n * den / num: the link takes it in the first cycle from
// there on, or, where several fit into a cycle, in the cycle in which it starts.
Cycle expected_cycle(Rational rate, std::uint64_t n) {
  const Wide start = Wide{n} * rate.den;
  return static_cast<Cycle>(rate.num > rate.den ? start / rate.num : (start + rate.num - 1) / rate.num);
}

std::vector<Cycle> stream(Rational rate, std::size_t flits) {
  LinkRate link;
  std::vector<Cycle> sent;
  Cycle now = 0;
  while (sent.size() < flits) {
    if (!link.can_send(rate, now)) {
      now = link.next_slot(rate, now);
      EXPECT_TRUE(link.can_send(rate, now));
    }
    link.send(rate, now);
    sent.push_back(now);
  }
  return sent;
}

RC_GTEST_PROP(LinkRate, follows_the_closed_form_of_a_stream, ()) {
  const auto num = *rc::gen::inRange<std::uint64_t>(1, 2000);
  const auto den = *rc::gen::inRange<std::uint64_t>(1, 2000);
  const Rational rate = make_rational(num, den);
  const std::vector<Cycle> sent = stream(rate, 500);
  for (std::size_t n = 0; n < sent.size(); ++n) RC_ASSERT(sent[n] == expected_cycle(rate, n));
}

// A flit takes 3,751/256 cycles, so that 68 million of them leave in these cycles, at 256 different phases.
TEST(LinkRate, does_not_drift_over_a_billion_cycles) {
  const Rational slow{256, 3751};
  LinkRate link;
  Cycle now = 0;
  std::uint64_t flits = 0;
  while (now < 1'000'000'000) {
    now = link.next_slot(slow, now);
    link.send(slow, now);
    ++flits;
  }
  EXPECT_EQ(now, expected_cycle(slow, flits - 1));
}

// A flit takes 8 cycles: of one that starts in cycle 5, two of eight parts are carried in cycle 11 and later.
TEST(LinkRate, knows_what_is_still_to_be_carried) {
  const Rational eighth{1, 8};
  LinkRate link;
  EXPECT_EQ(link.flits_after(eighth, 0), 0.0);
  link.send(eighth, 5);
  EXPECT_EQ(link.flits_after(eighth, 11), 0.25);
  EXPECT_EQ(link.flits_after(eighth, 13), 0.0);
  EXPECT_EQ(link.flits_after(eighth, 20), 0.0);
  // 3/2 flits per cycle: two in cycle 0 end at 4/3, so a half of a flit is left at 1.
  const Rational fast{3, 2};
  LinkRate both;
  both.send(fast, 0);
  both.send(fast, 0);
  EXPECT_DOUBLE_EQ(both.flits_after(fast, 1), 0.5);
}

// Whenever it is looked at, a link has not carried more than its rate allows, and all of it once the last flit is over.
RC_GTEST_PROP(LinkRate, has_never_carried_more_than_its_rate, ()) {
  const Rational rate =
      make_rational(*rc::gen::inRange<std::uint64_t>(1, 300), *rc::gen::inRange<std::uint64_t>(1, 300));
  LinkRate link;
  double sent = 0;
  Cycle now = 0;
  for (int i = 0; i < 200; ++i) {
    now = link.next_slot(rate, now) + (*rc::gen::inRange(0, 4) == 0 ? *rc::gen::inRange<Cycle>(0, 50) : 0);
    link.send(rate, now);
    ++sent;
    const Cycle end = now + *rc::gen::inRange<Cycle>(0, 3);
    const double carried = sent - link.flits_after(rate, end);
    RC_ASSERT(carried <= static_cast<double>(end) * rate.value() * (1 + 1e-12) + 1e-12);
    RC_ASSERT(carried >= -1e-12);
  }
  RC_ASSERT(link.flits_after(rate, now + 301) == 0.0);
}

TEST(LinkRate, restarts_at_the_edge_after_a_pause) {
  const Rational rate{2, 3};
  LinkRate link;
  link.send(rate, 0);  // busy to 1.5
  EXPECT_FALSE(link.can_send(rate, 1));
  EXPECT_EQ(link.next_slot(rate, 1), 2u);
  link.send(rate, 10);  // after a pause: busy to 11.5, not 11
  EXPECT_EQ(link.next_slot(rate, 10), 12u);
}

TEST(LinkRate, carries_several_flits_in_a_cycle) {
  const Rational rate{5, 2};
  EXPECT_EQ(stream(rate, 10), (std::vector<Cycle>{0, 0, 0, 1, 1, 2, 2, 2, 3, 3}));
}

// The last of 3 flits starts in cycle 100 and takes 4 cycles; whatever came before is over.
TEST(PacketRate, knows_what_is_still_to_be_carried) {
  PacketRateSpec spec;
  spec.flits_per_cycle = {1, 4};
  EXPECT_EQ(spec.flits_after(3, 100, 101), 0.75);
  EXPECT_EQ(spec.flits_after(3, 100, 104), 0.0);
  EXPECT_EQ(spec.flits_after(3, 100, 1000), 0.0);
  EXPECT_EQ(spec.flits_after(3, 100, 96), 2.0);
  EXPECT_EQ(spec.flits_after(0, 0, 1), 0.0);
}

}  // namespace
}  // namespace weft
