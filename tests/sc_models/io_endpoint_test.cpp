// SPDX-License-Identifier: Apache-2.0
// Sources and sinks of I/O streams at a network interface that a test plays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "sc_models/io_endpoint.h"

namespace weft::sc_models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Remembers what is asked for.
class FakeInterface final : public npu::NetworkInterface {
 public:
  struct Sent {
    Cycle at = 0;
    npu::Message message;
    std::uint64_t released = 0;
  };
  NodeId node() const override { return NodeId{7}; }
  Cycle now() const override { return now_; }
  npu::MessageId send(const npu::Message& message, std::uint64_t released) override {
    sent.push_back({now_, message, released});
    return npu::MessageId(static_cast<std::uint32_t>(sent.size() - 1));
  }
  void release(npu::MessageId id, std::uint64_t bytes) override { sent[index(id)].released += bytes; }
  void schedule(Cycle delay, std::uint64_t cookie) override { timers.push_back({now_ + delay, cookie}); }
  void attach(npu::Endpoint& endpoint) override { endpoint_ = &endpoint; }

  /// Fires the timers up to `end`; a message that is sent has entered the fabric `busy` cycles later.
  void run_to(Cycle end, Cycle busy) {
    for (; now_ < end; ++now_) {
      for (std::size_t i = 0; i < timers.size(); ++i) {
        if (timers[i].first == now_) endpoint_->on_timer(timers[i].second);
      }
      if (told < sent.size() && sent[told].at + busy <= now_) {
        endpoint_->on_sent(npu::MessageId(static_cast<std::uint32_t>(told++)));
      }
    }
  }

  std::vector<Sent> sent;
  std::vector<std::pair<Cycle, std::uint64_t>> timers;
  std::size_t told = 0;

 private:
  npu::Endpoint* endpoint_ = nullptr;
  Cycle now_ = 0;
};

/// Two streams of 100 bytes in packets of 32 bytes, 4 flits; a line brings 3 flits in 8 cycles.
IoRules rules() { return {100, 32, 8, 2, {3, 8}, true, 0}; }

std::vector<Cycle> times(const FakeInterface& interface) {
  std::vector<Cycle> times;
  for (const auto& sent : interface.sent) times.push_back(sent.at);
  return times;
}

TEST(IoEndpoint, a_packet_leaves_when_the_line_has_brought_it) {
  const IoRules all = rules();
  FakeInterface interface;
  IoEndpoint endpoint(all, interface, false);
  endpoint.add_stream({1, {}, true, {}});
  endpoint.start();
  interface.run_to(100, 2);
  // 4 flits take 32/3 cycles; the last packet has 4 bytes, one flit.
  EXPECT_THAT(times(interface), ElementsAre(11, 22, 32, 35));
  EXPECT_EQ(interface.sent[0].message.bytes, 32U);
  EXPECT_EQ(interface.sent[3].message.bytes, 4U);
}

// A line does not make up for the time in which it stood: with room for one packet beside the one that is sent.
TEST(IoEndpoint, a_line_that_is_held_up_goes_on_at_its_rate) {
  const IoRules all = rules();
  FakeInterface interface;
  IoEndpoint endpoint(all, interface, false);
  endpoint.add_stream({1, {}, true, {}});
  endpoint.start();
  interface.run_to(200, 30);
  // Packet 1 is sent at 11 and has left at 41; the second waits since 22, the third is brought from 41 on.
  EXPECT_THAT(times(interface), ElementsAre(11, 41, 71, 101));
}

TEST(IoEndpoint, sends_what_receivers_have_room_for) {
  IoRules all = rules();
  all.window = 2;
  FakeInterface interface;
  IoEndpoint endpoint(all, interface, false);
  endpoint.add_stream({1, {}, true, {}});
  endpoint.add_stream({0, {}, false, {NodeId{3}, NodeId{4}}});
  endpoint.start();
  interface.run_to(100, 2);
  // Two messages to two receivers, of which two packets are released, and two packets of the line.
  EXPECT_THAT(times(interface), ElementsAre(0, 0, 11, 22));
  EXPECT_EQ(interface.sent[0].released, 64U);
  EXPECT_EQ(interface.sent[1].released, 64U);
  endpoint.taken_everywhere(1, 99, 20);
  interface.run_to(200, 2);
  EXPECT_THAT(times(interface), ElementsAre(0, 0, 11, 22, 119));
  EXPECT_EQ(interface.sent[1].released, 96U);
  endpoint.taken_everywhere(4, 199, 20);
  interface.run_to(300, 2);
  EXPECT_EQ(interface.sent[1].released, 100U);  // the last packet has 4 bytes
  EXPECT_EQ(interface.sent.size(), 6U);
}

npu::Delivery delivery_of(const FakeInterface::Sent& sent) {
  npu::Delivery delivery;
  delivery.tag = sent.message.tag;
  delivery.bytes = sent.message.bytes;
  delivery.message_bytes = sent.message.bytes;
  delivery.data = sent.message.payload->data();
  return delivery;
}

TEST(IoEndpoint, knows_its_numbers_and_what_it_has) {
  const IoRules all = rules();
  FakeInterface sender;
  IoEndpoint source(all, sender, false);
  source.add_stream({1, {}, true, {}});
  source.add_stream({0, {}, false, {}});  // the whole stream as one message
  source.start();
  sender.run_to(100, 0);
  ASSERT_EQ(sender.sent.size(), 5U);
  EXPECT_TRUE(source.finished());  // it is no receiver
  FakeInterface receiver;
  IoEndpoint sink(all, receiver, true);
  for (const std::size_t packet : {3U, 1U, 4U}) sink.on_data(delivery_of(sender.sent[packet]));
  EXPECT_EQ(sink.arrival(1).bytes, 68U);
  EXPECT_FALSE(sink.has_a_whole_stream());
  // Twice, and with a wrong number.
  EXPECT_THROW(sink.on_data(delivery_of(sender.sent[1])), ViolationError);
  sender.sent[2].message.payload->at(5) ^= 1;
  try {
    sink.on_data(delivery_of(sender.sent[2]));
    FAIL() << "a wrong number was not found";
  } catch (const ViolationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("node 7: byte 37 of stream 1 is "));
  }
}

TEST(IoEndpoint, is_finished_when_all_streams_are) {
  const IoRules all{64, 32, 8, 2, {1, 1}, false, 0};
  FakeInterface interface;
  IoEndpoint sink(all, interface, true);
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
