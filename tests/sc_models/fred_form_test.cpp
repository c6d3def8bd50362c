// SPDX-License-Identifier: Apache-2.0
// A look at the state of FRED switches, of the links between them and of the network interfaces at them sees every
// field of it, where packets go as trains.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "tests/sc_models/support/busy_switches.h"

namespace weft::sc_models {
namespace {

using fred::FredState;
using npu::InterfaceState;
using weft::test::BusySwitches;
using weft::test::kBusy;
using weft::test::passes_looks;

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

/// Fields by name, each with a change of it.
template <typename Change>
using Changes = std::vector<std::pair<const char*, Change>>;

void expect_all_seen(const Changes<FredChange>& changes, const Changes<InterfaceChange>& interface_changes = {}) {
  EXPECT_TRUE(passes_third_look(kNothing, kNothing));
  for (const auto& [field, change] : changes) EXPECT_FALSE(passes_third_look(change, kNothing)) << field;
  for (const auto& [field, change] : interface_changes) EXPECT_FALSE(passes_third_look(kNothing, change)) << field;
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
       {"which one stopped another one last", [](auto& s) { ++s.last_preemption().by; }},
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
       {"what a port sends into", [](auto& s) { s.stream().datapath = s.other_than(s.stream().datapath); }},
       {"which datapath is in use", [](auto& s) { s.running().datapath = s.other_than(s.running().datapath); }},
       {"what something passes", [](auto& s) { s.passing().datapath = s.other_than(s.passing().datapath); }},
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
                   {"where one of them is stored", [](auto& s) { ++s.slots().back(); }},
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
                   {"when it leaves", [](auto& s) { s.leaving()[0] = FlitTrain(1000, 1); }},
                   {"a packet under way", [](auto& s) { s.head_comes(320, 0, 0, s.head().packet); }},
                   {"up to when it is counted", [](auto& s) { --s.settled(); }},
                   {"the last that is known", [](auto& s) { s.last_event() += 1000; }},
                   {"flits moved", [](auto& s) { ++s.moved(); }}});
}

TEST(FredForm, each_field_of_interfaces_at_switches_is_looked_at) {
  expect_all_seen({}, {{"when a link is free", [](auto& s) { s.port().rate = PacketRate(); }},
                       {"whether a packet has a link", [](auto& s) { s.port().taken ^= true; }},
                       {"flits of a link", [](auto& s) { ++s.port().flits; }},
                       {"when a link was used", [](auto& s) { ++s.port().last_sent; }},
                       {"credits", [](auto& s) { s.port().credits[0] = CreditCount<std::uint32_t>(99); }},
                       {"what leaves", [](auto& s) { s.port().leaving = FlitTrain(1000, 3); }},
                       {"flow messages", [](auto& s) { s.flows().pop_back(); }},
                       {"order of flow messages", [](auto& s) { std::swap(s.flows()[0], s.flows()[1]); }},
                       {"messages of flows with stripes", [](auto& s) { ++s.queues().striped_messages; }},
                       {"port that is next", [](auto& s) { ++s.queues().next_port; }},
                       {"credits under way", [](auto& s) { s.queues().credits[0].push(FlitTrain(1000, 1)); }},
                       {"VC of credits", [](auto& s) { std::swap(s.credits(), s.no_credits()); }},
                       {"when a tail leaves", [](auto& s) { ++s.injector().tail_at; }},
                       {"number of the next packet", [](auto& s) { ++s.sender().packet_sequence; }},
                       {"packets in a flow message", [](auto& s) { s.outgoing(s.flows().front()).formed += 256; }},
                       {"plane of a flow message", [](auto& s) { ++s.outgoing(s.flows().front()).message.stripe; }},
                       {"tag of a flow message", [](auto& s) { ++s.outgoing(s.flows().front()).message.tag; }},
                       {"what comes to a node", [](auto& s) { s.ejecting().pop_back(); }},
                       {"when it comes to a node", [](auto& s) { s.ejecting()[0] = FlitTrain(1000, 1); }},
                       {"VC of what comes to a node", [](auto& s) { s.eject_in_other_vc(); }},
                       {"which packet has overtaken others", [](auto& s) { ++s.early.early[1024].sequence; }},
                       {"how far ahead it is", [](auto& s) { s.early.delivered = 256; }},
                       {"that it has", [](auto& s) { s.early.early.clear(); }}});
}

// With four ports each of two planes has two links to a child, which packets of unicasts take in turn. Packets of a
// flow take the planes in turn, and its stripes.
TEST(FredForm, what_decides_by_a_remainder_may_grow_by_whole_rounds_only) {
  for (const std::uint32_t round : {1U, 4U}) {
    const bool whole = round == 4;
    const auto send = [&](auto&, auto& s, std::uint32_t look) { s.sender().packet_sequence += round * look; };
    EXPECT_EQ(passes_looks(send, 4), whole) << "number of the next packet";
    const auto wait = [&](auto& s, auto&, std::uint32_t look) { s.unicast().sequence += round * look; };
    EXPECT_EQ(passes_looks(wait, 4), whole) << "number of a packet that waits in a switch";
    const auto form = [&](auto&, auto& s, std::uint32_t look) {
      s.outgoing(s.flows().front()).formed += 256 * round * look;
    };
    EXPECT_EQ(passes_looks(form), whole) << "packets in a flow message";
  }
}

TEST(FredForm, what_may_not_grow_is_told_from_what_may) {
  EXPECT_FALSE(passes_looks([](auto&, auto& s, std::uint32_t look) {
    s.outgoing(s.flows().front()).message.tag += look;
  })) << "tag of a message with several stripes";
  EXPECT_TRUE(passes_looks([](auto& s, auto&, std::uint32_t look) { s.started() = 1000000 + look; }));
  EXPECT_FALSE(passes_looks([](auto& s, auto&, std::uint32_t look) { s.started() = 1000000 + look * look; }))
      << "packets since a setting was loaded";
  EXPECT_FALSE(passes_looks([](auto& s, auto&, std::uint32_t look) { s.started() = 1 + look; }))
      << "packets that a setting may still have";
  // What a packet lacks that has overtaken others.
  const auto overtakes = [](std::uint64_t moves) {
    return [=](auto&, auto& s, std::uint32_t look) {
      s.early.delivered = 512 + 256 * look;
      s.early.early[1024 + moves * look].offset = 1024 + moves * look;
      s.let_overtake();
    };
  };
  EXPECT_TRUE(passes_looks(overtakes(256)));
  EXPECT_FALSE(passes_looks(overtakes(0)));
}

// Two messages of a flow are alike but for their places.
TEST(FredForm, flow_messages_that_are_alike_are_told_by_their_order) {
  const auto alike = [](bool in_other_order) {
    return [=](auto&, auto& s, std::uint32_t look) {
      auto& first = s.outgoing(s.flows()[0]);
      auto& second = s.outgoing(s.flows()[1]);
      second.message.tag = first.message.tag;
      second.formed = first.formed;
      if (in_other_order && look == 2) std::swap(s.flows()[0], s.flows()[1]);
    };
  };
  EXPECT_TRUE(passes_looks(alike(false)));
  EXPECT_FALSE(passes_looks(alike(true)));
}

TEST(FredForm, obstacles_without_changes_are_looked_at) {
  EXPECT_FALSE(passes_looks([](auto& s, auto&, std::uint32_t look) {
    s.wait_for_port();
    s.wait_for_output();
    if (look == 2) ++s.obstacle().port;
  })) << "port of an obstacle";
  EXPECT_FALSE(passes_looks([](auto& s, auto&, std::uint32_t look) {
    s.wait_for_port();
    s.port_changes();
    if (look == 2) s.wait_for_output();
  })) << "what a packet waits for";
}

TEST(FredForm, each_field_of_a_packet_under_way_is_looked_at) {
  const auto packet_comes = [](std::uint32_t port, std::uint8_t traffic_class, Cycle at, Cycle flits_at) {
    return [=](auto& s, auto&, std::uint32_t look) {
      const bool third = look == 2;
      s.head_comes(third ? at : 320, third ? port : 0, third ? traffic_class : 0, s.head().packet,
                   third ? flits_at : 321);
    };
  };
  EXPECT_TRUE(passes_looks(packet_comes(0, 0, 320, 321)));
  EXPECT_FALSE(passes_looks(packet_comes(1, 0, 320, 321))) << "port";
  EXPECT_FALSE(passes_looks(packet_comes(0, 1, 320, 321))) << "class";
  EXPECT_FALSE(passes_looks(packet_comes(0, 0, 322, 321))) << "cycle of its head";
  EXPECT_FALSE(passes_looks(packet_comes(0, 0, 320, 322))) << "cycles of its flits";
}

TEST(FredForm, cycles_of_flits_that_come_to_a_switch_are_looked_at) {
  EXPECT_FALSE(passes_looks([](auto& s, auto&, std::uint32_t look) {
    const fred::PortFlit head = s.head();
    s.buffer().push_train(head, FlitTrain(look == 2 ? 1001 : 1000, 2));
  }));
}

// The stripe of a packet is the hash of its message's tag, plus its number within the message, modulo the stripes.
TEST(FredForm, a_message_whose_stripes_begin_anew_within_it_is_refused) {
  std::uint64_t tag = 0;
  while (mix64(tag) < ~std::uint64_t{0} << 48) ++tag;
  BusySwitches busy(kBusy);
  busy.pool[busy.fred_state().operand().packet].tag = tag;
  StateForm form;
  EXPECT_FALSE(busy.look(form, StateForm::Pass::kFirst));
  EXPECT_EQ(form.refusal(), "the stripes of a message begin anew within it");
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
}  // namespace weft::sc_models
