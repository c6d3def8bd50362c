// SPDX-License-Identifier: Apache-2.0
// Network interfaces: messages to packets to flits and back.
#include <gmock/gmock.h>

#include <numeric>

#include "npu/interface/message_interfaces.h"
#include "tests/npu/support/loop_fabric.h"

namespace weft::npu::test {
namespace {

using testing::ElementsAre;

/// Remembers everything that its interface says.
class Listener final : public Endpoint {
 public:
  struct Data {
    std::uint64_t tag, offset, bytes;
    bool last;
    friend bool operator==(const Data& a, const Data& b) {
      return a.tag == b.tag && a.offset == b.offset && a.bytes == b.bytes && a.last == b.last;
    }
  };
  void on_data(const Delivery& delivery) override {
    data.push_back({delivery.tag, delivery.offset, delivery.bytes, delivery.last});
    if (delivery.data != nullptr) payload.insert(payload.end(), delivery.data, delivery.data + delivery.bytes);
  }
  void on_sent(MessageId id) override { sent.push_back(index(id)); }
  void on_timer(std::uint64_t cookie) override { timers.push_back(cookie); }

  std::vector<Data> data;
  std::vector<std::uint8_t> payload;
  std::vector<std::uint32_t> sent;
  std::vector<std::uint64_t> timers;
};

void PrintTo(const Listener::Data& d, std::ostream* out) {
  *out << "tag " << d.tag << " [" << d.offset << " + " << d.bytes << ")" << (d.last ? " last" : "");
}

// Flits of 16 bytes, packets of 64, one flit per cycle, 4 VCs of 4 flits.
class Interfaces : public testing::Test {
 protected:
  static constexpr NodeId kA{0};
  static constexpr NodeId kB{1};

  void build(int message_classes = 1, int injectors = 0) {
    config_.fabric.flit_bytes = 16;
    config_.fabric.router.buffer_flits = 4;
    config_.npu.packet_bytes = 64;
    config_.npu.message_classes = message_classes;
    config_.npu.injectors = injectors;
    interfaces_ = std::make_unique<MessageInterfaces>(config_, std::vector<NodeId>{kA, kB});
    fabric_ = std::make_unique<LoopFabric>(*interfaces_, pool_, std::vector<NodeId>{kA, kB});
    interfaces_->connect(fabric_.get(), &pool_, nullptr);
    interfaces_->at(0).attach(a_);
    interfaces_->at(1).attach(b_);
  }
  void run(Cycle cycles) {
    for (const Cycle end = now_ + cycles; now_ < end; ++now_) interfaces_->step(now_);
  }
  static Message message(std::uint64_t tag, std::uint64_t bytes, std::uint8_t priority = 0,
                         MessageClass message_class = MessageClass::kRequest) {
    Message m;
    m.dst = kB;
    m.tag = tag;
    m.bytes = bytes;
    m.priority = priority;
    m.message_class = message_class;
    return m;
  }
  /// Cycles in which the heads of packets were injected, with their VCs.
  std::size_t flits_injected() const { return fabric_->injected.size(); }

  Config config_;
  PacketPool pool_;
  Listener a_;
  Listener b_;
  std::unique_ptr<MessageInterfaces> interfaces_;
  std::unique_ptr<LoopFabric> fabric_;
  Cycle now_ = 0;
};

// 150 bytes: packets of 64, 64 and 22 bytes, of 4, 4 and 2 flits.
TEST_F(Interfaces, cut_a_message_into_packets_and_flits) {
  build();
  interfaces_->at(0).send(message(7, 150));
  run(40);
  EXPECT_EQ(flits_injected(), 10u);
  EXPECT_THAT(b_.data, ElementsAre(Listener::Data{7, 0, 64, false}, Listener::Data{7, 64, 64, false},
                                   Listener::Data{7, 128, 22, true}));
  EXPECT_THAT(a_.sent, ElementsAre(0u));
  EXPECT_TRUE(interfaces_->idle());
  EXPECT_NO_THROW(interfaces_->ports().require_empty());
  EXPECT_EQ(pool_.in_use(), 0u);
}

TEST_F(Interfaces, send_an_empty_message_as_one_flit) {
  build();
  interfaces_->at(0).send(message(3, 0));
  run(10);
  EXPECT_EQ(flits_injected(), 1u);
  EXPECT_THAT(b_.data, ElementsAre(Listener::Data{3, 0, 0, true}));
}

// Packets of 64 bytes, one at a time. In turn, or all of the older chunk's first, although its message came later.
TEST_F(Interfaces, send_messages_in_turn_or_the_oldest_piece_first) {
  const auto tags = [this](MessageOrder turns) {
    config_.npu.message_order = turns;
    build(1, 1);
    b_.data.clear();
    Message younger = message(5, 128);
    younger.order = 1;
    interfaces_->at(0).send(younger);
    interfaces_->at(0).send(message(4, 128));
    run(60);
    std::vector<std::uint64_t> found;
    for (const Listener::Data& data : b_.data) found.push_back(data.tag);
    return found;
  };
  EXPECT_THAT(tags(MessageOrder::kRoundRobin), ElementsAre(5u, 4u, 5u, 4u));
  EXPECT_THAT(tags(MessageOrder::kOldestFirst), ElementsAre(4u, 4u, 5u, 5u));
}

// The first packet's VC is slow, so the others overtake it; they are handed over in order all the same.
TEST_F(Interfaces, hand_over_the_packets_of_a_message_in_order) {
  build();
  fabric_->set_delay(0, 40);
  interfaces_->at(0).send(message(1, 192));
  run(30);
  EXPECT_TRUE(b_.data.empty());
  run(40);
  EXPECT_THAT(b_.data, ElementsAre(Listener::Data{1, 0, 64, false}, Listener::Data{1, 64, 64, false},
                                   Listener::Data{1, 128, 64, true}));
  EXPECT_TRUE(interfaces_->idle());
}

TEST_F(Interfaces, let_equal_messages_take_turns_packet_by_packet) {
  build(1, 1);
  interfaces_->at(0).send(message(1, 128));
  interfaces_->at(0).send(message(2, 128));
  run(60);
  ASSERT_EQ(b_.data.size(), 4u);
  EXPECT_EQ(b_.data[0].tag, 1u);
  EXPECT_EQ(b_.data[1].tag, 2u);
  EXPECT_EQ(b_.data[2].tag, 1u);
  EXPECT_EQ(b_.data[3].tag, 2u);
}

TEST_F(Interfaces, send_higher_priority_first) {
  build(1, 1);
  interfaces_->at(0).send(message(1, 128, 0));
  interfaces_->at(0).send(message(2, 128, 5));
  run(60);
  ASSERT_EQ(b_.data.size(), 4u);
  EXPECT_EQ(b_.data[0].tag, 2u);
  EXPECT_EQ(b_.data[1].tag, 2u);
  EXPECT_EQ(b_.data[2].tag, 1u);
}

// A streamed message sends whole packets of what is released, and the rest when it comes.
TEST_F(Interfaces, send_a_streamed_message_as_it_is_released) {
  build();
  const MessageId id = interfaces_->at(0).send(message(4, 160), 70);
  run(20);
  EXPECT_THAT(b_.data, ElementsAre(Listener::Data{4, 0, 64, false}));
  interfaces_->at(0).release(id, 57);  // 127 bytes: one short of the second packet
  run(20);
  EXPECT_EQ(b_.data.size(), 1u);
  interfaces_->at(0).release(id, 33);
  run(20);
  EXPECT_THAT(b_.data, ElementsAre(Listener::Data{4, 0, 64, false}, Listener::Data{4, 64, 64, false},
                                   Listener::Data{4, 128, 32, true}));
  EXPECT_THROW(interfaces_->at(0).release(id, 1), ViolationError);
}

// VCs 0 and 1 belong to requests, 2 and 3 to replies. Requests that the fabric does not take hold up no reply.
TEST_F(Interfaces, keep_replies_moving_when_requests_are_blocked) {
  build(2);
  fabric_->close(0);
  fabric_->close(1);
  for (std::uint64_t tag = 0; tag < 5; ++tag) interfaces_->at(0).send(message(tag, 256));
  interfaces_->at(0).send(message(9, 256, 0, MessageClass::kReply));
  run(200);
  ASSERT_EQ(b_.data.size(), 4u);
  for (const Listener::Data& data : b_.data) EXPECT_EQ(data.tag, 9u);
  for (const LoopFabric::Injected& flit : fabric_->injected) EXPECT_LT(flit.vc, 4);
  fabric_->open(0, now_);
  fabric_->open(1, now_);
  run(400);
  EXPECT_EQ(b_.data.size(), 24u);
  EXPECT_TRUE(interfaces_->idle());
}

TEST_F(Interfaces, carry_data_by_offset) {
  build();
  fabric_->set_delay(1, 17);
  Message m = message(1, 200);
  m.payload = std::make_shared<Payload>(200);
  std::iota(m.payload->begin(), m.payload->end(), std::uint8_t{0});
  const Payload expected = *m.payload;
  std::weak_ptr<Payload> watched = m.payload;
  interfaces_->at(0).send(m);
  m.payload.reset();
  run(60);
  EXPECT_EQ(b_.payload, expected);
  EXPECT_TRUE(watched.expired());  // nobody keeps the data of a message that has arrived
}

TEST_F(Interfaces, fire_timers_in_order_of_time_then_of_setting) {
  build();
  interfaces_->at(0).schedule(5, 50);
  interfaces_->at(0).schedule(2, 20);
  interfaces_->at(0).schedule(5, 51);
  run(5);
  EXPECT_THAT(a_.timers, ElementsAre(20u));
  run(1);
  EXPECT_THAT(a_.timers, ElementsAre(20u, 50u, 51u));
}

// One flit per cycle: a message of 64 flits keeps the link busy without a gap, over all its VCs.
TEST_F(Interfaces, keep_the_link_busy) {
  build();
  interfaces_->at(0).send(message(1, 1024));
  run(100);
  ASSERT_EQ(flits_injected(), 64u);
  for (std::size_t i = 1; i < 64; ++i) EXPECT_EQ(fabric_->injected[i].at, fabric_->injected[0].at + i);
}

}  // namespace
}  // namespace weft::npu::test
