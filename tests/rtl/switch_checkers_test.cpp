// SPDX-License-Identifier: Apache-2.0
// Every assertion in the parts of a switch fires where its rule is broken, and none where nothing is.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/rtl/duts/dut_model.h"

namespace weft::rtl_test {
namespace {

using Pins = Vrtl_checkers;
/// What is different from a cycle in which nothing happens.
using Cycle = std::function<void(Pins&)>;

/// Nothing is in the parts, nothing happens.
void rest(Pins& p) {
  p.o_complete_i = p.o_promise_i = p.o_credit_i = 0;
  p.o_flits_i = 0;
  p.o_break_size_i = p.o_break_promised_i = p.o_break_used_i = 0;
  p.b_push_i = p.b_pop_i = p.b_start_i = 0;
  p.b_flits_i = 0;
  p.b_break_size_i = p.b_break_started_i = 0;
  p.i_valid_i = p.i_start_i = p.i_ready_i = 0;
  p.i_flits_i = 0;
  p.i_break_beat_i = p.i_break_freed_i = p.i_break_size_i = 0;
  p.c_valid_i = p.c_head_i = p.c_tail_i = p.c_traffic_class_i = 0;
  p.c_flits_i = 0;
  p.c_packet_i = 0;
  p.c_net_out_i = p.c_break_size_i = 0;
  p.m_we_i = p.m_index_i = p.m_word_i = p.m_break_word_i = 0;
  p.s_starts_i = p.s_rank_i = p.s_break_older_i = 0;
  p.r_we_i = 0;
  p.r_address_i = 0;
  p.r_data_i = 0;
  p.r_break_credits_i = p.r_break_stay_i = p.r_break_store_i = 0;
  p.p_here_i = p.p_stored_i = p.p_inputs_i = p.p_pending_i = 0;
  p.p_flits_i = 0;
  p.p_reconfigure_i = 0;
  p.p_break_pointer_i = p.p_break_open_i = p.p_break_late_i = 0;
}

const Cycle kNothing = [](Pins&) {};

/// What the assertions say in these cycles; `first` is the one in which the reset ends.
std::string said(const std::vector<Cycle>& cycles, const Cycle& first = kNothing) {
  ::testing::internal::CaptureStdout();
  {
    DutModel<Pins> dut(0);
    Pins& pins = *dut.model;
    const auto edge = [&pins] {
      pins.clk_i = 0;
      pins.eval();
      pins.clk_i = 1;
      pins.eval();
    };
    rest(pins);
    pins.clk_i = 0;
    pins.rst_ni = 1;
    pins.eval();
    pins.rst_ni = 0;
    edge();
    pins.rst_ni = 1;
    first(pins);
    edge();
    for (const Cycle& cycle : cycles) {
      rest(pins);
      cycle(pins);
      edge();
    }
  }
  return ::testing::internal::GetCapturedStdout();
}

::testing::AssertionResult fires(const std::string& assertion, const std::vector<Cycle>& cycles,
                                 const Cycle& first = kNothing) {
  const std::string text = said(cycles, first);
  if (text.find("." + assertion + ":") != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << assertion << " does not fire; what does: " << text;
}

TEST(SwitchContracts, are_silent_where_nothing_happens) {
  EXPECT_EQ(said(std::vector<Cycle>(3, [](Pins&) {})), "");
}

const Cycle kPromise = [](Pins& p) { p.o_promise_i = p.o_flits_i = 1; };
const Cycle kComplete = [](Pins& p) { p.o_complete_i = 1; };

TEST(OutputPortContract, accepts_a_flit_on_its_way) {
  EXPECT_EQ(said({kPromise, kComplete, kNothing, [](Pins& p) { p.o_credit_i = 1; }, kNothing}), "");
}

TEST(OutputPortContract, sees_promises_that_do_not_fit) {
  EXPECT_TRUE(fires("PromisesSomething", {[](Pins& p) { p.o_promise_i = 1; }}));
  EXPECT_TRUE(fires("PromisesSomething", {[](Pins& p) {
                      p.o_promise_i = 1;
                      p.o_flits_i = 3;
                    }}));
  EXPECT_TRUE(fires("HasCredits", {kPromise, kComplete, kNothing, [](Pins& p) {
                                     p.o_promise_i = 1;
                                     p.o_flits_i = 2;
                                   }}));
}

TEST(OutputPortContract, sees_flits_made_lost_or_never_promised) {
  EXPECT_TRUE(fires("WasPromised", {kComplete}));
  EXPECT_TRUE(fires("NothingMade", {[](Pins& p) { p.o_break_size_i = 1; }}));
  EXPECT_TRUE(fires("NothingLost", {[](Pins& p) { p.o_break_size_i = 1; }}));
  EXPECT_TRUE(fires("EmptyIsEmpty", {[](Pins& p) { p.o_break_promised_i = 1; }}));
}

TEST(OutputPortContract, sees_wrong_counts_and_credits_of_nothing) {
  EXPECT_TRUE(fires("SlotsAddUp", {[](Pins& p) { p.o_break_promised_i = 1; }}));
  EXPECT_TRUE(fires("CreditsAddUp", {[](Pins& p) { p.o_break_used_i = 1; }}));
  EXPECT_TRUE(fires("CreditOfAFlit", {[](Pins& p) { p.o_credit_i = 1; }}));
}

const Cycle kPush = [](Pins& p) { p.b_push_i = 1; };
const Cycle kPop = [](Pins& p) { p.b_pop_i = 1; };

TEST(PortBufferContract, accepts_a_packet_on_its_way) {
  EXPECT_EQ(said({kPush, [](Pins& p) { p.b_start_i = p.b_flits_i = 1; }, kPop, kNothing}), "");
}

TEST(PortBufferContract, sees_a_flit_too_many) {
  EXPECT_EQ(said({kPush, kPush}), "");
  EXPECT_TRUE(fires("RoomForIt", {kPush, kPush, kPush}));
}

TEST(PortBufferContract, sees_what_was_never_there) {
  EXPECT_TRUE(fires("StartsAPacket", {[](Pins& p) { p.b_start_i = p.b_flits_i = 1; }}));
  EXPECT_TRUE(fires("StartsAPacket", {kPush, [](Pins& p) { p.b_start_i = 1; }}));
  EXPECT_TRUE(fires("PopsStarted", {kPop}));
  EXPECT_TRUE(fires("PopsStarted", {kPush, kPop}));
}

TEST(PortBufferContract, sees_wrong_counts) {
  const Cycle size = [](Pins& p) { p.b_break_size_i = 1; };
  EXPECT_TRUE(fires("SizeAddsUp", {size}));
  EXPECT_TRUE(fires("StartedAddsUp", {[](Pins& p) { p.b_break_started_i = 1; }}));
  EXPECT_TRUE(fires("NextIsThere", {size}));
  EXPECT_TRUE(fires("EmptyIsEmpty", {size}));
}

const Cycle kCome = [](Pins& p) { p.i_valid_i = 1; };
const Cycle kStart = [](Pins& p) { p.i_start_i = p.i_flits_i = 1; };
const Cycle kTake = [](Pins& p) { p.i_ready_i = 1; };

TEST(InputPortContract, accepts_a_packet_on_its_way) { EXPECT_EQ(said({kCome, kStart, kTake, kTake, kNothing}), ""); }

TEST(InputPortContract, sees_offers_that_do_not_hold) {
  EXPECT_TRUE(fires("OfferHolds", {kCome, kStart, [](Pins& p) { p.i_break_size_i = 1; }}));
}

TEST(InputPortContract, sees_flits_cut_and_places_told_wrongly) {
  EXPECT_TRUE(fires("FlitHasBeats", {kCome, kStart, [](Pins& p) { p.i_break_beat_i = 1; }}));
  EXPECT_TRUE(fires("FreedOnce", {[](Pins& p) { p.i_break_freed_i = 1; }}));
}

TEST(InputPortContract, sees_starts_that_may_not_be) {
  EXPECT_TRUE(fires("StartsWhatIsHere", {kStart}));
  EXPECT_TRUE(fires("StartsWhatIsHere", {kCome, [](Pins& p) {
                                           p.i_start_i = 1;
                                           p.i_flits_i = 2;
                                         }}));
  EXPECT_EQ(said({kCome, kCome, kStart, kNothing, kStart}), "");
  EXPECT_TRUE(fires("MayFollow", {kCome, kCome, kStart, kStart}));                              // too early
  EXPECT_TRUE(fires("MayFollow", {kCome, kCome, kStart, kNothing, kStart, kNothing, kStart}));  // one follows already
}

Cycle flit(bool head, bool tail, unsigned packet = 5, unsigned traffic_class = 0) {
  return [=](Pins& p) {
    p.c_valid_i = 1;
    p.c_head_i = head ? 1 : 0;
    p.c_tail_i = tail ? 1 : 0;
    p.c_flits_i = 2;
    p.c_packet_i = packet;
    p.c_traffic_class_i = static_cast<CData>(traffic_class);
  };
}

TEST(SwitchContract, accepts_whole_packets_and_sees_others) {
  EXPECT_EQ(said({flit(true, false), kNothing, flit(false, true)}), "");
  EXPECT_TRUE(fires("HeadComesFirst", {flit(false, false)}));
  EXPECT_TRUE(fires("HeadComesFirst", {flit(true, false), flit(true, false)}));
  EXPECT_TRUE(fires("TailComesLast", {flit(true, true)}));
  EXPECT_TRUE(fires("TailComesLast", {flit(true, false), flit(false, false)}));
  EXPECT_TRUE(fires("SideStays", {flit(true, false), flit(false, true, 6)}));
  EXPECT_TRUE(fires("HasATrafficClass", {flit(true, false, 5, 1)}));
}

TEST(SwitchContract, sees_an_empty_switch_that_is_not) {
  EXPECT_TRUE(fires("IdleIsEmpty", {flit(true, false), [](Pins& p) { p.c_break_size_i = 1; }}));
  EXPECT_TRUE(fires("IdleIsEmpty", {[](Pins& p) { p.c_net_out_i = 1; }}));
}

Cycle stores(unsigned index, unsigned word) {
  return [=](Pins& p) {
    p.m_we_i = 1;
    p.m_index_i = static_cast<CData>(index);
    p.m_word_i = static_cast<CData>(word);
  };
}

TEST(ConfigMemoryContract, sees_words_of_no_entry_and_words_that_change) {
  EXPECT_EQ(said({stores(0, 1), stores(2, 3), stores(0, 2), kNothing}), "");
  EXPECT_TRUE(fires("HasAnEntry", {stores(3, 1)}));
  EXPECT_TRUE(fires("WordStays", {stores(0, 1), [](Pins& p) { p.m_break_word_i = 1; }}));
}

Cycle serves(unsigned starts, unsigned rank) {
  return [=](Pins& p) {
    p.s_starts_i = static_cast<CData>(starts);
    p.s_rank_i = static_cast<CData>(rank);
  };
}

TEST(ServeOrderContract, sees_equal_ranks_and_a_wrong_order) {
  EXPECT_EQ(said({serves(0b001, 0), serves(0b110, 0b01'00'00), serves(0b011, 0b00'00'01), kNothing}), "");
  EXPECT_TRUE(fires("RanksDiffer", {serves(0b011, 0)}));
  EXPECT_TRUE(fires("ServedInOrder", {[](Pins& p) { p.s_break_older_i = 1; }}));
}

Cycle writes(unsigned address, unsigned data) {
  return [=](Pins& p) {
    p.r_we_i = 1;
    p.r_address_i = static_cast<SData>(address);
    p.r_data_i = data;
  };
}

TEST(SwitchRegistersContract, sees_straps_that_are_there_after_a_reset) {
  EXPECT_TRUE(fires("ResetClears", {}, [](Pins& p) { p.r_break_credits_i = 1; }));
}

TEST(SwitchRegistersContract, sees_words_that_are_not_written_or_stored_unasked) {
  EXPECT_EQ(said({writes(1, 7), writes(2, 5), writes(3, 0x0102), writes(4, 0x0003'0004), writes(5, 1), kNothing}), "");
  EXPECT_TRUE(fires("WordIsWritten", {writes(2, 5), [](Pins& p) { p.r_break_stay_i = 1; }}));
  EXPECT_TRUE(fires("StoresWithIndex", {[](Pins& p) { p.r_break_store_i = 1; }}));
}

/// Packets stand at these ports, of the unicasts or of the flow of ports 0 and 1.
Cycle stand(unsigned ports, bool stored, unsigned flits = 1) {
  return [=](Pins& p) {
    p.p_here_i = static_cast<CData>(ports);
    p.p_stored_i = stored ? 1 : 0;
    p.p_flits_i = static_cast<SData>(flits);
    p.p_inputs_i = stored ? 0b011 : 0;
  };
}

Cycle both(const Cycle& one, const Cycle& other) {
  return [=](Pins& p) {
    one(p);
    other(p);
  };
}

TEST(PhaseControlContract, accepts_a_flow_and_sees_heads_that_cannot_be) {
  EXPECT_EQ(said({stand(0b011, true), stand(0b011, true), kNothing, kNothing}), "");
  EXPECT_TRUE(fires("HeadsLegal", {stand(0b001, false, 0)}));
  EXPECT_TRUE(fires("FlowAtFirstInput", {both(stand(0b001, true), [](Pins& p) { p.p_inputs_i = 0b110; })}));
  EXPECT_TRUE(fires("PendingIsBehind", {[](Pins& p) { p.p_pending_i = 1; }}));
}

TEST(PhaseControlContract, sees_starts_before_their_time_and_pointers_out_of_range) {
  const Cycle open = [](Pins& p) {
    p.p_reconfigure_i = 5;
    p.p_break_open_i = 1;
  };
  const Cycle late = [](Pins& p) { p.p_break_late_i = 1; };
  EXPECT_TRUE(fires("Reconfigures", std::vector<Cycle>(3, both(stand(0b011, true), open))));
  EXPECT_TRUE(fires("SumsHaveLeft", std::vector<Cycle>(3, both(stand(0b011, true), late))));
  EXPECT_TRUE(fires("RestedAtRest", {late}));
  EXPECT_TRUE(fires("PointersInRange", {[](Pins& p) { p.p_break_pointer_i = 1; }}));
}

}  // namespace
}  // namespace weft::rtl_test
