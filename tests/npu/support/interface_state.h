// SPDX-License-Identifier: Apache-2.0
// The state of two network interfaces into routers, field by field, for tests.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/state_form.h"
#include "npu/interface/message_interfaces.h"
#include "npu/interface/router_sending.h"
#include "tests/npu/support/loop_fabric.h"

namespace weft::npu {

/// Single fields of the state of two network interfaces, to be changed. Sender, message and injector are those of
/// node 0, what is received that of node 1.
struct InterfaceState {
  MessageInterfaces& interfaces;
  PacketPool& pool;

  SendingSide& sending() { return *interfaces.sending_; }
  RouterSending& router() { return dynamic_cast<RouterSending&>(sending()); }
  Sender& sender() { return sending().senders_[0]; }
  Outgoing& outgoing() { return sender().messages[0]; }
  MessageFields& message() { return outgoing().message; }
  Injector& injector() {
    for (Injector& each : sender().injectors)
      if (each.flits_left > 0) return each;
    ADD_FAILURE() << "no packet enters";
    return sender().injectors[0];
  }
  Packet& packet() { return pool[injector().packet]; }
  auto& active() { return sending().active_; }
  auto& ready() { return sender().ready.queues_.at(0); }
  auto& port() { return router().ports_.nodes_[0]; }
  auto& line() { return router().coloured_.at(0); }
  auto& taken_colours() { return router().ports_.taken_colours_.at(0); }
  auto& colour_credits() { return router().ports_.colour_credits_.at(0); }
  /// The packet that enters is another one of the same kind.
  void enter_another_packet() {
    const PacketIndex another = pool.allocate();
    pool[another] = packet();
    ++pool[another].bytes;
    injector().packet = another;
  }
  void credit_comes(std::uint8_t vc, Cycle at) { sending().credits_.push(at, {0, vc}); }
  void link_waits(Cycle now) { sending().waits_.set(0, LinkId{0}, StallReason::kNoCredit, now); }
  void link_sent(Cycle now) { sending().waits_.sent(0, now); }

  auto& node() { return interfaces.nodes_[1]; }
  auto& incoming() { return *node().incoming.begin(); }
  auto& now() { return interfaces.now_; }
  auto& statistics() { return interfaces.statistics_; }
  auto& timers_set() { return interfaces.timers_set_; }
  /// Gives what has come of the first message another sender or number.
  void come_from(std::uint64_t change_of_key) {
    auto entry = node().incoming.extract(node().incoming.begin());
    entry.key() ^= change_of_key;
    node().incoming.insert(std::move(entry));
  }
  Endpoint& endpoint() { return *node().endpoint; }
  Endpoint& sending_endpoint() { return *sender().endpoint; }
  void forget_message() { node().incoming.clear(); }

  // What is still to come, besides what comes anyhow.
  Cycle arrives_at = 30;
  Arrival arrival{1, Flit(0, false, false), 2};
  std::uint8_t vc_of_credit = 1;
  MessageInterfaces::Timer near{30, 9, 0, 7};
  std::vector<MessageInterfaces::Timer> in_one_cycle{{31, 12, 0, 1}, {31, 13, 0, 2}, {31, 14, 1, 3}};
  MessageInterfaces::Timer far{600, 10, 0, 8};
  MessageInterfaces::Timer staying{700, 11, 0, 108};
  void take_first_far_timer() { interfaces.timers_.pop(); }
  void move_first_far_timer(Cycle cycles) {
    MessageInterfaces::Timer timer = interfaces.timers_.top();
    interfaces.timers_.pop();
    timer.at += cycles;
    interfaces.timers_.push(timer);
  }
  void let_come() {
    constexpr std::uint64_t kSet = 15;  // numbers of timers begin anew there
    interfaces.timers_set_ += kSet;
    interfaces.arriving_.push(arrives_at, arrival);
    credit_comes(vc_of_credit, 40);
    interfaces.near_timers_.push(near.at, near);
    for (const MessageInterfaces::Timer& timer : in_one_cycle) interfaces.near_timers_.push(timer.at, timer);
    interfaces.timers_.push(far);
    interfaces.timers_.push(staying);
  }
};

/// An endpoint that remembers nothing. Timers with large cookies stay.
class SilentEndpoint final : public Endpoint {
 public:
  void on_data(const Delivery&) override {}
  void on_sent(MessageId) override {}
  void on_timer(std::uint64_t cookie) override { fired.push_back(cookie); }
  bool timer_stays(std::uint64_t cookie) const override { return cookie > 100; }
  void put_state(StateForm& form) override { form.same(state); }
  void put_message(StateForm& form, MessageId id) override { form.same(index(id) + state_of_messages); }

  std::uint64_t state = 0;
  std::uint64_t state_of_messages = 0;
  std::vector<std::uint64_t> fired;  ///< cookies of timers
};

/// Two network interfaces in the middle of their work: node 0 sends a message of which a part is released, another one
/// that waits for the only injector, and one on a colour; node 1 has received a part of the first.
struct BusyInterfaces {
  explicit BusyInterfaces(bool colours) {
    make(colours);
    send(colours);
    for (; now < 18; ++now) interfaces->step(now);
  }
  /// The same where nothing has been sent yet.
  BusyInterfaces() { make(false); }

  void make(bool colours) {
    Config config;
    config.fabric.flit_bytes = 16;
    config.fabric.router.buffer_flits = 4;
    config.fabric.router.colours = colours ? 2 : 0;
    config.npu.packet_bytes = 64;
    config.npu.injectors = 1;
    const std::vector<NodeId> nodes{NodeId{0}, NodeId{1}};
    interfaces = std::make_unique<MessageInterfaces>(config, nodes);
    fabric = std::make_unique<test::LoopFabric>(*interfaces, pool, nodes);
    interfaces->connect(fabric.get(), &pool, nullptr);
    interfaces->at(0).attach(endpoints[0]);
    interfaces->at(1).attach(endpoints[1]);
  }
  void send(bool colours) {
    Message message;
    message.dst = NodeId{1};
    message.tag = 5;
    message.bytes = 640;
    interfaces->at(0).send(message, 512);
    message.tag = 6;
    interfaces->at(0).send(message);
    if (colours) {
      message.colour = 1;
      interfaces->at(0).send(message);
      interfaces->at(0).send(message);
    }
    interfaces->at(0).schedule(20, 1);
    interfaces->at(0).schedule(500, 2);
  }

  PacketPool pool;
  std::vector<SilentEndpoint> endpoints{2};
  std::unique_ptr<MessageInterfaces> interfaces;
  std::unique_ptr<test::LoopFabric> fabric;
  Cycle now = 0;
};

using Change = std::function<void(InterfaceState&)>;

/// Whether interfaces that are changed pass the third look after two looks at such that are not. `players_repeat`: so
/// do players.
inline bool pass_third_look(bool colours, const Change& change, bool players_repeat = false) {
  StateForm form;
  if (players_repeat) form.let_players_repeat();
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    BusyInterfaces busy(colours);
    InterfaceState state{*busy.interfaces, busy.pool};
    if (pass == StateForm::Pass::kThird) change(state);
    state.let_come();
    form.begin(pass, busy.now - 1, 1);
    busy.interfaces->put_state(form);
    const bool good = form.end();
    if (pass == StateForm::Pass::kThird) return good;
    EXPECT_TRUE(good) << form.refusal();
  }
  return false;
}

/// Looks three times at interfaces in one cycle, with `between` after each look; all looks must be good.
inline void look_three_times(
    MessageInterfaces& interfaces, Cycle now, Cycle period, StateForm* form,
    const std::function<void()>& between = [] {}) {
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    form->begin(pass, now, period);
    interfaces.put_state(*form);
    ASSERT_TRUE(form->end()) << form->refusal();
    between();
  }
}

using Changes = std::vector<std::pair<const char*, Change>>;

inline void expect_all_seen(bool colours, const Changes& changes) {
  EXPECT_TRUE(pass_third_look(colours, [](auto&) {}));
  for (const auto& [field, change] : changes) EXPECT_FALSE(pass_third_look(colours, change)) << field;
}

}  // namespace weft::npu
