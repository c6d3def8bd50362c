// SPDX-License-Identifier: Apache-2.0
// FRED switches in the middle of their work, whose fields can be changed one by one.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/state_form.h"
#include "config/load.h"
#include "npu/interface/message_interfaces.h"
#include "npu/interface/switch_sending.h"
#include "switch/fabric/fred_fabric.h"
#include "switch/network/fred_switch.h"

namespace weft {
namespace fred {

/// Single fields of the state of a group of chiplets and of its first switch, to be changed.
struct FredState {
  ChipletGroup& group;
  FredSwitch& fred;
  PacketPool& pool;

  auto& active() { return fred.active_; }
  auto& loaded_from() { return fred.loaded_from_; }
  auto& open_from() { return fred.open_from_; }
  auto& drained() { return fred.drained_; }
  auto& started() { return fred.started_since_load_; }
  auto& next_port() { return fred.next_port_; }
  auto& next_uplink() { return fred.next_uplink_; }
  auto& serve_order() { return fred.serve_order_; }
  auto& next_free() { return fred.next_free_; }
  auto& dirty() { return fred.dirty_; }
  auto& timed() { return fred.timed_; }
  auto& looked() { return fred.looked_; }
  auto& look_at() { return fred.look_at_; }
  auto& start_at() { return fred.start_at_; }
  auto& seen() { return fred.seen_; }
  auto& credits_end() { return fred.credits_end_; }
  auto& credits(std::uint32_t at) { return fred.credits_[at]; }
  auto& credit_queue(std::uint32_t at) { return fred.credit_queues_[at]; }
  auto& output(std::size_t port) { return fred.outputs_[port]; }
  auto& counters() { return fred.counters_; }
  auto& context() { return fred.context_; }
  auto& last_preemption() { return fred.last_preemption_; }
  auto& store() { return fred.store_; }
  auto& running() { return fred.running_.at(0); }
  auto& all_running() { return fred.running_; }
  auto& passing() { return fred.passing_.back(); }
  auto& all_passing() { return fred.passing_; }
  auto& stream() {
    for (auto& stream : fred.streams_) {
      if (stream.datapath != nullptr) return stream;
    }
    ADD_FAILURE() << "no packet enters";
    return fred.streams_[0];
  }
  auto& wire(Cycle now) {
    for (auto& wire : fred.wires_) {
      if (wire.busy_until > now + 4) return wire;
    }
    ADD_FAILURE() << "no wire is in use";
    return fred.wires_[0];
  }
  /// The buffer of a packet that waits, and its number.
  std::uint32_t waits() {
    for (std::uint32_t at = 0; at < fred.buffers_.size(); ++at) {
      if (fred.buffers_[at].next_head() != nullptr) return at;
    }
    ADD_FAILURE() << "no packet waits";
    return 0;
  }
  auto& buffer() { return fred.buffers_[waits()]; }
  auto& obstacle() { return fred.obstacles_[waits()]; }
  PortFlit& head() { return const_cast<PortFlit&>(*buffer().next_head()); }
  Packet& packet() { return pool[head().packet]; }
  PortFlit& operand() {
    for (auto& each : fred.buffers_) {
      if (each.next_head() != nullptr && each.next_head()->setting != kUnicasts)
        return const_cast<PortFlit&>(*each.next_head());
    }
    ADD_FAILURE() << "no operand waits";
    return head();
  }
  /// A packet of its own that is like `other`, but so many bytes further on in its message.
  PacketIndex packet_like(PacketIndex other, std::uint64_t further) {
    const PacketIndex index = pool.allocate();
    pool[index] = pool[other];
    pool[index].offset += further;
    return index;
  }
  /// An operand that is so much further on than `other` comes to a buffer.
  void operand_comes(std::size_t at, PortFlit other, std::uint64_t further) {
    other.packet = packet_like(other.packet, further);
    other.match += further;
    fred.buffers_.at(at).push_train(other, FlitTrain(1000, 2));
  }
  /// A packet of a unicast that waits.
  Packet& unicast() {
    for (auto& each : fred.buffers_) {
      if (each.next_head() != nullptr && each.next_head()->setting == kUnicasts) return pool[each.next_head()->packet];
    }
    ADD_FAILURE() << "no unicast waits";
    return packet();
  }
  /// Another datapath than `datapath`, of a flow or of unicasts.
  ElasticDatapath* other_than(const ElasticDatapath* datapath) {
    for (auto& flows : fred.stored_datapaths_) {
      for (auto& flow : flows) {
        if (flow != nullptr && flow.get() != datapath) return flow.get();
      }
    }
    for (auto& each : fred.running_) {
      if (each.datapath != datapath) return each.datapath;
    }
    ADD_FAILURE() << "there is one datapath only";
    return nullptr;
  }
  /// The packet waits for an input port, which has not changed since.
  void wait_for_port() {
    obstacle().kind = FredSwitch::Obstacle::kStream;
    obstacle().port = 1;
    obstacle().changes = fred.stream_changes_[1];
  }
  void port_changes() { ++fred.stream_changes_[1]; }
  void wait_for_output() { obstacle().kind = FredSwitch::Obstacle::kOutput; }

  auto& slots() { return group.slots_.at(0); }
  auto& stalled() { return group.stalled_.at(0); }
  auto& awake() { return group.awake_.at(0); }
  auto& work() { return group.train_work_.at(0); }
  auto& counters_of(std::size_t port) { return group.ports_[port].counters; }
  auto& noted(std::size_t port) { return group.stalls_noted_[port]; }
  auto& clock(std::size_t port) { return group.stall_clocks_[port]; }
  auto& leaving() {
    for (auto& leaving : group.leaving_) {
      if (!leaving.empty()) return leaving;
    }
    ADD_FAILURE() << "nothing leaves";
    return group.leaving_[0];
  }
  auto& settled() { return group.settled_; }
  auto& last_event() { return group.last_event_; }
  auto& moved() { return group.flits_moved_; }
  void head_comes(Cycle at, std::uint32_t port, std::uint8_t traffic_class, PacketIndex packet, Cycle flits_at = 320) {
    group.train_arrivals_.push(at, {port, packet, traffic_class, FlitTrain(flits_at, 2)});
  }
};

}  // namespace fred

namespace npu {

/// Single fields of the state of network interfaces at FRED switches. Node 0 sends, node 1 receives.
struct InterfaceState {
  MessageInterfaces& interfaces;

  auto& sending() { return dynamic_cast<SwitchSending&>(*interfaces.sending_); }
  auto& port() { return sending().ports_.ports_.at(0); }
  auto& queues() { return sending().queues_.at(0); }
  auto& flows() { return queues().flows.at(static_cast<std::size_t>(TrafficClass::kMp)); }
  /// Credits of a VC that some are under way for, and of one that none are.
  TrainQueue& credits() { return credits_that_come(true); }
  TrainQueue& no_credits() { return credits_that_come(false); }
  TrainQueue& credits_that_come(bool some) {
    for (TrainQueue& each : queues().credits)
      if (each.empty() != some) return each;
    ADD_FAILURE() << "all VCs are alike";
    return queues().credits.at(0);
  }
  Outgoing& outgoing(std::uint32_t slot) { return sending().senders_[0].messages.at(slot); }
  Sender& sender() { return sending().senders_[0]; }
  Injector& injector() {
    for (Injector& each : sending().senders_[0].injectors)
      if (each.flits_left > 0) return each;
    ADD_FAILURE() << "no packet enters";
    return sending().senders_[0].injectors[0];
  }
  auto& ejecting() {
    for (auto& trains : interfaces.nodes_[1].ejecting)
      if (!trains.empty()) return trains;
    ADD_FAILURE() << "nothing comes to node 1";
    return interfaces.nodes_[1].ejecting.at(0);
  }
  void eject_in_other_vc() {
    auto& ejecting = interfaces.nodes_[1].ejecting;
    for (std::size_t vc = 0; vc < ejecting.size(); ++vc) {
      auto& other = ejecting[(vc + 1) % ejecting.size()];
      if (!ejecting[vc].empty() && other.empty()) return std::swap(ejecting[vc], other);
    }
    ADD_FAILURE() << "no VC is free";
  }
  /// A packet that has overtaken others, of a message from node 0.
  MessageInterfaces::Incoming early;
  void let_overtake() { interfaces.nodes_[1].incoming[77] = early; }
};

}  // namespace npu

namespace test {

/// An endpoint that does nothing.
class SilentEndpoint final : public npu::Endpoint {
 public:
  void on_data(const npu::Delivery&) override {}
  void on_sent(npu::MessageId) override {}
  void on_timer(std::uint64_t) override {}
  void put_state(StateForm&) override {}
};

/// With as many ports as 4 a chiplet of the upper level takes two links of each child.
inline Config two_levels(int ports) {
  std::string text = R"(clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 32 B
  header: 8 B
  reload_cycles: 3
  levels:
    - {groups: 2, planes: 2, uplinks: 2, bandwidth: 80 GB/s, latency: 4, buffer: 512 B, reconfig_cycles: 2}
    - {groups: 1, ports: N}
npu: {count: 4, packet_bytes: 256 B}
workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 1 KiB}}
)";
  text.replace(text.find("ports: N") + 7, 1, std::to_string(ports));
  return load_config_text(text, "levels.yaml", {});
}

/// Four NPUs at two levels of switches, in the middle of an all-reduce flow and of unicasts beside it. Network
/// interfaces and switches are stepped as a part of a system steps them.
struct BusySwitches {
  explicit BusySwitches(Cycle cycles, int ports = 2) : config(two_levels(ports)) {
    fred::FabricParameters parameters;
    parameters.packet_bytes = config.npu.packet_bytes;
    parameters.longest_train = 10000;
    fabric = std::make_unique<fred::FredFabric>(config.fabric, parameters);
    interfaces = std::make_unique<npu::MessageInterfaces>(config, group().nodes());
    group().connect(interfaces.get(), nullptr, &pool, nullptr, nullptr);
    interfaces->connect(&group(), &pool, nullptr);
    const auto nodes = static_cast<std::uint32_t>(config.fabric.nodes());
    std::vector<NodeId> all;
    for (std::uint32_t node = 0; node < nodes; ++node) all.push_back(NodeId{node});
    const std::uint32_t flow = fabric->compiler().number_of({{all, all}}, 0);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      interfaces->at(node).attach(endpoints[node]);
      send(node, flow, 5);
      send(node, flow, 6);
      send(node, kNoFlow, 7);
    }
    for (; now < cycles; ++now) {
      group().step(now);
      interfaces->step(now);
    }
    --now;
    group().settle(now);
    interfaces->settle(now);
  }
  void send(std::uint32_t node, std::uint32_t flow, std::uint64_t tag) {
    npu::Message message;
    message.tag = tag;
    message.bytes = 64 * 1024;
    message.switch_flow = flow;
    message.flow = flow != kNoFlow;
    message.dst = message.flow ? NodeId{node} : NodeId{(node + 1) % 4};
    message.message_class = npu::class_of(message.flow ? TrafficClass::kMp : TrafficClass::kDp);
    interfaces->at(node).send(message);
  }
  fred::ChipletGroup& group() { return *fabric->groups().front(); }
  fred::FredState fred_state() {
    return {group(), dynamic_cast<fred::FredSwitch&>(const_cast<fred::SwitchModel&>(fabric->chiplet(0))), pool};
  }
  bool look(StateForm& form, StateForm::Pass pass, Cycle period = 1, std::uint64_t periods = 0) {
    form.begin(pass, now, period, periods);
    group().put_state(form);
    interfaces->put_state(form);
    form.all_packets(pool);
    return form.end();
  }

  Config config;
  PacketPool pool;
  std::vector<SilentEndpoint> endpoints{4};
  std::unique_ptr<fred::FredFabric> fabric;
  std::unique_ptr<npu::MessageInterfaces> interfaces;
  Cycle now = 0;
};

/// A cycle in which something waits in the first switch, something passes it, and a link carries a packet.
constexpr Cycle kBusy = 301;

/// Whether interfaces and switches pass all looks where `change` is told how many looks there have been.
template <typename Change>
bool passes_looks(const Change& change, int ports = 2) {
  StateForm form;
  std::uint32_t look = 0;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    BusySwitches busy(kBusy, ports);
    fred::FredState state = busy.fred_state();
    npu::InterfaceState interface_state{*busy.interfaces, {}};
    change(state, interface_state, look++);
    if (!busy.look(form, pass)) return false;
  }
  return true;
}

}  // namespace test
}  // namespace weft
