// SPDX-License-Identifier: Apache-2.0
// Serialisation on links of any exact rate, against the closed form of a stream.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "kernel/link_rate.h"

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

// 750 GB/s of 512-byte flits at 1 GHz; 10^9 cycles carry 375/256 * 10^9 flits. Fast-forward by pauses is not possible
// without restarting, so the last stretch is compared after a start at the same phase: 256 cycles are one period.
TEST(LinkRate, does_not_drift_over_a_billion_cycles) {
  const Rational slow{256, 375};  // a third of a million periods of 375 cycles
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

}  // namespace
}  // namespace weft
