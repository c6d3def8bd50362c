// SPDX-License-Identifier: Apache-2.0
// What crosses a border again and again.
#include "sc_models/border_record.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace weft::sc_models {
namespace {

/// What a sender whose message grows sends in cycle `at`: a flit of a packet, and a credit.
Mailbox mail_of(
    Cycle at, const std::function<void(Packet&)>& change = [](Packet&) {}) {
  FlitTransfer flit;
  flit.vc = VcId{1};
  flit.head = flit.tail = true;
  flit.packet.src = NodeId{7};
  flit.packet.sequence = static_cast<std::uint32_t>(100 + at);
  flit.packet.message_sequence = static_cast<std::uint32_t>(10 + at / 2);
  flit.packet.tag = 5000 + 3 * at;
  flit.packet.offset = 64 * at;
  flit.packet.created = 20;
  flit.packet.injected = at - 1;
  change(flit.packet);
  Mailbox mail;
  mail.add_flit(3, flit, at + 2, 0);
  mail.add_credit(4, VcId{2}, at + 1);
  return mail;
}

/// Notes cycles 10 to 15, three periods of two cycles.
BorderRecord record_of_three_periods() {
  BorderRecord record;
  record.begin(2);
  for (Cycle at = 10; at < 16; ++at) EXPECT_TRUE(record.note(mail_of(at), at)) << at;
  return record;
}

TEST(BorderRecord, writes_what_comes_in_later_periods) {
  const BorderRecord record = record_of_three_periods();
  EXPECT_EQ(record.size(), 12u);
  for (const Cycle at : {16, 17, 18, 1001}) {
    Mailbox mail;
    record.write(&mail, at);
    std::vector<PacketGrowth> growth;
    EXPECT_TRUE(mail.comes_again(mail_of(at), 0, &growth)) << at;
    EXPECT_EQ(growth, std::vector<PacketGrowth>(1)) << at;
    EXPECT_EQ(mail.first(), at + 1);
    EXPECT_TRUE(record.expects(mail_of(at), at)) << at;
    EXPECT_FALSE(record.expects(mail_of(at), at + 2)) << at;
  }
}

TEST(BorderRecord, expects_nothing_else) {
  const BorderRecord record = record_of_three_periods();
  const std::vector<std::function<void(Packet&)>> changes = {
      [](Packet& p) { ++p.sequence; },      [](Packet& p) { ++p.message_sequence; },
      [](Packet& p) { ++p.tag; },           [](Packet& p) { ++p.offset; },
      [](Packet& p) { ++p.created; },       [](Packet& p) { ++p.injected; },
      [](Packet& p) { p.src = NodeId{8}; }, [](Packet& p) { p.dst = NodeId{8}; },
      [](Packet& p) { ++p.flits; },         [](Packet& p) { ++p.bytes; },
      [](Packet& p) { ++p.hops; },          [](Packet& p) { ++p.message_bytes; },
      [](Packet& p) { ++p.dst_x; },         [](Packet& p) { ++p.dst_y; },
      [](Packet& p) { ++p.via_x; },         [](Packet& p) { ++p.via_y; },
      [](Packet& p) { ++p.route_bits; },    [](Packet& p) { ++p.message_class; },
      [](Packet& p) { p.flow = true; },     [](Packet& p) { p.follows_route = true; },
      [](Packet& p) { p.measured = true; }, [](Packet& p) { p.switch_flow = 1; },
      [](Packet& p) { ++p.flits_received; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_FALSE(record.expects(mail_of(20, changes[i]), 20)) << "change " << i;
  }
  EXPECT_FALSE(record.expects(Mailbox(), 20));
  Mailbox more = mail_of(20);
  more.add_credit(4, VcId{2}, 21);
  EXPECT_FALSE(record.expects(more, 20));
}

// In cycles 14 and 15, of the last period, 64 * 14 and 64 * 15 bytes of the message have come before the packet; a
// period brings 128. Two periods, 256 bytes, stay behind the last one that may come.
TEST(BorderRecord, a_message_that_passes_by_bounds_the_periods) {
  const auto record_of = [](std::uint64_t message_bytes) {
    BorderRecord record;
    record.begin(2);
    const auto sizes = [&](Packet& p) {
      p.bytes = 64;
      p.message_bytes = message_bytes;
    };
    for (Cycle at = 10; at < 16; ++at) EXPECT_TRUE(record.note(mail_of(at, sizes), at)) << at;
    return record;
  };
  EXPECT_EQ(record_of(64 * 16 + 256 + 5 * 128).periods_left(64), 5u);
  EXPECT_EQ(record_of(64 * 16 + 256 + 5 * 128 - 1).periods_left(64), 4u);
  EXPECT_EQ(record_of(64 * 16 + 1000 + 5 * 128).periods_left(1000), 5u);
  EXPECT_EQ(record_of(64 * 16 + 255).periods_left(64), 0u);
  EXPECT_EQ(record_of(64 * 17).periods_left(64), 0u);
}

TEST(BorderRecord, what_was_sent_in_one_period_alone_is_not_complete) {
  EXPECT_TRUE(record_of_three_periods().complete());
  BorderRecord record;
  record.begin(2);
  EXPECT_TRUE(record.complete());
  EXPECT_TRUE(record.note(mail_of(10), 10));
  EXPECT_FALSE(record.complete());
  EXPECT_TRUE(record.note(mail_of(12), 12));
  EXPECT_TRUE(record.complete());  // nothing has been sent in cycle 11
  EXPECT_TRUE(record.note(mail_of(13), 13));
  EXPECT_FALSE(record.complete());
}

TEST(BorderRecord, what_grows_by_another_amount_does_not_come_again) {
  BorderRecord record;
  record.begin(1);
  EXPECT_TRUE(record.note(mail_of(10), 10));
  EXPECT_TRUE(record.note(mail_of(11), 11));
  EXPECT_FALSE(record.note(mail_of(12, [](Packet& p) { p.tag += 1; }), 12));
  record.begin(1);
  EXPECT_TRUE(record.note(mail_of(10), 10));
  EXPECT_FALSE(record.note(mail_of(11, [](Packet& p) { p.bytes = 9; }), 11));
  record.begin(1);
  EXPECT_TRUE(record.note(mail_of(10), 10));
  EXPECT_FALSE(record.note(mail_of(11, [](Packet& p) { p.offset = 0; }), 11));  // of another message
}

}  // namespace
}  // namespace weft::sc_models
