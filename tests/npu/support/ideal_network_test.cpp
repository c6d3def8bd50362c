// SPDX-License-Identifier: Apache-2.0
// The test double itself: its finish times must be those of the formula in its header.
#include "tests/npu/support/ideal_network.h"

#include <gtest/gtest.h>

namespace weft::npu::testing {
namespace {

class Recorder final : public Endpoint {
 public:
  struct Arrival {
    Cycle cycle;
    Delivery delivery;
  };
  explicit Recorder(NetworkInterface& network) : network_(network) { network.attach(*this); }
  void on_data(const Delivery& delivery) override { arrivals.push_back({network_.now(), delivery}); }
  void on_sent(MessageId /*id*/) override { sent.push_back(network_.now()); }
  void on_timer(std::uint64_t cookie) override { timers.emplace_back(network_.now(), cookie); }

  std::vector<Arrival> arrivals;
  std::vector<Cycle> sent;
  std::vector<std::pair<Cycle, std::uint64_t>> timers;

 private:
  NetworkInterface& network_;
};

Message message_to(std::uint32_t dst, std::uint64_t tag, std::uint64_t bytes, std::uint8_t priority = 0) {
  Message message;
  message.dst = NodeId{dst};
  message.tag = tag;
  message.bytes = bytes;
  message.priority = priority;
  return message;
}

TEST(IdealNetwork, cuts_packets_and_keeps_fractions_of_a_cycle) {
  // 100 bytes at 3/2 bytes per cycle in packets of 40: ends at 26.67, 53.33 and 66.67 cycles, 5 of latency.
  IdealNetwork net({2, 5, {3, 2}, 40, 0, 1});
  Recorder a(net.at(NodeId{0}));
  Recorder b(net.at(NodeId{1}));
  net.at(NodeId{0}).send(message_to(1, 77, 100));
  net.run();
  ASSERT_EQ(b.arrivals.size(), 3u);
  EXPECT_EQ(b.arrivals[0].cycle, 32u);
  EXPECT_EQ(b.arrivals[1].cycle, 59u);
  EXPECT_EQ(b.arrivals[2].cycle, 72u);
  EXPECT_EQ(b.arrivals[1].delivery.offset, 40u);
  EXPECT_EQ(b.arrivals[2].delivery.bytes, 20u);
  EXPECT_FALSE(b.arrivals[1].delivery.last);
  EXPECT_TRUE(b.arrivals[2].delivery.last);
  EXPECT_EQ(b.arrivals[2].delivery.tag, 77u);
  EXPECT_EQ(a.sent, std::vector<Cycle>{67});
}

TEST(IdealNetwork, serialises_by_priority_then_age) {
  IdealNetwork net({2, 1, {1, 1}, 10, 0, 1});
  Recorder a(net.at(NodeId{0}));
  Recorder b(net.at(NodeId{1}));
  net.at(NodeId{0}).send(message_to(1, 1, 20));
  net.at(NodeId{0}).send(message_to(1, 2, 10));
  net.at(NodeId{0}).send(message_to(1, 3, 10, 5));
  net.run();
  std::vector<std::pair<Cycle, std::uint64_t>> seen;
  for (const auto& arrival : b.arrivals) seen.emplace_back(arrival.cycle, arrival.delivery.tag);
  const std::vector<std::pair<Cycle, std::uint64_t>> expected{{11, 3}, {21, 1}, {31, 1}, {41, 2}};
  EXPECT_EQ(seen, expected);
}

TEST(IdealNetwork, streams_as_bytes_are_released) {
  IdealNetwork net({2, 1, {10, 1}, 10, 0, 1});
  Recorder a(net.at(NodeId{0}));
  Recorder b(net.at(NodeId{1}));
  const MessageId id = net.at(NodeId{0}).send(message_to(1, 1, 25), 12);
  net.run(100);
  ASSERT_EQ(b.arrivals.size(), 1u);
  EXPECT_EQ(b.arrivals[0].cycle, 2u);
  net.at(NodeId{0}).release(id, 13);
  const Cycle start = net.now();
  net.run();
  ASSERT_EQ(b.arrivals.size(), 3u);
  EXPECT_EQ(b.arrivals[1].cycle, start + 2);
  EXPECT_EQ(b.arrivals[2].cycle, start + 3);  // 1.5 cycles on the wire end at the edge 2
}

TEST(IdealNetwork, empty_message_and_timers_arrive) {
  IdealNetwork net({2, 7, {1, 1}, 10, 0, 1});
  Recorder a(net.at(NodeId{0}));
  Recorder b(net.at(NodeId{1}));
  net.at(NodeId{0}).send(message_to(1, 9, 0));
  net.at(NodeId{1}).schedule(0, 5);
  net.at(NodeId{1}).schedule(3, 6);
  net.run();
  ASSERT_EQ(b.arrivals.size(), 1u);
  EXPECT_EQ(b.arrivals[0].cycle, 7u);
  EXPECT_TRUE(b.arrivals[0].delivery.last);
  const std::vector<std::pair<Cycle, std::uint64_t>> expected{{0, 5}, {3, 6}};
  EXPECT_EQ(b.timers, expected);
}

TEST(IdealNetwork, jitter_lets_messages_overtake_but_never_packets_of_one) {
  IdealNetwork net({2, 1, {100, 1}, 10, 200, 3});
  Recorder a(net.at(NodeId{0}));
  Recorder b(net.at(NodeId{1}));
  for (std::uint64_t tag = 0; tag < 50; ++tag) net.at(NodeId{0}).send(message_to(1, tag, 30));
  net.run();
  ASSERT_EQ(b.arrivals.size(), 150u);
  std::vector<std::uint64_t> next(50, 0);
  bool overtaken = false;
  std::uint64_t newest = 0;
  for (const auto& arrival : b.arrivals) {
    EXPECT_EQ(arrival.delivery.offset, next[arrival.delivery.tag]);
    next[arrival.delivery.tag] += 10;
    overtaken = overtaken || arrival.delivery.tag < newest;
    newest = std::max(newest, arrival.delivery.tag);
  }
  EXPECT_TRUE(overtaken);
}

}  // namespace
}  // namespace weft::npu::testing
