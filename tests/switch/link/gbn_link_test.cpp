// SPDX-License-Identifier: Apache-2.0
// Go-Back-N by hand, in cycles. Packets of two flits, packet k in cycles 1 + 2k and 2 + 2k; a flit takes 4 cycles, an
// answer 3. So packet k is complete in cycle 6 + 2k.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link_bench.h"

namespace weft::fred {
namespace {

using test::HandedOn;
using test::LinkBench;
using test::Script;
using testing::ElementsAre;
using testing::HasSubstr;

GbnSpec spec_of_two() {
  GbnSpec spec;
  spec.forward = 4;
  spec.backward = 3;
  spec.replay_packets = 5;
  spec.ack_packets = 2;
  spec.ack_timeout = 20;
  spec.retransmit_timeout = 40;
  return spec;
}

LinkBench run(const GbnSpec& spec, int packets, Script script = {}) {
  LinkBench bench(spec, std::move(script));
  bench.sizes.assign(static_cast<std::size_t>(packets), 2);
  bench.run();
  return bench;
}

TEST(GbnLink, without_errors_packets_are_complete_when_their_tails_are_there) {
  const LinkBench bench = run(spec_of_two(), 6);
  EXPECT_THAT(bench.handed, ElementsAre(HandedOn{0, 6}, HandedOn{1, 8}, HandedOn{2, 10}, HandedOn{3, 12},
                                        HandedOn{4, 14}, HandedOn{5, 16}));
  EXPECT_EQ(bench.last, 19u);  // the third ACK leaves with packet 5
  EXPECT_EQ(bench.link.counters().acks, 3u);
  EXPECT_EQ(bench.link.counters().packets, 6u);
  EXPECT_EQ(bench.link.counters().resent, 0u);
  EXPECT_EQ(bench.released.size(), 12u);
}

// The ACK for packets 0 and 1 leaves in 8 and is there in 11, when head 5 would go; with four packets head 4 waits for
// it from 9 on.
TEST(GbnLink, a_full_window_holds_the_next_packet) {
  GbnSpec spec = spec_of_two();
  spec.replay_packets = 4;
  LinkBench bench(spec, Script{});
  bench.sizes.assign(5, 2);
  for (Cycle now = 1; now <= 10; ++now) bench.cycle(now);
  EXPECT_TRUE(bench.link.window_full());
  EXPECT_THAT(bench.link.waiting(), HasSubstr("the window of 4 packets is full"));
  for (Cycle now = 11; now <= 40; ++now) bench.cycle(now);
  EXPECT_EQ(bench.handed.back(), (HandedOn{4, 16}));
  EXPECT_EQ(bench.link.waiting(), "");
}

// Packet 1 is complete and wrong in 8, its NACK there in 11: it goes again in 11 and 12, then what followed it. Packets
// 1 to 4 had been begun by then.
TEST(GbnLink, a_hit_packet_and_all_behind_it_go_again) {
  const LinkBench bench = run(spec_of_two(), 6, {{2}, {}, {}});
  EXPECT_THAT(bench.handed, ElementsAre(HandedOn{0, 6}, HandedOn{1, 16}, HandedOn{2, 18}, HandedOn{3, 20},
                                        HandedOn{4, 22}, HandedOn{5, 24}));
  EXPECT_EQ(bench.link.counters().nacks, 1u);
  EXPECT_EQ(bench.link.counters().resent, 4u);
  EXPECT_EQ(bench.link.counters().discarded, 4u);
  EXPECT_EQ(bench.link.counters().timeouts, 0u);
}

// The head of the second try is flit 10: wrong again in 16, NACK there in 19.
TEST(GbnLink, a_second_failure_is_told_from_what_was_still_on_the_way) {
  const LinkBench bench = run(spec_of_two(), 6, {{2, 10}, {}, {}});
  EXPECT_EQ(bench.handed[1], (HandedOn{1, 24}));
  EXPECT_EQ(bench.link.counters().nacks, 2u);
  EXPECT_EQ(bench.link.counters().timeouts, 0u);
}

// Tail 1 would be there in 8; head 2 is there in 9, its NACK in 12.
TEST(GbnLink, the_next_head_tells_of_a_lost_tail) {
  const LinkBench bench = run(spec_of_two(), 3, {{}, {3}, {}});
  EXPECT_THAT(bench.handed, ElementsAre(HandedOn{0, 6}, HandedOn{1, 17}, HandedOn{2, 19}));
  EXPECT_EQ(bench.link.counters().nacks, 1u);
}

TEST(GbnLink, a_tail_tells_of_its_lost_head) {
  const LinkBench bench = run(spec_of_two(), 3, {{}, {2}, {}});
  EXPECT_EQ(bench.handed[1], (HandedOn{1, 16}));
}

// Tail 0 and head 1 are lost: what is left, head 0 and tail 1, looks like a packet. It ends in 8.
TEST(GbnLink, halves_of_two_packets_do_not_make_one) {
  const LinkBench bench = run(spec_of_two(), 3, {{}, {1, 2}, {}});
  EXPECT_THAT(bench.handed, ElementsAre(HandedOn{0, 16}, HandedOn{1, 18}, HandedOn{2, 20}));
}

// The tail went in 2, so the sender waits until 42.
TEST(GbnLink, a_lost_last_tail_goes_again_after_the_timeout) {
  const LinkBench bench = run(spec_of_two(), 1, {{}, {1}, {}});
  EXPECT_THAT(bench.handed, ElementsAre(HandedOn{0, 47}));
  EXPECT_EQ(bench.link.counters().timeouts, 1u);
  EXPECT_EQ(bench.link.counters().nacks, 0u);
}

// Packet 0 is accepted in 6, its ACK leaves in 26.
TEST(GbnLink, an_ack_does_not_wait_for_more_packets_for_ever) {
  const LinkBench bench = run(spec_of_two(), 1);
  EXPECT_EQ(bench.last, 29u);
  EXPECT_EQ(bench.link.counters().acks, 1u);
}

// Tail 0 went in 2. Both go again from 42 on; packet 0, seen before, is there in 47 and acknowledged at once; in 50 the
// sender knows.
TEST(GbnLink, after_a_lost_ack_what_was_seen_before_is_discarded) {
  const LinkBench bench = run(spec_of_two(), 2, {{}, {}, {0}});
  EXPECT_THAT(bench.handed, ElementsAre(HandedOn{0, 6}, HandedOn{1, 8}));
  EXPECT_EQ(bench.last, 50u);
  EXPECT_EQ(bench.link.counters().timeouts, 1u);
  EXPECT_EQ(bench.link.counters().resent, 2u);
  EXPECT_EQ(bench.link.counters().discarded, 2u);
  EXPECT_EQ(bench.link.counters().acks, 2u);
  EXPECT_THAT(bench.released, ElementsAre(0, 1, 1000, 1001));
}

// The NACK for packet 1 is lost in 8. From 42 on packets 0, 1, ... go again: 42, 43 and 44, 45.
TEST(GbnLink, after_a_lost_nack_the_timeout_goes_back) {
  const LinkBench bench = run(spec_of_two(), 6, {{2}, {}, {0}});
  EXPECT_EQ(bench.handed[1], (HandedOn{1, 49}));
  EXPECT_EQ(bench.handed[5], (HandedOn{5, 57}));
  EXPECT_EQ(bench.link.counters().timeouts, 1u);
}

// The timeout of 6 cycles is shorter than any answer's way. The NACK of packet 0 leaves in 6 and is there in 9; the
// sender went back in 8 already, and packet 0 is complete in 9 + 4.
TEST(GbnLink, a_nack_from_before_a_jump_changes_nothing) {
  GbnSpec spec = spec_of_two();
  spec.retransmit_timeout = 6;
  const LinkBench bench = run(spec, 1, {{0}, {}, {}});
  EXPECT_EQ(bench.handed[0], (HandedOn{0, 13}));
}

// Head 0 goes again in 8. In 9 the ACK for packet 0 is there: head 1, in a new round, is no sign of a lost tail.
TEST(GbnLink, an_ack_for_what_is_being_sent_again_ends_that) {
  GbnSpec spec = spec_of_two();
  spec.retransmit_timeout = 6;
  spec.ack_packets = 1;
  const LinkBench bench = run(spec, 2);
  EXPECT_EQ(bench.link.counters().nacks, 0u);
  EXPECT_EQ(bench.link.counters().timeouts, 1u);
  EXPECT_EQ(bench.link.counters().resent, 2u);
  EXPECT_EQ(bench.link.counters().discarded, 2u);
}

TEST(GbnLink, parameters_out_of_range_are_refused) {
  const auto text_of = [](auto change) {
    GbnSpec spec = spec_of_two();
    change(spec);
    try {
      LinkBench(spec, Script{});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(text_of([](GbnSpec&) {}), "");
  EXPECT_THAT(text_of([](GbnSpec& s) { s.backward = 0; }), HasSubstr("legal: at least 1"));
  EXPECT_THAT(text_of([](GbnSpec& s) { s.replay_packets = 1; }), HasSubstr("never fills an ACK of 2"));
  EXPECT_THAT(text_of([](GbnSpec& s) { s.retransmit_timeout = 0; }), HasSubstr("timeout of 0"));
}

}  // namespace
}  // namespace weft::fred
