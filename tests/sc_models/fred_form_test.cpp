// SPDX-License-Identifier: Apache-2.0
// A look at the state of FRED switches, of the links between them and of the network interfaces at them sees every
// field of it, where packets go as trains.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
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
  void head_comes(Cycle at, std::uint32_t port, std::uint8_t traffic_class, PacketIndex packet) {
    group.train_arrivals_.push(at, {port, packet, traffic_class, FlitTrain(at, 2)});
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
  auto& credits() { return queues().credits.at(0); }
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
  /// A packet that has overtaken others, of a message from node 0.
  MessageInterfaces::Incoming early;
  void let_overtake() { interfaces.nodes_[1].incoming[77] = early; }
};

}  // namespace npu

namespace sc_models {
namespace {

using fred::FredState;
using npu::InterfaceState;

class Silent final : public npu::Endpoint {
 public:
  void on_data(const npu::Delivery&) override {}
  void on_sent(npu::MessageId) override {}
  void on_timer(std::uint64_t) override {}
  void put_state(StateForm&) override {}
};

Config two_levels() {
  return load_config_text(R"(clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 32 B
  header: 8 B
  reload_cycles: 3
  levels:
    - {groups: 2, planes: 2, uplinks: 2, bandwidth: 80 GB/s, latency: 4, buffer: 512 B, reconfig_cycles: 2}
    - {groups: 1}
npu: {count: 4, packet_bytes: 256 B}
workload: {collective: {kind: all_reduce, algorithm: in_switch, size: 1 KiB}}
)",
                          "levels.yaml", {});
}

/// Four NPUs at two levels of switches, in the middle of an all-reduce flow and of unicasts beside it. Network
/// interfaces and switches are stepped as a part of a system steps them.
struct BusySwitches {
  explicit BusySwitches(Cycle cycles) : config(two_levels()) {
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
  FredState fred_state() {
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
  std::vector<Silent> endpoints{4};
  std::unique_ptr<fred::FredFabric> fabric;
  std::unique_ptr<npu::MessageInterfaces> interfaces;
  Cycle now = 0;
};

/// A cycle in which something waits in the first switch, something passes it, and a link carries a packet.
constexpr Cycle kBusy = 301;

using FredChange = std::function<void(FredState&)>;
using InterfaceChange = std::function<void(InterfaceState&)>;

/// Whether what is changed passes the third look after two looks at such that is not.
bool passes_third_look(const FredChange& change, const InterfaceChange& interface_change) {
  StateForm form;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    BusySwitches busy(kBusy);
    FredState state = busy.fred_state();
    state.wait_for_port();
    InterfaceState interface_state{*busy.interfaces, {}};
    interface_state.early.delivered = 512;
    interface_state.early.early[1024].offset = 1024;
    if (pass == StateForm::Pass::kThird) {
      change(state);
      interface_change(interface_state);
    }
    interface_state.let_overtake();
    const bool good = busy.look(form, pass);
    if (pass == StateForm::Pass::kThird) return good;
    EXPECT_TRUE(good) << form.refusal();
  }
  return false;
}

constexpr auto kNothing = [](auto&) {};

void expect_all_seen(const std::vector<std::pair<const char*, FredChange>>& changes) {
  EXPECT_TRUE(passes_third_look(kNothing, kNothing));
  for (const auto& [field, change] : changes) EXPECT_FALSE(passes_third_look(change, kNothing)) << field;
}

TEST(FredForm, each_field_of_the_control_of_a_switch_is_looked_at) {
  expect_all_seen(
      {{"active setting", [](auto& s) { s.active() ^= 1U; }},
       {"when it is loaded", [](auto& s) { s.loaded_from() = 1000; }},
       {"when it is open", [](auto& s) { s.open_from() = 1000; }},
       {"when another one may start", [](auto& s) { s.drained() += 1000; }},
       {"packets since it was loaded", [](auto& s) { ++s.started(); }},
       {"port that is asked first", [](auto& s) { ++s.next_port(); }},
       {"uplink that is tried first", [](auto& s) { ++s.next_uplink(); }},
       {"order in which ports are served", [](auto& s) { std::swap(s.serve_order()[0], s.serve_order()[1]); }},
       {"when a port becomes free", [](auto& s) { ++s.next_free(); }},
       {"whether something has changed", [](auto& s) { s.dirty() ^= true; }},
       {"whether something waits for time", [](auto& s) { s.timed() ^= true; }},
       {"the last step", [](auto& s) { --s.looked(); }},
       {"when it looks next", [](auto& s) { ++s.look_at(); }},
       {"when others may start", [](auto& s) { s.start_at() = 1000; }},
       {"up to when it has seen all", [](auto& s) { --s.seen(); }},
       {"up to when it has seen credits", [](auto& s) { --s.credits_end(); }},
       {"what a packet waits for", [](auto& s) { s.wait_for_output(); }},
       {"whether that has changed", [](auto& s) { s.port_changes(); }},
       {"port of an obstacle", [](auto& s) { ++s.obstacle().port; }},
       {"flits of an obstacle", [](auto& s) { ++s.obstacle().flits; }},
       {"whether it waits for service", [](auto& s) { s.obstacle().waits_for_service ^= true; }},
       {"settings in the memory", [](auto& s) {
          s.store().add({{"other", {PortId{0}}, {PortId{1}}}});
        }}});
}

TEST(FredForm, each_field_of_what_is_in_a_switch_is_looked_at) {
  expect_all_seen(
      {{"credits", [](auto& s) { ++s.credits(0); }},
       {"credits under way", [](auto& s) { s.credit_queue(0).push(FlitTrain(1000, 1)); }},
       {"room of an output", [](auto& s) { s.output(0).promise(1); }},
       {"what leaves an output", [](auto& s) { s.output(0).send_all(1000, 1, 1); }},
       {"flits that have come", [](auto& s) { s.buffer().arrive_until(1000); }},
       {"a packet less", [](auto& s) { s.buffer().start_train(); }},
       {"setting of a packet", [](auto& s) { ++s.head().setting; }},
       {"length of a packet", [](auto& s) { ++s.head().packet_flits; }},
       {"class of a packet", [](auto& s) { ++s.head().traffic_class; }},
       {"output of a packet", [](auto& s) { ++s.head().output; }},
       {"what a packet belongs to", [](auto& s) { ++s.operand().match; }},
       {"tag of a packet", [](auto& s) { ++s.packet().tag; }},
       {"number of a packet", [](auto& s) { ++s.packet().sequence; }},
       {"flow of a packet", [](auto& s) { s.packet().switch_flow = s.packet().switch_flow == kNoFlow ? 0 : kNoFlow; }},
       {"whether a port sends", [](auto& s) { s.stream().datapath = nullptr; }},
       {"class that a port sends", [](auto& s) { ++s.stream().vc; }},
       {"when a port is free", [](auto& s) { ++s.stream().end; }},
       {"class of a datapath", [](auto& s) { ++s.running().vc; }},
       {"when a datapath is empty", [](auto& s) { ++s.running().gone; }},
       {"when its next packet may start", [](auto& s) { s.running().next_start += 1000; }},
       {"whether a datapath is in use", [](auto& s) { s.all_running().pop_back(); }},
       {"when a wire is free", [](auto& s) { ++s.wire(kBusy).busy_until; }},
       {"setting of a wire", [](auto& s) { ++s.wire(kBusy).setting; }},
       {"datapath of a wire",
        [](auto& s) { s.wire(kBusy).owner = s.wire(kBusy).owner == nullptr ? s.running().datapath : nullptr; }},
       {"what passes", [](auto& s) { s.all_passing().pop_back(); }},
       {"when it started", [](auto& s) { --s.passing().start; }},
       {"beats that pass", [](auto& s) { ++s.passing().beats; }},
       {"when it is gone", [](auto& s) { ++s.passing().gone; }},
       {"moves", [](auto& s) { ++s.context().moves; }},
       {"reductions", [](auto& s) { ++s.context().reductions; }},
       {"packets started", [](auto& s) { ++s.counters().packets; }},
       {"reconfigurations", [](auto& s) { ++s.counters().reconfigurations; }},
       {"preemptions", [](auto& s) { ++s.counters().preemptions; }},
       {"yields", [](auto& s) { ++s.counters().yields; }},
       {"reloads", [](auto& s) { ++s.counters().reloads; }},
       {"last preemption", [](auto& s) { ++s.last_preemption().of; }}});
}

TEST(FredForm, each_field_between_switches_is_looked_at) {
  expect_all_seen({{"where settings are stored", [](auto& s) { s.slots().push_back(0); }},
                   {"whether outputs stall", [](auto& s) { s.stalled().any ^= true; }},
                   {"whether outputs lack credits", [](auto& s) { s.stalled().for_credits ^= true; }},
                   {"whether a switch is awake", [](auto& s) { s.awake() ^= 1U; }},
                   {"when it is to be stepped", [](auto& s) { s.work() = 1000; }},
                   {"flits of a link", [](auto& s) { ++s.counters_of(0).flits; }},
                   {"packets of a link", [](auto& s) { ++s.counters_of(0).packets; }},
                   {"when a link was used", [](auto& s) { ++s.counters_of(0).last_sent; }},
                   {"why a link stalls", [](auto& s) { s.noted(0) = StallReason::kWaitingOperand; }},
                   {"cycles of stalls", [](auto& s) { s.clock(0).set(1000, StallReason::kWaitingOperand); }},
                   {"what leaves", [](auto& s) { s.leaving().pop_back(); }},
                   {"a packet under way", [](auto& s) { s.head_comes(320, 0, 0, s.head().packet); }},
                   {"up to when it is counted", [](auto& s) { --s.settled(); }},
                   {"the last that is known", [](auto& s) { s.last_event() += 1000; }},
                   {"flits moved", [](auto& s) { ++s.moved(); }}});
}

TEST(FredForm, each_field_of_interfaces_at_switches_is_looked_at) {
  const std::vector<std::pair<const char*, InterfaceChange>> changes{
      {"when a link is free", [](auto& s) { s.port().rate = PacketRate(); }},
      {"whether a packet has a link", [](auto& s) { s.port().taken ^= true; }},
      {"flits of a link", [](auto& s) { ++s.port().flits; }},
      {"when a link was used", [](auto& s) { ++s.port().last_sent; }},
      {"credits", [](auto& s) { s.port().credits[0] = CreditCount<std::uint32_t>(99); }},
      {"what leaves", [](auto& s) { s.port().leaving = FlitTrain(1000, 3); }},
      {"flow messages", [](auto& s) { s.flows().pop_back(); }},
      {"order of flow messages", [](auto& s) { std::swap(s.flows()[0], s.flows()[1]); }},
      {"port that is next", [](auto& s) { ++s.queues().next_port; }},
      {"when credits come", [](auto& s) { ++s.queues().next_credit; }},
      {"when credits of a VC come", [](auto& s) { ++s.credits().next; }},
      {"VC of credits", [](auto& s) { s.credits().vc = VcId{1}; }},
      {"credits under way", [](auto& s) { s.credits().trains.push(FlitTrain(1000, 1)); }},
      {"when a tail leaves", [](auto& s) { ++s.injector().tail_at; }},
      {"number of the next packet", [](auto& s) { ++s.sender().packet_sequence; }},
      {"packets in a flow message", [](auto& s) { s.outgoing(s.flows().front()).formed += 256; }},
      {"tag of a flow message", [](auto& s) { ++s.outgoing(s.flows().front()).message.tag; }},
      {"what comes to a node", [](auto& s) { s.ejecting().pop_back(); }},
      {"which packet has overtaken others", [](auto& s) { ++s.early.early[1024].sequence; }},
      {"how far ahead it is", [](auto& s) { s.early.delivered = 256; }},
      {"that it has", [](auto& s) { s.early.early.clear(); }}};
  EXPECT_TRUE(passes_third_look(kNothing, kNothing));
  for (const auto& [field, change] : changes) EXPECT_FALSE(passes_third_look(kNothing, change)) << field;
}

// A run whose state is moved on goes on as it would have done without: what is relative to now stays what it was.
TEST(FredForm, a_state_that_is_moved_on_is_the_same_later) {
  BusySwitches busy(kBusy);
  StateForm form;
  ASSERT_TRUE(busy.look(form, StateForm::Pass::kFirst));
  ASSERT_TRUE(busy.look(form, StateForm::Pass::kSecond));
  ASSERT_TRUE(busy.look(form, StateForm::Pass::kThird));
  ASSERT_TRUE(busy.look(form, StateForm::Pass::kMoveOn, 10, 100));
  busy.now += 1000;
  ASSERT_TRUE(busy.look(form, StateForm::Pass::kThird));
}

}  // namespace
}  // namespace sc_models
}  // namespace weft
