// SPDX-License-Identifier: Apache-2.0
// Network interfaces in front of FRED switches: planes, traffic classes, virtual cut-through, the order of flows.
#include <gmock/gmock.h>

#include <cstring>
#include <optional>

#include "npu/collective/engine/packet_reducer.h"
#include "npu/interface/message_interfaces.h"
#include "tests/npu/support/ideal_switch.h"

namespace weft::npu::test {
namespace {

using testing::ElementsAre;

class PlaneListener final : public Endpoint {
 public:
  void on_data(const Delivery& delivery) override {
    tags.push_back(delivery.tag);
    sources.push_back(delivery.src);
    offsets.push_back(delivery.offset);
    if (delivery.data != nullptr) payload.insert(payload.end(), delivery.data, delivery.data + delivery.bytes);
  }
  void on_sent(MessageId) override { ++sent; }
  void on_timer(std::uint64_t) override {}

  std::vector<std::uint64_t> tags;
  std::vector<NodeId> sources;
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint8_t> payload;
  int sent = 0;
};

// Flits of 16 bytes, packets of 64 bytes = 4 flits, two planes of one flit per cycle each, links of 3 cycles. Four NPUs
// and an I/O controller.
class Planes : public testing::Test {
 protected:
  static constexpr std::uint32_t kNodes = 5;

  Planes() {
    config_.fabric.kind = FabricKind::kFred;
    config_.fabric.size_x = 2;
    config_.fabric.size_y = 2;
    config_.fabric.flit_bytes = 16;
    config_.fabric.local.flits_per_cycle = {2, 1};
    config_.fabric.local.latency_cycles = 3;
    config_.fabric.fred.planes = 2;
    config_.fabric.fred.header_bytes = 0;
    config_.fabric.io.rate = {1, 4};
    config_.fabric.io.controllers = 1;
    config_.fabric.fred.levels.resize(2);
    config_.fabric.fred.levels[0].buffer_flits = 8;
    config_.fabric.fred.control_buffer_flits = 4;
    config_.npu.packet_bytes = 64;
    CollectiveWorkload workload;
    workload.collective.dtype = DataType::kInt32;
    workload.collective.data = DataMode::kValues;
    config_.workload = workload;
  }

  void build() {
    std::vector<NodeId> nodes;
    for (std::uint32_t n = 0; n < kNodes; ++n) nodes.push_back(NodeId{n});
    data_ = make_packet_data(config_);
    interfaces_ = std::make_unique<MessageInterfaces>(config_, nodes);
    fabric_ = std::make_unique<IdealSwitch>(*interfaces_, pool_, 2, data_.get());
    interfaces_->connect(fabric_.get(), &pool_, nullptr);
    for (std::uint32_t n = 0; n < kNodes; ++n) interfaces_->at(n).attach(listeners_[n]);
  }
  void run(Cycle cycles) {
    for (const Cycle end = now_ + cycles; now_ < end; ++now_) {
      interfaces_->step(now_);
      fabric_->step(now_);
    }
  }
  MessageId send(std::uint32_t from, std::uint32_t to, std::uint64_t tag, std::uint64_t bytes,
                 TrafficClass traffic_class = TrafficClass::kPp, std::uint8_t priority = 0) {
    Message m;
    m.dst = NodeId{to};
    m.tag = tag;
    m.bytes = bytes;
    m.message_class = class_of(traffic_class);
    m.priority = priority;
    return interfaces_->at(from).send(m);
  }
  Message operand(std::uint32_t from, std::uint32_t flow, std::uint64_t tag, std::uint64_t bytes,
                  TrafficClass traffic_class = TrafficClass::kDp) {
    Message m;
    m.dst = NodeId{from};
    m.tag = tag;
    m.bytes = bytes;
    m.message_class = class_of(traffic_class);
    m.flow = true;
    m.switch_flow = flow;
    return m;
  }
  std::uint32_t all_reduce_flow(std::uint32_t members) {
    FabricFlow flow;
    for (std::uint32_t n = 0; n < members; ++n) flow.inputs.push_back(NodeId{n});
    flow.outputs = flow.inputs;
    return fabric_->number_of({flow}, 0);
  }
  /// Arrival cycles of heads (or of all flits) that `node` sent on `plane`.
  std::vector<Cycle> heads(std::uint32_t node, int plane, bool all = false) const {
    std::vector<Cycle> cycles;
    for (const auto& flit : fabric_->injected) {
      if (flit.node == node && plane_of(flit.vc) == plane && (all || flit.head)) cycles.push_back(flit.at);
    }
    return cycles;
  }
  /// Tags of the heads that `node` sent on `plane`, in order.
  std::vector<std::uint64_t> head_tags(std::uint32_t node, int plane) const {
    std::vector<std::uint64_t> tags;
    for (const auto& flit : fabric_->injected) {
      if (flit.node == node && plane_of(flit.vc) == plane && flit.head) tags.push_back(flit.tag);
    }
    return tags;
  }
  void expect_all_home() {
    EXPECT_TRUE(interfaces_->idle());
    EXPECT_NO_THROW(interfaces_->ports().require_empty());
    EXPECT_EQ(pool_.in_use(), 0u);
  }

  Config config_;
  PacketPool pool_;
  std::unique_ptr<PacketData> data_;
  std::array<PlaneListener, kNodes> listeners_;
  std::unique_ptr<MessageInterfaces> interfaces_;
  std::unique_ptr<IdealSwitch> fabric_;
  Cycle now_ = 0;
};

// Sent in cycle 0, a flit of one cycle on a wire of three arrives in cycle 4. Packets 0, 2 go to plane 0, 1, 3 to
// plane 1.
TEST_F(Planes, stripe_the_packets_of_a_message) {
  build();
  send(0, 1, 7, 4 * 64);
  run(60);
  EXPECT_THAT(heads(0, 0, true), ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(heads(0, 1, true), ElementsAre(4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_THAT(listeners_[1].offsets, ElementsAre(0, 64, 128, 192));
  EXPECT_EQ(listeners_[0].sent, 1);
  EXPECT_EQ(interfaces_->ports().flits(0), 16u);
  expect_all_home();
}

// Both planes share 1 flit per cycle: 2 cycles per flit on each, which arrives 2 + 3 cycles after it was sent. The
// controller's links take 4 cycles per flit.
TEST_F(Planes, send_at_the_rate_of_their_share) {
  config_.fabric.local.flits_per_cycle = {1, 1};
  build();
  send(0, 1, 7, 64);
  send(4, 1, 8, 48);
  run(80);
  EXPECT_THAT(heads(0, 0, true), ElementsAre(5, 7, 9, 11));
  EXPECT_THAT(heads(4, 0, true), ElementsAre(7, 11, 15));
  expect_all_home();
}

// 4 flits and 8 of 16 bytes of header: 4.5 cycles per packet, so heads follow after 5, 4, 5, ... cycles and the flits
// of a packet in consecutive ones.
TEST_F(Planes, pay_for_headers_behind_the_packet) {
  config_.fabric.fred.planes = 1;
  config_.fabric.local.flits_per_cycle = {1, 1};
  config_.fabric.fred.header_bytes = 8;
  config_.fabric.fred.levels[0].buffer_flits = 64;
  build();
  send(0, 1, 7, 4 * 64);
  run(60);
  EXPECT_THAT(heads(0, 0), ElementsAre(4, 9, 13, 18));
  EXPECT_THAT(heads(0, 0, true), ElementsAre(4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21));
  expect_all_home();
}

// Six slots hold one packet and a half. While the first packet is kept, the second may not start.
TEST_F(Planes, start_no_packet_without_credits_for_all_of_it) {
  config_.fabric.fred.planes = 1;
  config_.fabric.local.flits_per_cycle = {1, 1};
  config_.fabric.fred.levels[0].buffer_flits = 6;
  build();
  fabric_->close(0, plane_vc(0, TrafficClass::kPp));
  send(0, 1, 7, 2 * 64);
  run(50);
  EXPECT_THAT(heads(0, 0, true), ElementsAre(4, 5, 6, 7));
  fabric_->open(0, plane_vc(0, TrafficClass::kPp));  // credits are back in cycle 51; sent then, there 4 cycles later
  run(50);
  EXPECT_THAT(heads(0, 0, true), ElementsAre(4, 5, 6, 7, 55, 56, 57, 58));
  expect_all_home();
}

TEST_F(Planes, refuse_a_packet_that_no_buffer_could_hold) {
  config_.fabric.fred.levels[0].buffer_flits = 3;
  build();
  EXPECT_THROW(send(0, 1, 7, 64), ViolationError);
}

// One plane, one packet per traffic class, given in the opposite order; the head that has the link keeps it.
TEST_F(Planes, let_control_go_before_mp_pp_and_dp) {
  config_.fabric.fred.planes = 1;
  config_.fabric.local.flits_per_cycle = {1, 1};
  build();
  send(0, 1, 0, 128, TrafficClass::kDp);
  run(2);
  send(0, 1, 1, 64, TrafficClass::kPp, 9);
  send(0, 1, 2, 64, TrafficClass::kMp);
  send(0, 1, 3, 0, TrafficClass::kControl);
  send(0, 1, 4, 64, TrafficClass::kMp, 1);
  run(80);
  EXPECT_THAT(head_tags(0, 0), ElementsAre(0, 3, 4, 2, 1, 0));
  expect_all_home();
}

// Buffers of DP are full: PP goes on.
TEST_F(Planes, pass_by_a_traffic_class_without_credits) {
  build();
  fabric_->close(0, plane_vc(0, TrafficClass::kMp));
  fabric_->close(0, plane_vc(1, TrafficClass::kMp));
  send(0, 1, 1, 10 * 64, TrafficClass::kMp);
  send(0, 1, 2, 64, TrafficClass::kPp);
  run(60);
  EXPECT_THAT(listeners_[1].tags, ElementsAre(2));
  fabric_->open(0, plane_vc(0, TrafficClass::kMp));
  fabric_->open(0, plane_vc(1, TrafficClass::kMp));
  run(100);
  EXPECT_EQ(listeners_[1].tags.size(), 11u);
  expect_all_home();
}

// Packet k of a flow goes to plane (stripe + k) mod 2, whatever else has gone there.
TEST_F(Planes, put_packet_k_of_a_flow_where_the_others_put_theirs) {
  config_.workload = CollectiveWorkload{};
  data_ = nullptr;
  build();
  const std::uint32_t flow = all_reduce_flow(2);
  send(0, 3, 100, 64, TrafficClass::kPp);  // node 0 only: moves its own turn
  for (std::uint32_t n = 0; n < 2; ++n) {
    Message m = operand(n, flow, 5, 3 * 64);
    m.stripe = 7;
    interfaces_->at(n).send(m);
  }
  run(80);
  EXPECT_THAT(head_tags(0, 1), ElementsAre(5, 5));
  EXPECT_THAT(head_tags(0, 0), ElementsAre(100, 5));
  EXPECT_THAT(head_tags(1, 1), ElementsAre(5, 5));
  EXPECT_THAT(head_tags(1, 0), ElementsAre(5));
  for (std::uint32_t n = 0; n < 2; ++n) {
    EXPECT_THAT(listeners_[n].offsets, ElementsAre(0, 64, 128));
    EXPECT_THAT(listeners_[n].sources, testing::Each(kFlowSource));
  }
  expect_all_home();
}

// Node 0 has the bytes of its first operand late. Its second one waits behind it, a unicast and another traffic class
// do not.
TEST_F(Planes, keep_flows_of_a_traffic_class_in_the_order_of_send) {
  config_.workload = CollectiveWorkload{};
  build();
  const std::uint32_t flow = all_reduce_flow(2);
  Message second = operand(0, flow, 2, 64);
  second.stripe = 1;  // the plane in which packet 1 of the first operand goes
  const MessageId late = interfaces_->at(0).send(operand(0, flow, 1, 128), 64);
  interfaces_->at(0).send(second);
  interfaces_->at(1).send(operand(1, flow, 1, 128));
  second.dst = NodeId{1};
  interfaces_->at(1).send(second);
  interfaces_->at(0).send(operand(0, flow, 3, 64, TrafficClass::kMp));
  interfaces_->at(1).send(operand(1, flow, 3, 64, TrafficClass::kMp));
  send(0, 2, 4, 64, TrafficClass::kPp);
  run(60);
  EXPECT_THAT(listeners_[0].tags, ElementsAre(3, 1));
  EXPECT_THAT(listeners_[2].tags, ElementsAre(4));
  interfaces_->at(0).release(late, 64);
  run(60);
  EXPECT_THAT(listeners_[0].tags, ElementsAre(3, 1, 1, 2));
  EXPECT_THAT(listeners_[1].tags, ElementsAre(3, 1, 1, 2));
  expect_all_home();
}

// Four operands of 40 INT32: 1, 2, 4, 8 times the index. All four get the sum.
TEST_F(Planes, carry_the_data_of_flows) {
  build();
  const std::uint32_t flow = all_reduce_flow(4);
  for (std::uint32_t n = 0; n < 4; ++n) {
    Message m = operand(n, flow, 1, 160);
    m.payload = std::make_shared<Payload>(160);
    for (std::int32_t i = 0; i < 40; ++i) {
      const std::int32_t value = i << n;
      std::memcpy(m.payload->data() + 4 * i, &value, 4);
    }
    interfaces_->at(n).send(m);
  }
  run(80);
  EXPECT_EQ(fabric_->flow_packets, 3u);
  for (std::uint32_t n = 0; n < 4; ++n) {
    ASSERT_EQ(listeners_[n].payload.size(), 160u);
    for (std::int32_t i = 0; i < 40; ++i) {
      std::int32_t value = 0;
      std::memcpy(&value, listeners_[n].payload.data() + 4 * i, 4);
      EXPECT_EQ(value, 15 * i);
    }
  }
  expect_all_home();
}

TEST_F(Planes, count_every_credit_at_the_end) {
  build();
  fabric_->close(0, plane_vc(0, TrafficClass::kPp));
  send(0, 1, 7, 64);
  run(40);
  EXPECT_THROW(interfaces_->ports().require_empty(), ViolationError);
  fabric_->open(0, plane_vc(0, TrafficClass::kPp));
  run(40);
  expect_all_home();
}

}  // namespace
}  // namespace weft::npu::test
