// SPDX-License-Identifier: Apache-2.0
// Every assertion of the checkers of a switch fires where its rule is broken, and none where nothing is.
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

/// Nothing is in the blocks, nothing happens.
void rest(Pins& p) {
  p.o_complete_i = p.o_send_i = p.o_promise_i = p.o_credit_i = p.o_valid_i = 0;
  p.o_size_i = p.o_flits_i = 0;
  p.o_free_i = p.o_room_i = 2;
  p.o_empty_i = 1;
  p.b_push_i = p.b_pop_i = p.b_start_i = p.b_next_i = p.b_size_i = 0;
  p.b_flits_i = 0;
  p.b_started_i = 0;
  p.b_empty_i = 1;
  p.i_freed_i = p.i_here_i = p.i_busy_i = p.i_pending_i = p.i_start_i = p.i_valid_i = p.i_ready_i = 0;
  p.i_next_flits_i = p.i_flits_i = 0;
  p.i_side_i = p.i_data_i = 0;
  p.i_paced_i = 1;
  p.p_valid_i = p.p_head_i = p.p_tail_i = p.p_circuit_i = p.p_side_i = 0;
  p.p_flits_i = 0;
  p.c_valid_i = p.c_freed_i = p.c_net_in_i = p.c_net_out_i = p.c_out_i = 0;
  p.c_idle_i = p.c_settled_i = 1;
}

/// What the assertions say in these cycles.
std::string said(const std::vector<Cycle>& cycles) {
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
    edge();
    for (const Cycle& cycle : cycles) {
      rest(pins);
      cycle(pins);
      edge();
    }
  }
  return ::testing::internal::GetCapturedStdout();
}

::testing::AssertionResult fires(const std::string& assertion, const std::vector<Cycle>& cycles) {
  const std::string text = said(cycles);
  if (text.find("." + assertion + ":") != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << assertion << " does not fire; what does: " << text;
}

TEST(SwitchCheckers, are_silent_where_nothing_happens) {
  EXPECT_EQ(said(std::vector<Cycle>(3, [](Pins&) {})), "");
}

const Cycle kPromise = [](Pins& p) { p.o_promise_i = p.o_flits_i = 1; };
const Cycle kFlitPasses = [](Pins& p) {
  p.o_complete_i = p.o_send_i = 1;
  p.o_free_i = p.o_room_i = 1;
  p.o_empty_i = 0;
};

TEST(OutputPortChecker, accepts_a_flit_on_its_way) {
  EXPECT_EQ(said({kPromise, kFlitPasses,
                  [](Pins& p) {
                    p.o_valid_i = 1;
                    p.o_free_i = 1;
                  },
                  [](Pins& p) {
                    p.o_credit_i = 1;
                    p.o_free_i = 1;
                  },
                  [](Pins&) {}}),
            "");
}

TEST(OutputPortChecker, sees_promises_that_do_not_fit) {
  EXPECT_TRUE(fires("PromisesSomething", {[](Pins& p) { p.o_promise_i = 1; }}));
  EXPECT_TRUE(fires("PromisesSomething", {[](Pins& p) {
                      p.o_promise_i = 1;
                      p.o_flits_i = 3;
                    }}));
  EXPECT_TRUE(fires("HasCredits", {[](Pins& p) {
                      p.o_promise_i = 1;
                      p.o_flits_i = 2;
                      p.o_free_i = 1;
                    }}));
}

TEST(OutputPortChecker, sees_flits_made_lost_or_never_promised) {
  EXPECT_TRUE(fires("WasPromised", {[](Pins& p) { p.o_complete_i = 1; }}));
  EXPECT_TRUE(fires("NothingMade", {[](Pins& p) { p.o_send_i = 1; }}));
  EXPECT_TRUE(fires("NothingLost", {[](Pins& p) { p.o_size_i = 1; }}));
  EXPECT_TRUE(fires("EmptyIsEmpty", {[](Pins& p) { p.o_empty_i = 0; }}));
  EXPECT_TRUE(fires("EmptyIsEmpty", {kPromise, [](Pins& p) { p.o_free_i = p.o_room_i = 1; }}));
}

TEST(OutputPortChecker, sees_wrong_counts_and_credits_of_nothing) {
  EXPECT_TRUE(fires("PlacesAddUp", {[](Pins& p) { p.o_room_i = 1; }}));
  EXPECT_TRUE(fires("CreditsAddUp", {[](Pins& p) { p.o_free_i = 3; }}));
  EXPECT_TRUE(fires("CreditOfAFlit", {[](Pins& p) { p.o_credit_i = 1; }}));
}

const Cycle kPush = [](Pins& p) { p.b_push_i = 1; };
const Cycle kPushSecond = [](Pins& p) {
  p.b_push_i = p.b_size_i = p.b_next_i = 1;
  p.b_empty_i = 0;
};

TEST(PortBufferChecker, accepts_a_packet_on_its_way) {
  EXPECT_EQ(said({kPush,
                  [](Pins& p) {
                    p.b_start_i = p.b_flits_i = p.b_size_i = p.b_next_i = 1;
                    p.b_empty_i = 0;
                  },
                  [](Pins& p) {
                    p.b_pop_i = p.b_size_i = 1;
                    p.b_started_i = 1;
                    p.b_empty_i = 0;
                  },
                  [](Pins&) {}}),
            "");
}

TEST(PortBufferChecker, sees_a_flit_too_many) {
  EXPECT_EQ(said({kPush, kPushSecond}), "");
  EXPECT_TRUE(fires("RoomForIt", {kPush, kPushSecond, [](Pins& p) {
                                    p.b_push_i = p.b_next_i = 1;
                                    p.b_size_i = 2;
                                    p.b_empty_i = 0;
                                  }}));
}

TEST(PortBufferChecker, sees_what_was_never_there) {
  EXPECT_TRUE(fires("StartsAPacket", {[](Pins& p) { p.b_start_i = p.b_flits_i = 1; }}));
  EXPECT_TRUE(fires("StartsAPacket", {kPush, [](Pins& p) {
                                        p.b_start_i = p.b_size_i = p.b_next_i = 1;
                                        p.b_empty_i = 0;
                                      }}));
  EXPECT_TRUE(fires("PopsStarted", {[](Pins& p) { p.b_pop_i = 1; }}));
  EXPECT_TRUE(fires("PopsStarted", {kPush, [](Pins& p) {
                                      p.b_pop_i = p.b_size_i = p.b_next_i = 1;
                                      p.b_empty_i = 0;
                                    }}));
}

TEST(PortBufferChecker, sees_wrong_counts) {
  EXPECT_TRUE(fires("SizeAddsUp", {[](Pins& p) { p.b_size_i = 1; }}));
  EXPECT_TRUE(fires("StartedAddsUp", {[](Pins& p) { p.b_started_i = 1; }}));
  EXPECT_TRUE(fires("NextIsThere", {[](Pins& p) { p.b_next_i = 1; }}));
  EXPECT_TRUE(fires("EmptyIsEmpty", {kPush, [](Pins& p) { p.b_size_i = p.b_next_i = 1; }}));
}

const Cycle kStart = [](Pins& p) { p.i_start_i = p.i_here_i = p.i_flits_i = p.i_next_flits_i = p.i_valid_i = 1; };
const Cycle kFirstBeat = [](Pins& p) { p.i_busy_i = p.i_valid_i = p.i_ready_i = 1; };
const Cycle kLastBeat = [](Pins& p) {
  p.i_busy_i = p.i_valid_i = p.i_ready_i = 1;
  p.i_side_i = 4;
};
const Cycle kFreed = [](Pins& p) { p.i_freed_i = 1; };

TEST(InputPortChecker, accepts_a_packet_on_its_way) { EXPECT_EQ(said({kStart, kFirstBeat, kLastBeat, kFreed}), ""); }

TEST(InputPortChecker, sees_offers_that_do_not_hold) {
  EXPECT_TRUE(fires("OfferHolds", {kStart, [](Pins& p) { p.i_busy_i = 1; }}));
  EXPECT_TRUE(fires("OfferHolds", {kStart, [](Pins& p) {
                                     kFirstBeat(p);
                                     p.i_data_i = 1;
                                   }}));
  EXPECT_TRUE(fires("OfferHolds", {kStart, [](Pins& p) {
                                     kFirstBeat(p);
                                     p.i_side_i = 8;
                                   }}));
}

TEST(InputPortChecker, sees_flits_cut_and_places_told_wrongly) {
  EXPECT_TRUE(fires("FlitHasBeats", {kLastBeat}));
  EXPECT_TRUE(fires("FlitHasBeats", {kFirstBeat, kFirstBeat}));
  EXPECT_TRUE(fires("FreedOnce", {kFreed}));
  EXPECT_TRUE(fires("FreedOnce", {kFirstBeat, kLastBeat, [](Pins&) {}}));
}

TEST(InputPortChecker, sees_starts_that_may_not_be) {
  EXPECT_TRUE(fires("StartsWhatIsHere", {[](Pins& p) {
                      kStart(p);
                      p.i_here_i = 0;
                    }}));
  EXPECT_TRUE(fires("StartsWhatIsHere", {[](Pins& p) {
                      kStart(p);
                      p.i_flits_i = 2;
                    }}));
  const auto second = [](const Cycle& with) -> std::vector<Cycle> {
    return {[with](Pins& p) {
      kStart(p);
      p.i_busy_i = 1;
      with(p);
    }};
  };
  EXPECT_EQ(said(second([](Pins&) {})), "");
  EXPECT_TRUE(fires("MayFollow", second([](Pins& p) { p.i_pending_i = 1; })));
  EXPECT_TRUE(fires("MayFollow", second([](Pins& p) { p.i_paced_i = 0; })));
}

Cycle flit(bool head, bool tail, unsigned side = 5, unsigned circuit = 0) {
  return [=](Pins& p) {
    p.p_valid_i = 1;
    p.p_head_i = head ? 1 : 0;
    p.p_tail_i = tail ? 1 : 0;
    p.p_flits_i = 2;
    p.p_side_i = static_cast<CData>(side);
    p.p_circuit_i = static_cast<CData>(circuit);
  };
}

TEST(PacketChecker, accepts_whole_packets_and_sees_others) {
  EXPECT_EQ(said({flit(true, false), [](Pins&) {}, flit(false, true), flit(true, false, 6)}), "");
  EXPECT_TRUE(fires("HeadComesFirst", {flit(false, false)}));
  EXPECT_TRUE(fires("HeadComesFirst", {flit(true, false), flit(true, false)}));
  EXPECT_TRUE(fires("TailComesLast", {flit(true, true)}));
  EXPECT_TRUE(fires("TailComesLast", {flit(true, false), flit(false, false)}));
  EXPECT_TRUE(fires("SideStays", {flit(true, false), flit(false, true, 6)}));
  EXPECT_TRUE(fires("HasACircuit", {flit(true, false, 5, 1)}));
}

TEST(FredCoreChecker, sees_an_empty_switch_that_is_not) {
  const Cycle comes = [](Pins& p) { p.c_valid_i = 1; };
  EXPECT_EQ(said({comes, [](Pins& p) { p.c_idle_i = p.c_settled_i = 0; },
                  [](Pins& p) {
                    p.c_freed_i = 1;
                    p.c_settled_i = 0;
                  },
                  [](Pins&) {}}),
            "");
  EXPECT_TRUE(fires("IdleIsEmpty", {comes, [](Pins&) {}}));
  EXPECT_TRUE(fires("IdleIsEmpty", {[](Pins& p) { p.c_net_in_i = 1; }}));
  EXPECT_TRUE(fires("IdleIsEmpty", {[](Pins& p) { p.c_net_out_i = 1; }}));
  EXPECT_TRUE(fires("SettledIsIdle", {[](Pins& p) { p.c_idle_i = 0; }}));
  EXPECT_TRUE(fires("SettledIsIdle", {[](Pins& p) { p.c_out_i = 1; }}));
}

}  // namespace
}  // namespace weft::rtl_test
