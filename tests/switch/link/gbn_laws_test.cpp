// SPDX-License-Identifier: Apache-2.0
// Laws of Go-Back-N links: everything arrives once and in order, whatever is lost; cycles without work may be left out;
// state is relative to now.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "link_bench.h"

namespace weft::fred {
namespace {

using test::HandedOn;
using test::LinkBench;
using test::Script;

struct Draw {
  GbnSpec spec;
  FaultRates faults;
  std::vector<std::uint16_t> sizes;
  std::uint64_t seed = 0;
  int pause = 0;  ///< so many cycles in 16 have no flit to offer
};

Draw draw() {
  Draw made;
  const auto den = *rc::gen::inRange<std::uint64_t>(1, 6);
  const auto num = *rc::gen::inRange<std::uint64_t>(1, den + 1);
  made.faults.flit_bytes = 32;
  made.faults.header_bytes = *rc::gen::element<std::uint64_t>(0, 6);
  made.spec.rate = {Rational{num, den}, made.faults.flit_bytes, made.faults.header_bytes};
  made.spec.forward = *rc::gen::inRange<Cycle>(1, 30);
  made.spec.backward = *rc::gen::inRange<Cycle>(1, 30);
  made.spec.ack_packets = *rc::gen::inRange<std::uint32_t>(1, 8);
  made.spec.replay_packets = made.spec.ack_packets + *rc::gen::inRange<std::uint32_t>(0, 12);
  made.spec.ack_timeout = *rc::gen::inRange<Cycle>(1, 60);
  made.spec.retransmit_timeout = *rc::gen::inRange<Cycle>(1, 200);  // also shorter than any answer's way
  made.faults.bit_error_rate = *rc::gen::element(0.0, 1e-5, 1e-4, 5e-4);
  made.faults.drop_rate = *rc::gen::element(0.0, 0.01, 0.1, 0.3);
  made.faults.message_bytes = *rc::gen::element<std::uint64_t>(8, 512);
  made.sizes = *rc::gen::container<std::vector<std::uint16_t>>(60, rc::gen::inRange<std::uint16_t>(1, 6));
  made.seed = *rc::gen::arbitrary<std::uint64_t>();
  made.pause = *rc::gen::element(0, 4, 12);
  return made;
}

/// `sleeping`: only cycles with work are visited.
LinkBench run(const Draw& made, bool sleeping) {
  LinkBench bench(made.spec, std::make_unique<RandomFaults>(made.faults, made.seed, 7));
  bench.sizes = made.sizes;
  Cycle next = 1;
  for (Cycle now = 1; !(bench.all_offered() && bench.link.at_rest()); ++now) {
    WEFT_CHECK(now < 2'000'000, "the link does not come to rest");
    const bool offering = !bench.all_offered() && static_cast<int>(random_bits(made.seed, 1, now) % 16) >= made.pause;
    if (sleeping && !offering && now < next) continue;
    bench.cycle(now, offering);
    next = bench.link.next_work(now);
  }
  return bench;
}

RC_GTEST_PROP(GbnLaws, everything_arrives_once_and_in_order, ()) {
  const Draw made = draw();
  const LinkBench bench = run(made, false);
  RC_ASSERT(bench.handed.size() == made.sizes.size());
  std::size_t flits = 0;
  for (std::size_t i = 0; i < bench.handed.size(); ++i) {
    RC_ASSERT(bench.handed[i].packet == i);
    for (std::size_t f = 0; f < made.sizes[i]; ++f) RC_ASSERT(bench.released.at(flits++) == i * 1000 + f);
  }
  RC_ASSERT(bench.released.size() == flits);
  RC_ASSERT(bench.link.flits_inside() == 0u);
  RC_ASSERT(bench.link.counters().packets == made.sizes.size());
}

RC_GTEST_PROP(GbnLaws, cycles_without_work_may_be_left_out, ()) {
  const Draw made = draw();
  const LinkBench awake = run(made, false);
  const LinkBench asleep = run(made, true);
  RC_ASSERT(awake.handed == asleep.handed);
  RC_ASSERT(awake.link.counters().resent == asleep.link.counters().resent);
  RC_ASSERT(awake.link.counters().acks == asleep.link.counters().acks);
}

// An error-free link of that rate and latency, written down once more: each flit goes when the link is open.
RC_GTEST_PROP(GbnLaws, without_errors_tails_arrive_as_on_a_credit_link, ()) {
  Draw made = draw();
  made.faults.bit_error_rate = made.faults.drop_rate = 0;
  made.spec.replay_packets = 1000;
  made.spec.retransmit_timeout = 1000;
  const LinkBench bench = run(made, false);
  PacketRate rate;
  std::vector<HandedOn> expected;
  std::vector<Cycle> offered;
  const std::size_t all = [&] {
    std::size_t sum = 0;
    for (const auto size : made.sizes) sum += size;
    return sum;
  }();
  for (Cycle now = 1; offered.size() < all; ++now) {
    if (static_cast<int>(random_bits(made.seed, 1, now) % 16) >= made.pause) offered.push_back(now);
  }
  std::size_t flit = 0;
  Cycle now = 0;
  for (std::size_t packet = 0; packet < made.sizes.size(); ++packet) {
    for (int i = 1; i <= made.sizes[packet]; ++i) {
      now = std::max(now + 1, offered[flit++]);
      while (!rate.can_send(now)) ++now;
      rate.send(made.spec.rate, now, i == made.sizes[packet]);
    }
    expected.push_back({static_cast<std::uint32_t>(packet), now + made.spec.forward});
  }
  RC_ASSERT(bench.handed == expected);
}

// The same history, later and after four packets: the same state in every cycle. Losses are by number, of flits and of
// answers, of which the four packets had fifteen (the last one went twice) and three.
TEST(GbnLaws, state_is_relative_to_now) {
  GbnSpec spec;
  spec.forward = 9;
  spec.backward = 5;
  spec.replay_packets = 6;
  spec.ack_packets = 3;
  spec.rate.flits_per_cycle = {2, 3};
  const Script script{{5, 31}, {9, 40}, {1, 4}};
  LinkBench early(spec, script);
  LinkBench late(spec, {{11, 15 + 5, 15 + 31}, {15 + 9, 15 + 40}, {3 + 1, 3 + 4}});
  late.sizes.assign(4, 3);
  late.run();
  ASSERT_EQ(late.link.counters().acks + late.link.counters().nacks, 3u);
  early.sizes.assign(30, 3);
  late.sizes.insert(late.sizes.end(), 30, 3);
  std::uint64_t before = 0;
  int changes = 0;
  for (Cycle now = 1; now < 1500; ++now) {
    early.cycle(now);
    late.cycle(now + 12'000);
    ASSERT_EQ(early.link.state_hash(now), late.link.state_hash(now + 12'000)) << now;
    changes += early.link.state_hash(now) != before ? 1 : 0;
    before = early.link.state_hash(now);
  }
  EXPECT_EQ(early.handed.size(), 30u);
  EXPECT_GT(early.link.counters().timeouts + early.link.counters().nacks, 2u);
  EXPECT_GT(changes, 200);
}

}  // namespace
}  // namespace weft::fred
