// SPDX-License-Identifier: Apache-2.0
// A look at the state of network interfaces into routers sees every field of it.
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

namespace {

/// An endpoint that remembers nothing. Timers with large cookies stay.
class Silent final : public Endpoint {
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
  std::vector<Silent> endpoints{2};
  std::unique_ptr<MessageInterfaces> interfaces;
  std::unique_ptr<test::LoopFabric> fabric;
  Cycle now = 0;
};

using Change = std::function<void(InterfaceState&)>;

/// Whether interfaces that are changed pass the third look after two looks at such that are not.
bool pass_third_look(bool colours, const Change& change) {
  StateForm form;
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
void look_three_times(
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

void expect_all_seen(bool colours, const Changes& changes) {
  EXPECT_TRUE(pass_third_look(colours, [](auto&) {}));
  for (const auto& [field, change] : changes) EXPECT_FALSE(pass_third_look(colours, change)) << field;
}

TEST(InterfaceState, each_field_of_what_is_sent_is_looked_at) {
  expect_all_seen(false, {{"packets that enter", [](auto& s) { ++s.sender().entering; }},
                          {"injector that is next", [](auto& s) { ++s.sender().next_injector; }},
                          {"messages sent", [](auto& s) { ++s.sender().message_sequence; }},
                          {"tickets given", [](auto& s) { ++s.sender().tickets; }},
                          {"number of the next packet", [](auto& s) { ++s.sender().packet_sequence; }},
                          {"packets sent", [](auto& s) { ++s.sender().packets_sent; }},
                          {"flits that are left of a packet", [](auto& s) { --s.injector().flits_left; }},
                          {"flits of a packet", [](auto& s) { ++s.injector().flits; }},
                          {"message of a packet", [](auto& s) { s.injector().message ^= 1; }},
                          {"VC of a packet", [](auto& s) { ++s.injector().vc; }},
                          {"whether it is the last one", [](auto& s) { s.injector().last ^= true; }},
                          {"bytes of a packet", [](auto& s) { ++s.packet().bytes; }},
                          {"which packet enters", [](auto& s) { s.enter_another_packet(); }},
                          {"tag of a message", [](auto& s) { ++s.message().tag; }},
                          {"bytes of a message", [](auto& s) { ++s.message().bytes; }},
                          {"destination of a message", [](auto& s) { s.message().dst = NodeId{0}; }},
                          {"order of a message", [](auto& s) { ++s.message().order; }},
                          {"flow of a message", [](auto& s) { ++s.message().switch_flow; }},
                          {"colour of a message", [](auto& s) { ++s.message().colour; }},
                          {"priority of a message", [](auto& s) { ++s.message().priority; }},
                          {"class of a message", [](auto& s) { s.message().message_class = MessageClass::kReply; }},
                          {"whether routers copy it", [](auto& s) { s.message().multicast ^= true; }},
                          {"whether it is an operand", [](auto& s) { s.message().flow ^= true; }},
                          {"whether all is in packets", [](auto& s) { s.outgoing().all_formed ^= true; }},
                          {"whether another queue has it", [](auto& s) { s.outgoing().kept ^= true; }},
                          {"number of a message", [](auto& s) { ++s.outgoing().sequence; }},
                          {"bytes that may leave", [](auto& s) { ++s.outgoing().released; }},
                          {"bytes in packets", [](auto& s) { ++s.outgoing().formed; }},
                          {"ticket of a message", [](auto& s) { ++s.outgoing().ticket; }},
                          {"when its bytes became ready", [](auto& s) { ++s.outgoing().ready_since; }},
                          {"a message less", [](auto& s) { s.sender().messages[1].in_use = false; }},
                          {"need of ready messages", [](auto& s) { ++s.ready().need; }},
                          {"rank of a ready message", [](auto& s) { ++s.ready().heap.at(0).precedence.rank; }},
                          {"ticket of a ready message", [](auto& s) { ++s.ready().heap.at(0).precedence.ticket; }},
                          {"rank of all ready messages",
                           [](auto& s) {
                             for (auto& entry : s.ready().heap) ++entry.precedence.rank;
                           }},
                          {"which message is ready", [](auto& s) { s.ready().heap.at(0).slot ^= 1; }},
                          {"nodes to ask", [](auto& s) { s.active().push_back(1); }},
                          {"a credit under way", [](auto& s) { s.credit_comes(2, 30); }},
                          {"VC of a credit under way", [](auto& s) { ++s.vc_of_credit; }},
                          {"what a message is for",
                           [](auto& s) { ++dynamic_cast<Silent&>(s.sending_endpoint()).state_of_messages; }},
                          {"why a link carries nothing", [](auto& s) { s.link_waits(18); }},
                          {"when a link was used", [](auto& s) { s.link_sent(40); }}});
}

TEST(InterfaceState, each_field_of_ports_is_looked_at) {
  const Changes changes{{"free VCs", [](auto& s) { s.port().free ^= 1; }},
                        {"VCs that drain", [](auto& s) { s.port().draining ^= 1; }},
                        {"VC of the last packet", [](auto& s) { ++s.port().last_vc; }},
                        {"credits",
                         [](auto& s) {
                           auto& credits = s.port().credits[3];
                           credits = CreditCount<std::uint16_t>(credits.left() + 1u);
                         }},
                        {"flits of a link", [](auto& s) { ++s.port().flits; }},
                        {"when a link is free", [](auto& s) { s.port().link = LinkRate(); }}};
  expect_all_seen(false, changes);
}

TEST(InterfaceState, each_field_of_colours_is_looked_at) {
  const Changes changes{{"messages of colours", [](auto& s) { s.line().pop_back(); }},
                        {"order of messages of colours", [](auto& s) { std::swap(s.line().at(0), s.line().at(1)); }},
                        {"colours that a packet takes", [](auto& s) { s.taken_colours() ^= 1; }},
                        {"credits of a colour", [](auto& s) {
                           auto& credits = s.colour_credits();
                           credits = CreditCount<std::uint16_t>(credits.left() + 1u);
                         }}};
  expect_all_seen(true, changes);
}

TEST(InterfaceState, each_field_of_what_is_received_is_looked_at) {
  expect_all_seen(false, {{"cycle", [](auto& s) { ++s.now(); }},
                          {"state of an endpoint", [](auto& s) { ++dynamic_cast<Silent&>(s.endpoint()).state; }},
                          {"packets received", [](auto& s) { ++s.node().packets_received; }},
                          {"flits received", [](auto& s) { ++s.node().flits_received; }},
                          {"bytes of a message that are there", [](auto& s) { ++s.incoming().second.delivered; }},
                          {"a message of which nothing is there", [](auto& s) { s.forget_message(); }},
                          {"sender of a message", [](auto& s) { s.come_from(std::uint64_t{1} << 32); }},
                          {"number of a message", [](auto& s) { s.come_from(4); }},
                          {"when a flit comes", [](auto& s) { ++s.arrives_at; }},
                          {"where a flit comes", [](auto& s) { s.arrival.node = 0; }},
                          {"VC of a flit that comes", [](auto& s) { ++s.arrival.vc; }},
                          {"which flit comes", [](auto& s) { s.arrival.flit = Flit(0, true, false); }},
                          {"when a near timer fires", [](auto& s) { ++s.near.at; }},
                          {"whose near timer it is", [](auto& s) { s.near.node = 1; }},
                          {"what a near timer is for", [](auto& s) { ++s.near.cookie; }},
                          {"order of two timers of a node in one cycle",
                           [](auto& s) { std::swap(s.in_one_cycle[0].cookie, s.in_one_cycle[1].cookie); }},
                          {"when a far timer fires", [](auto& s) { ++s.far.at; }},
                          {"whose far timer it is", [](auto& s) { s.far.node = 1; }},
                          {"what a far timer is for", [](auto& s) { ++s.far.cookie; }},
                          {"place of a far timer in the order", [](auto& s) { ++s.far.order; }},
                          {"when a timer that stays fires", [](auto& s) { ++s.staying.at; }},
                          {"whose timer that stays it is", [](auto& s) { s.staying.node = 1; }},
                          {"what a timer that stays is for", [](auto& s) { ++s.staying.cookie; }},
                          {"place of a timer that stays in the order", [](auto& s) { ++s.staying.order; }},
                          {"whether a far timer stays", [](auto& s) { s.far.cookie = 108; }},
                          {"timers set", [](auto& s) { ++s.timers_set(); }},
                          {"hops", [](auto& s) { ++s.statistics().hops; }},
                          {"packets of all nodes", [](auto& s) { ++s.statistics().packets_received; }},
                          {"flits of all nodes", [](auto& s) { ++s.statistics().flits_received; }}});
}

/// Whether idle interfaces pass the third look after `change`.
bool idle_pass_third_look(const Change& change) {
  BusyInterfaces idle;
  InterfaceState state{*idle.interfaces, idle.pool};
  StateForm form;
  bool good = true;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    EXPECT_TRUE(good);
    if (pass == StateForm::Pass::kThird) change(state);
    form.begin(pass, 0, 1);
    idle.interfaces->put_state(form);
    good = form.end();
  }
  return good;
}

// Where messages and timers are under way, their own numbers show these as well.
TEST(InterfaceState, numbers_of_messages_and_timers_are_looked_at_where_there_are_none) {
  EXPECT_TRUE(idle_pass_third_look([](auto&) {}));
  EXPECT_FALSE(idle_pass_third_look([](auto& s) { ++s.sender().message_sequence; })) << "messages sent";
  EXPECT_FALSE(idle_pass_third_look([](auto& s) { ++s.timers_set(); })) << "timers set";
}

TEST(InterfaceState, timers_of_one_cycle_have_no_order_between_nodes) {
  EXPECT_TRUE(pass_third_look(false, [](InterfaceState& s) {
    std::swap(s.in_one_cycle[1], s.in_one_cycle[2]);
    std::swap(s.in_one_cycle[1].order, s.in_one_cycle[2].order);
  }));
}

TEST(InterfaceState, timers_of_a_node_fire_in_their_order_after_periods_are_left_out) {
  BusyInterfaces idle;
  MessageInterfaces& interfaces = *idle.interfaces;
  interfaces.step(0);
  interfaces.at(0).schedule(31, 1);
  interfaces.at(1).schedule(31, 2);
  interfaces.at(0).schedule(31, 3);
  interfaces.at(0).schedule(30, 4);
  StateForm form;
  look_three_times(interfaces, 0, 4, &form);
  form.begin(StateForm::Pass::kMoveOn, 0, 4, 3);
  interfaces.put_state(form);
  ASSERT_TRUE(form.end());
  // All timers are 12 cycles later. One that is set for the same cycle now fires behind those that are there.
  for (Cycle now = 13; now <= 42; ++now) interfaces.step(now);
  EXPECT_EQ(idle.endpoints[0].fired, (std::vector<std::uint64_t>{4}));
  interfaces.at(0).schedule(1, 5);
  interfaces.step(43);
  EXPECT_EQ(idle.endpoints[0].fired, (std::vector<std::uint64_t>{4, 1, 3, 5}));
  EXPECT_EQ(idle.endpoints[1].fired, (std::vector<std::uint64_t>{2}));
}

// Messages that wait are told by their order: where one waits while another one goes on, their tickets grow apart.
TEST(InterfaceState, tickets_of_messages_are_compared_by_their_order) {
  const auto pass_all_looks = [](std::uint64_t first, std::uint64_t second) {
    BusyInterfaces busy(false);
    InterfaceState state{*busy.interfaces, busy.pool};
    StateForm form;
    std::uint64_t tickets[2] = {first, 100};
    for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
      for (std::size_t i = 0; i < 2; ++i) state.sender().messages[i].ticket = tickets[i];
      state.sender().tickets += 10;
      form.begin(pass, busy.now - 1, 1);
      busy.interfaces->put_state(form);
      if (!form.end()) return false;
      tickets[1] += second;
    }
    return true;
  };
  EXPECT_TRUE(pass_all_looks(50, 10)) << "one waits";
  EXPECT_TRUE(pass_all_looks(50, 0)) << "both wait";
  EXPECT_TRUE(pass_all_looks(200, 10)) << "in the other order";
  EXPECT_FALSE(pass_all_looks(105, 10)) << "one overtakes the other";
}

// The far timer in cycle 500 moves on with each period; those in cycles 600 and 700 do not.
TEST(InterfaceState, a_far_timer_moves_on_where_it_does_so_from_look_to_look) {
  BusyInterfaces busy(false);
  InterfaceState state{*busy.interfaces, busy.pool};
  state.let_come();
  const Cycle now = busy.now - 1;
  StateForm form;
  look_three_times(*busy.interfaces, now, 3, &form, [&] { state.move_first_far_timer(3); });
  // The one in cycle 600 is the first that stays: of the cycles 18 to 599, 582 are whole periods.
  EXPECT_EQ(form.periods(), 194u);
  EXPECT_EQ(form.ends_in(), 600 - now);
}

TEST(InterfaceState, a_timer_that_stays_bounds_what_is_left_out_and_does_not_move) {
  BusyInterfaces busy(false);
  InterfaceState state{*busy.interfaces, busy.pool};
  state.far.at = 800;
  state.let_come();
  state.take_first_far_timer();
  const Cycle now = busy.now - 1;
  StateForm form;
  look_three_times(*busy.interfaces, now, 3, &form);
  // Cycles 18 to 699 may be left out: 682, of which 681 are whole periods.
  EXPECT_EQ(form.periods(), 227u);
  form.begin(StateForm::Pass::kMoveOn, now, 3, 227);
  busy.interfaces->put_state(form);
  ASSERT_TRUE(form.end());
  // The timers in cycles 20 and 30 are 681 cycles later now.
  EXPECT_EQ(busy.interfaces->next_timer(), 700u);
}

}  // namespace
}  // namespace weft::npu
