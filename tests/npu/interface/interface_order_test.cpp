// SPDX-License-Identifier: Apache-2.0
// A look at the state of network interfaces knows what has an order: timers, and messages that wait.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/npu/support/interface_state.h"

namespace weft::npu {
namespace {

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

// Where players repeat what they did, so do their timers, which else stay: 500 cycles from the interfaces' first cycle
// on are two far timers, of which the one with cookie 108 would.
TEST(InterfaceState, each_field_of_timers_that_players_set_again_is_looked_at) {
  const auto passes = [](const Change& change) { return pass_third_look(false, change, true); };
  EXPECT_TRUE(passes([](auto&) {}));
  const Changes changes = {{"when one fires", [](auto& s) { ++s.staying.at; }},
                           {"whose it is", [](auto& s) { s.staying.node = 1; }},
                           {"what it is for", [](auto& s) { ++s.staying.cookie; }},
                           {"when another one fires", [](auto& s) { ++s.far.at; }},
                           {"that there is one less", [](auto& s) { s.take_first_far_timer(); }},
                           {"the order of two in one cycle", [](auto& s) {
                              s.far.at = s.staying.at;
                              std::swap(s.far.order, s.staying.order);
                            }}};
  for (const auto& [field, change] : changes) EXPECT_FALSE(passes(change)) << field;
  // Which of two nodes has set its timer first decides nothing, nor how many were set before.
  EXPECT_TRUE(passes([](auto& s) { ++s.staying.order; }));
}

TEST(InterfaceState, far_timers_move_on_with_players_that_repeat_what_they_did) {
  BusyInterfaces idle;
  MessageInterfaces& interfaces = *idle.interfaces;
  interfaces.step(0);
  interfaces.at(0).schedule(700, 108);  // one that stays where players do nothing
  interfaces.at(1).schedule(700, 2);
  interfaces.at(0).schedule(700, 3);
  StateForm form;
  form.let_players_repeat();
  look_three_times(interfaces, 0, 1000, &form);
  form.begin(StateForm::Pass::kMoveOn, 0, 1000, 3);
  interfaces.put_state(form);
  ASSERT_TRUE(form.end());
  EXPECT_EQ(interfaces.next_timer(), 3700u);
  for (Cycle now = 3001; now < 3700; ++now) interfaces.step(now);
  EXPECT_TRUE(idle.endpoints[0].fired.empty());
  interfaces.step(3700);
  EXPECT_EQ(idle.endpoints[0].fired, (std::vector<std::uint64_t>{108, 3}));
  EXPECT_EQ(idle.endpoints[1].fired, (std::vector<std::uint64_t>{2}));
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
