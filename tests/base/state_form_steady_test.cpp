// SPDX-License-Identifier: Apache-2.0
// The state of a block at steady rates: what is measured, and how it is moved on.
#include <gtest/gtest.h>

#include "base/state_form.h"

namespace weft {
namespace {

// A sender of three messages has sent 4 of 10 packets of the first one, which has another packet on its way; the second
// one is sent as the first one comes in, and the third one has not begun.
TEST(StateForm, what_has_steady_rates_moves_on_by_messages_counters_and_times) {
  PacketPool pool;
  const PacketIndex index = pool.allocate();
  Packet& packet = pool[index];
  packet.src = NodeId{3};
  packet.message_sequence = 7;
  packet.message_bytes = 1000;
  packet.bytes = 100;
  packet.offset = 300;
  packet.created = 40;
  struct State {
    std::uint64_t flits = 30;
    std::uint64_t released[3] = {1000, 300, 50};
    std::uint64_t formed[3] = {400, 200, 0};
    std::uint64_t received = 300;
    std::uint64_t delivered = 300;
    std::uint64_t sequence = 9;
    Cycle counted_to = 90;
    Cycle timer = 104;
  } state;
  const auto put = [&](StateForm& form) {
    form.grows(state.flits);
    form.number(state.sequence);
    form.past(state.counted_to);
    form.time(state.timer);
    const NodeId src[] = {NodeId{3}, NodeId{4}, NodeId{3}};
    const std::uint32_t sequence[] = {7, 7, 8};
    for (int i = 0; i < 3; ++i) {
      form.sends({src[i], NodeId{4 + static_cast<std::uint32_t>(i)}, sequence[i], 11, 1000, 100, state.released[i],
                  state.formed[i]});
      if (i == 1) form.streams_from(NodeId{3}, 11);
      form.progress(state.released[i], state.formed[i], 1000, 100);
    }
    form.packet(pool, index);
    form.receives_at(NodeId{4});
    form.belongs_to(NodeId{3}, std::uint64_t{11});
    form.counts_to(state.received, 1000);
    form.belongs_to(NodeId{3}, std::uint32_t{7});
    form.of_message(state.delivered);
    form.event(500);
  };
  StateForm form;
  SteadyLook look;
  form.begin_rates(&look, 100);
  put(form);
  ASSERT_TRUE(form.end());
  EXPECT_EQ(state.flits, 30u) << "looking changes nothing";
  EXPECT_EQ(look.counters, std::vector<std::uint64_t>{30});
  EXPECT_EQ(look.event_at, 500u);
  ASSERT_EQ(look.messages.size(), 3u);
  EXPECT_TRUE(look.messages[1].streams && !look.messages[0].streams);
  SteadyJump jump;
  jump.counters = {60};
  jump.add(look.messages[0], {0, 200});
  jump.add(look.messages[1], {200, 100});
  form.begin_advance(&jump, 100, 70);
  put(form);
  ASSERT_TRUE(form.end());
  EXPECT_EQ(state.flits, 90u);
  EXPECT_EQ(state.sequence, 9u) << "nothing new has begun";
  EXPECT_EQ(state.counted_to, 160u);
  EXPECT_EQ(state.timer, 174u);
  EXPECT_EQ(state.released[0], 1000u);
  EXPECT_EQ(state.formed[0], 600u);
  EXPECT_EQ(state.released[1], 500u);
  EXPECT_EQ(state.formed[1], 300u);
  EXPECT_EQ(state.released[2], 50u) << "what has not begun stays";
  EXPECT_EQ(state.formed[2], 0u);
  EXPECT_EQ(packet.offset, 500u) << "a packet on its way is one further on in its message";
  EXPECT_EQ(packet.created, 110u);
  EXPECT_EQ(state.received, 500u);
  EXPECT_EQ(state.delivered, 500u);
}

// A packet whose bytes have waited since before the rates were measured waits on; one that was made since then is
// another packet by then.
TEST(StateForm, what_was_made_before_rates_were_measured_stays) {
  StateForm form;
  Cycle before = 49;
  Cycle since = 50;
  const auto put = [&] {
    form.made(before);
    form.made(since);
  };
  SteadyLook look;
  form.begin_rates(&look, 100);
  put();
  ASSERT_TRUE(form.end());
  SteadyJump jump;
  jump.measured_from = 50;
  form.begin_advance(&jump, 100, 70);
  put();
  ASSERT_TRUE(form.end());
  EXPECT_EQ(before, 49u);
  EXPECT_EQ(since, 120u);
}

// Tags of one family are those from 100 on, hundred by hundred; below there are none.
TEST(StateForm, streams_move_on_by_pieces_and_with_them_the_tags_of_their_messages) {
  StateForm form;
  form.set_rules([](std::uint64_t tag) { return tag / 100; }, nullptr);
  SteadyLook look;
  std::uint64_t packets = 40;
  std::uint64_t message_of_stream = 203;
  std::uint64_t other_stream = 305;
  std::uint64_t other_message = 7;
  const auto put = [&] {
    StreamProgress stream;
    stream.family = 2;
    stream.piece_bytes = 1000;
    stream.begun = 5;
    stream.senders = 2;
    form.stream(stream);
    form.sends({NodeId{0}, NodeId{1}, 1, message_of_stream, 700, 100, 700, 300});
    form.sends({NodeId{1}, NodeId{0}, 1, message_of_stream, 700, 100, 700, 100});
    form.sends({NodeId{0}, NodeId{1}, 2, other_message, 700, 100, 700, 100});
    for (std::uint64_t* tag : {&message_of_stream, &other_stream, &other_message}) form.tag(*tag);
    form.counts_packets(packets);
  };
  form.begin_rates(&look, 100);
  put();
  ASSERT_TRUE(form.end());
  ASSERT_EQ(look.streams.size(), 1u);
  ASSERT_EQ(look.messages.size(), 1u) << "messages of a stream are not moved on by themselves";
  EXPECT_DOUBLE_EQ(look.flow_of(look.streams[0]), 5 - 500 / 1000.0);
  SteadyJump jump;
  jump.counters = {60};
  jump.streams.push_back({2, 12, 24});
  form.begin_advance(&jump, 100, 70);
  put();
  ASSERT_TRUE(form.end());
  EXPECT_EQ(message_of_stream, 227u);
  EXPECT_EQ(other_stream, 305u);
  EXPECT_EQ(other_message, 7u);
  EXPECT_EQ(packets, 100u);
  EXPECT_EQ(form.stream_pieces(2), 12u);
  EXPECT_EQ(form.stream_pieces(3), 0u);
}

TEST(StateForm, a_look_knows_the_first_and_the_last_event_ahead) {
  StateForm form;
  SteadyLook look;
  const auto look_at = [&](std::initializer_list<Cycle> events) {
    form.begin_rates(&look, 100);
    for (const Cycle at : events) form.event(at);
    ASSERT_TRUE(form.end());
  };
  look_at({500, 170, 300});
  EXPECT_EQ(look.event_at, 170u);
  EXPECT_EQ(look.goes_on_until, 500u);
  look_at({});
  EXPECT_EQ(look.event_at, kNever);
  EXPECT_EQ(look.goes_on_until, 0u);
}

// A counter of packets and one of what streams have brought: both grow by what they are given where all happens again,
// and stay where streams move themselves on.
TEST(StateForm, what_happens_again_moves_all_counters_on) {
  StateForm form;
  std::uint64_t packets = 100;
  std::uint64_t brought = 1000;
  const auto put = [&] {
    form.counts_packets(packets);
    form.counts_streams(brought);
  };
  SteadyLook look;
  form.begin_rates(&look, 100);
  put();
  ASSERT_TRUE(form.end());
  EXPECT_EQ(look.counters, (std::vector<std::uint64_t>{100, 1000}));
  SteadyJump jump;
  jump.counters = {60, 500};
  form.begin_advance(&jump, 100, 70);
  EXPECT_FALSE(form.moves_all());
  put();
  ASSERT_TRUE(form.end());
  EXPECT_EQ(packets, 100u);
  EXPECT_EQ(brought, 1000u);
  jump.whole = true;
  jump.measured_from = 65;
  form.begin_advance(&jump, 100, 70);
  EXPECT_TRUE(form.moves_all());
  EXPECT_EQ(form.happened_from(), 65u);
  put();
  ASSERT_TRUE(form.end());
  EXPECT_EQ(packets, 160u);
  EXPECT_EQ(brought, 1500u);
}

}  // namespace
}  // namespace weft
