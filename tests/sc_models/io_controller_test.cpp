// SPDX-License-Identifier: Apache-2.0
// I/O controllers that stream, and receivers of streams, at a network interface that a test plays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sc_models/io_stream_receiver.h"
#include "sc_models/io_stream_source.h"
#include "tests/sc_models/support/fake_interface.h"

namespace weft::sc_models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two streams of 100 bytes in packets of 32 bytes, 4 flits; a line brings 3 flits in 8 cycles.
IoStreamRules rules() { return {100, 32, 2, true, 0}; }
const IoLine kLine{{3, 8}, 8};

IoStreamPath by_packets() { return {{}, true, {}}; }
IoStreamPath whole(std::vector<NodeId> receivers = {}) { return {{}, false, std::move(receivers)}; }

/// A controller that streams.
struct Streamer {
  Streamer(const IoStreamRules& all, std::uint32_t number, IoStreamPath path, npu::NetworkInterface& interface)
      : controller({NodeId{7}, {}, "io"}, kLine, interface), source(all, number, std::move(path), controller) {}
  IoController controller;
  IoStreamSource source;
};

std::vector<Cycle> times(const FakeInterface& interface) {
  std::vector<Cycle> times;
  for (const auto& sent : interface.sent) times.push_back(sent.at);
  return times;
}

TEST(IoController, a_packet_leaves_when_the_line_has_brought_it) {
  const IoStreamRules all = rules();
  FakeInterface interface;
  Streamer streamer(all, 1, by_packets(), interface);
  streamer.source.start();
  interface.run_to(100, 2);
  // 4 flits take 32/3 cycles; the last packet has 4 bytes, one flit.
  EXPECT_THAT(times(interface), ElementsAre(11, 22, 32, 35));
  EXPECT_EQ(interface.sent[0].message.bytes, 32U);
  EXPECT_EQ(interface.sent[3].message.bytes, 4U);
}

// A line does not make up for the time in which it stood: with room for one packet beside the one that is sent.
TEST(IoController, a_line_that_is_held_up_goes_on_at_its_rate) {
  const IoStreamRules all = rules();
  FakeInterface interface;
  Streamer streamer(all, 1, by_packets(), interface);
  streamer.source.start();
  interface.run_to(200, 30);
  // Packet 1 is sent at 11 and has left at 41; the second waits since 22, the third is brought from 41 on.
  EXPECT_THAT(times(interface), ElementsAre(11, 41, 71, 101));
}

// Packet 1 waits from 22 to 41; room that is told of at 30 does not make the line bring another one.
TEST(IoController, a_line_with_a_waiting_packet_stands) {
  IoStreamRules all = rules();
  all.window = 4;
  FakeInterface interface;
  Streamer streamer(all, 1, by_packets(), interface);
  streamer.source.start();
  streamer.source.taken_everywhere(1, 0, 30);
  interface.run_to(200, 30);
  std::vector<Cycle> fired;
  for (const auto& [at, cookie] : interface.timers) fired.push_back(at);
  // The line brings packets by 11 and 22, then 32/3 cycles from 41 and 8/3 from 71 on.
  EXPECT_THAT(fired, ElementsAre(11, 30, 22, 52, 74));
}

TEST(IoStreamSource, sends_packets_that_receivers_have_room_for) {
  IoStreamRules all = rules();
  all.window = 2;
  FakeInterface interface;
  Streamer streamer(all, 1, by_packets(), interface);
  streamer.source.start();
  interface.run_to(100, 2);
  EXPECT_THAT(times(interface), ElementsAre(11, 22));
  streamer.source.taken_everywhere(1, 99, 20);
  interface.run_to(200, 2);
  EXPECT_THAT(times(interface), ElementsAre(11, 22, 119));
  streamer.source.taken_everywhere(4, 199, 20);
  interface.run_to(300, 2);
  EXPECT_EQ(interface.sent.size(), 4U);
}

// A message to each of two receivers, of which as much is released as there is room for.
TEST(IoStreamSource, releases_messages_as_far_as_receivers_have_room) {
  IoStreamRules all = rules();
  all.window = 2;
  FakeInterface interface;
  Streamer streamer(all, 0, whole({NodeId{3}, NodeId{4}}), interface);
  streamer.source.start();
  interface.run_to(100, 2);
  EXPECT_THAT(times(interface), ElementsAre(0, 0));
  EXPECT_EQ(interface.sent[0].message.dst, NodeId{3});
  EXPECT_EQ(interface.sent[0].released, 64U);
  EXPECT_EQ(interface.sent[1].released, 64U);
  streamer.source.taken_everywhere(1, 99, 20);
  interface.run_to(119, 2);
  EXPECT_EQ(interface.sent[1].released, 64U);
  interface.run_to(120, 2);
  EXPECT_EQ(interface.sent[1].released, 96U);
  streamer.source.taken_everywhere(4, 119, 20);
  interface.run_to(300, 2);
  EXPECT_EQ(interface.sent[1].released, 100U);  // the last packet has 4 bytes
  EXPECT_EQ(interface.sent.size(), 2U);
}

TEST(IoStreamSource, takes_no_packets) {
  const IoStreamRules all = rules();
  FakeInterface interface;
  Streamer streamer(all, 0, by_packets(), interface);
  EXPECT_THROW(streamer.controller.on_data({}), ViolationError);
}

npu::Delivery delivery_of(const FakeInterface::Sent& sent) {
  npu::Delivery delivery;
  delivery.tag = sent.message.tag;
  delivery.bytes = sent.message.bytes;
  delivery.message_bytes = sent.message.bytes;
  delivery.data = sent.message.payload->data();
  return delivery;
}

TEST(IoStreamReceiver, knows_its_numbers_and_what_it_has) {
  const IoStreamRules all = rules();
  FakeInterface sender;
  Streamer streamer(all, 1, by_packets(), sender);
  streamer.source.start();
  sender.run_to(100, 0);
  ASSERT_EQ(sender.sent.size(), 4U);
  FakeInterface receiver;
  IoStreamReceiver sink(all, receiver);
  for (const std::size_t packet : {2U, 0U, 3U}) sink.on_data(delivery_of(sender.sent[packet]));
  EXPECT_EQ(sink.arrival(1).bytes, 68U);
  EXPECT_FALSE(sink.has_a_whole_stream());
  // Twice, and with a wrong number.
  EXPECT_THROW(sink.on_data(delivery_of(sender.sent[0])), ViolationError);
  sender.sent[1].message.payload->at(5) ^= 1;
  try {
    sink.on_data(delivery_of(sender.sent[1]));
    FAIL() << "a wrong number was not found";
  } catch (const ViolationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("node 7: byte 37 of stream 1 is "));
  }
}

TEST(IoStreamReceiver, is_finished_when_all_streams_are) {
  const IoStreamRules all{64, 32, 2, false, 0};
  FakeInterface interface;
  IoStreamReceiver sink(all, interface);
  const auto packet = [&](std::uint32_t stream, std::uint64_t offset) {
    npu::Delivery delivery;
    delivery.tag = stream;
    delivery.offset = offset;
    delivery.bytes = 32;
    sink.on_data(delivery);
  };
  packet(0, 0);
  packet(1, 32);
  packet(0, 32);
  EXPECT_EQ(sink.taken(), 0U);  // the first packet of stream 1 is missing
  EXPECT_TRUE(sink.has_a_whole_stream());
  EXPECT_FALSE(sink.finished());
  packet(1, 0);
  EXPECT_EQ(sink.taken(), 2U);
  EXPECT_TRUE(sink.finished());
  EXPECT_EQ(sink.bytes_received(), 128U);
}

}  // namespace
}  // namespace weft::sc_models
