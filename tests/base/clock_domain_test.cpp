// SPDX-License-Identifier: Apache-2.0
// Clock domains: exact edges, sleep and wake-up, arrival between two clocks.
#include <gtest/gtest.h>

#include "base/clock_domain.h"
#include "base/error.h"

namespace weft {
namespace {

TEST(Clock, edges_lie_at_the_floor_of_the_exact_instant) {
  const Clock third(ClockSpec{{3'000'000'000, 1}});  // period 333,333.33 fs
  EXPECT_EQ(third.edge_fs(1), 333'333u);
  EXPECT_EQ(third.edge_fs(2), 666'666u);
  EXPECT_EQ(third.edge_fs(3), 1'000'000u);
  EXPECT_EQ(third.edge_fs(3'000'000'000), 1'000'000'000'000'000u);  // after 10^9 ns: no drift
  EXPECT_EQ(third.first_edge_from(0), 0u);
  EXPECT_EQ(third.first_edge_from(333'333), 1u);
  EXPECT_EQ(third.first_edge_from(333'334), 2u);
}

TEST(Clock, finds_every_edge_from_its_own_instant) {
  const Clock clock(ClockSpec{{976'562'500, 1}});
  for (Cycle n = 0; n < 5000; ++n) {
    ASSERT_EQ(clock.first_edge_from(clock.edge_fs(n)), n);
    ASSERT_EQ(clock.first_edge_from(clock.edge_fs(n) + 1), n + 1);
  }
}

// Around the cycle from which on the product of cycle and period no longer fits 64 bits, and with a period of more than
// 64 bits: 10^15 den / num femtoseconds.
TEST(Clock, is_as_exact_where_products_have_more_than_64_bits) {
  const Clock clock(ClockSpec{{2'400'000'000, 1}});  // period 1,250,000 / 3 fs
  const Cycle last = ~std::uint64_t{0} / 1'250'000;
  for (Cycle n = last - 3; n < last + 3; ++n) {
    const auto exact = static_cast<std::uint64_t>(UInt128{n} * 1'250'000 / 3);
    ASSERT_EQ(clock.edge_fs(n), exact);
    ASSERT_EQ(clock.first_edge_from(exact), n);
    ASSERT_EQ(clock.first_edge_from(exact + 1), n + 1);
  }
  const Clock odd(ClockSpec{{1'000'000'000'000'003, 1'000'003}});
  EXPECT_EQ(odd.edge_fs(1), 1'000'002u);          // 10^15 x 1,000,003 / (10^15 + 3) = 1,000,002.999999997
  EXPECT_EQ(odd.edge_fs(1'000), 1'000'002'999u);  // 1,000,002,999.999997
  EXPECT_EQ(odd.first_edge_from(1'000'003), 2u);
}

// 10^9 s are 10^24 fs, 80 bits. At 1 GHz edge 10^18 lies there; at 1 Hz edge 10^9; at 3 GHz edge 3 x 10^18 + 1 a third
// of a nanosecond later. Edge 2^64 - 2 at 1 Hz is the last that can be counted.
TEST(Clock, counts_beyond_64_bits_of_femtoseconds) {
  const Instant ten_to_24 = Instant{1'000'000'000'000} * 1'000'000'000'000;
  const Clock giga(ClockSpec{});
  EXPECT_TRUE(giga.edge_fs(1'000'000'000'000'000'000) == ten_to_24);
  EXPECT_EQ(giga.first_edge_from(ten_to_24), 1'000'000'000'000'000'000u);
  EXPECT_EQ(giga.first_edge_from(ten_to_24 + 1), 1'000'000'000'000'000'001u);
  EXPECT_TRUE(giga.edge_fs(20'000'000'000'000) == Instant{20'000'000'000} * 1'000'000'000);  // 20,000 s
  const Clock slow(ClockSpec{{1, 1}});
  EXPECT_TRUE(slow.edge_fs(1'000'000'000) == ten_to_24);
  EXPECT_EQ(slow.first_edge_from(ten_to_24 - 1), 1'000'000'000u);
  EXPECT_TRUE(slow.edge_fs(kNever - 1) == Instant{kNever - 1} * 1'000'000'000'000'000);
  EXPECT_EQ(slow.first_edge_from(slow.edge_fs(kNever - 1)), kNever - 1);
  const Clock third(ClockSpec{{3'000'000'000, 1}});
  EXPECT_TRUE(third.edge_fs(3'000'000'000'000'000'001) == ten_to_24 + 333'333);
  EXPECT_EQ(third.first_edge_from(ten_to_24 + 333'333), 3'000'000'000'000'000'001u);
  EXPECT_EQ(third.first_edge_from(ten_to_24 + 333'334), 3'000'000'000'000'000'002u);
}

// The period 10^15 x 1,000,003 / (10^15 + 3) fs has a numerator of 70 bits; n = 10^19 gives
// floor(10^34 x 1,000,003 / (10^15 + 3)), whose numerator has 133 bits: more than one product of 128 bits holds.
// The value
// below comes from a calculation with whole numbers of any length.
TEST(Clock, is_exact_where_products_have_more_than_128_bits) {
  const Clock odd(ClockSpec{{1'000'000'000'000'003, 1'000'003}});
  const Instant exact = Instant{10'000'029'999'999} * 1'000'000'000'000 + 969'999'910'000;
  EXPECT_TRUE(odd.edge_fs(10'000'000'000'000'000'000u) == exact);
  EXPECT_EQ(odd.first_edge_from(exact), 10'000'000'000'000'000'000u);
  EXPECT_EQ(odd.first_edge_from(exact + 1), 10'000'000'000'000'000'001u);
}

TEST(Clock, refuses_instants_beyond_the_last_edge_that_it_counts_bad) {
  const Clock fast(ClockSpec{{1'000'000'000'000, 1}});  // 2^64 ps are 213 days
  const Instant year = Instant{365 * 86'400} * 1'000'000'000'000'000;
  EXPECT_THROW(fast.first_edge_from(year), ViolationError);
  EXPECT_EQ(Clock(ClockSpec{}).first_edge_from(year), 31'536'000'000'000'000u);
}

/// Has work in the cycles of a list, and remembers when it was stepped.
class Listed final : public Block {
 public:
  explicit Listed(std::vector<Cycle> cycles) : cycles_(std::move(cycles)) {}
  void step(Cycle now) override { stepped.push_back(now); }
  Cycle next_work(Cycle now) const override {
    for (const Cycle cycle : cycles_) {
      if (cycle > now) return cycle;
    }
    return kNever;
  }
  std::vector<Cycle> stepped;

 private:
  std::vector<Cycle> cycles_;
};

TEST(ClockDomain, steps_only_blocks_with_work) {
  set_time_resolution();
  ClockDomain domain("clock", ClockSpec{});
  Listed a({3, 7});
  Listed b({7, 1'000'000'000});
  domain.add(a);
  domain.add(b);
  sc_core::sc_start();
  EXPECT_EQ(a.stepped, (std::vector<Cycle>{0, 3, 7}));
  EXPECT_EQ(b.stepped, (std::vector<Cycle>{0, 7, 1'000'000'000}));
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(1, sc_core::SC_SEC));
}

/// Leaves out cycles behind one that is executed.
class Skipper final : public CycleObserver {
 public:
  Skipper(ClockDomain& domain, Cycle behind, Cycle cycles) : domain_(domain), behind_(behind), cycles_(cycles) {}
  Cycle end_of_cycle(Cycle now, Cycle next) override {
    if (now != behind_) return next;
    domain_.leave_out(cycles_);
    return domain_.next();
  }

 private:
  ClockDomain& domain_;
  Cycle behind_;
  Cycle cycles_;
};

// Behind cycle 10 the next work of `moves` is in cycle 20, which is cycle 66 once 46 are left out. The work of `stays`
// in cycle 57 does not move on, and comes before that.
TEST(ClockDomain, steps_what_does_not_move_on_in_time_where_cycles_are_left_out) {
  set_time_resolution();
  ClockDomain domain("clock", ClockSpec{});
  Listed moves({10, 20, 66});
  Listed stays({15, 57});
  domain.add(moves);
  domain.add(stays);
  Skipper skipper(domain, 10, 46);
  domain.set_observer(skipper);
  sc_core::sc_start();
  EXPECT_EQ(moves.stepped, (std::vector<Cycle>{0, 10, 66}));
  EXPECT_EQ(stays.stepped, (std::vector<Cycle>{0, 57}));
}

/// Wakes a block of another domain `delay` after each of its own steps.
class Sender final : public Block {
 public:
  Sender(ClockDomain& own, ClockDomain& other, const Block& target, Cycle last)
      : own_(own), other_(other), target_(target), last_(last) {}
  void step(Cycle now) override {
    if (now == 0) return;
    const sc_core::sc_time delay = own_.delay_to(now + 2);  // a link of two own cycles
    arrivals.push_back(other_.edge_after(delay));
    other_.wake(target_, arrivals.back());
  }
  Cycle next_work(Cycle now) const override { return now < last_ ? now + 5 : kNever; }
  std::vector<Cycle> arrivals;

 private:
  ClockDomain& own_;
  ClockDomain& other_;
  const Block& target_;
  Cycle last_;
};

// 1 GHz to 3 GHz: what is sent in ns n arrives in ns n + 2 = edge 3 n + 6. 1 GHz to 0.7 GHz: edge ceil(0.7 (n + 2)).
TEST(ClockDomain, lets_flits_arrive_at_the_first_edge_from_send_plus_latency) {
  set_time_resolution();
  ClockDomain sender_clock("sender_clock", ClockSpec{});
  ClockDomain fast("fast", ClockSpec{{3'000'000'000, 1}});
  ClockDomain slow("slow", ClockSpec{{700'000'000, 1}});
  Listed in_fast({});
  Listed in_slow({});
  fast.add(in_fast);
  slow.add(in_slow);
  Sender to_fast(sender_clock, fast, in_fast, 20);
  Sender to_slow(sender_clock, slow, in_slow, 20);
  sender_clock.add(to_fast);
  sender_clock.add(to_slow);
  sc_core::sc_start();
  EXPECT_EQ(to_fast.arrivals, (std::vector<Cycle>{21, 36, 51, 66}));
  EXPECT_EQ(to_slow.arrivals, (std::vector<Cycle>{5, 9, 12, 16}));  // 4.9, 8.4, 11.9, 15.4
  EXPECT_EQ(in_fast.stepped, (std::vector<Cycle>{0, 21, 36, 51, 66}));
  EXPECT_EQ(in_slow.stepped, (std::vector<Cycle>{0, 5, 9, 12, 16}));
}

}  // namespace
}  // namespace weft
