// SPDX-License-Identifier: Apache-2.0
// Every assertion of elastic_reg and uswitch fires: on senders that break the contract, and on blocks with a seeded
// fault.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/random.h"
#include "tests/rtl/duts/elastic_dut.h"
#include "tests/rtl/duts/uswitch_dut.h"

namespace weft::rtl_test {
namespace {

using ::testing::internal::CaptureStdout;
using ::testing::internal::GetCapturedStdout;

/// What the assertions say while `drive` runs.
template <typename Drive>
std::string said(Drive drive) {
  CaptureStdout();
  drive();
  return GetCapturedStdout();
}

bool fired(const std::string& text, const std::string& assertion) {
  return text.find("." + assertion + ":") != std::string::npos;
}

/// A sender and a receiver that keep the contract, with random stalls.
void run_elastic(unsigned g, int mutant) {
  RandomStream random(4, NodeId{2});
  ElasticDut dut(1, mutant);
  dut.reset(true);
  dut.settle();
  dut.clock();
  dut.reset(false);
  bool valid = false;
  std::uint32_t word = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    if (!valid && random.below(4) != 0) {
      valid = true;
      word = static_cast<std::uint32_t>(random.bits());
    }
    dut.offer(g, valid, word);
    dut.receive(g, random.below(2) == 0);
    dut.settle();
    if (dut.ready(g)) valid = false;
    dut.clock();
  }
}

/// Fills instance `g`, which takes no more, and then offers `second` where before it was a word that waits.
std::string said_of_sender(unsigned g, bool second_valid, std::uint32_t second) {
  return said([&] {
    ElasticDut dut(1);
    dut.reset(true);
    dut.settle();
    dut.clock();
    dut.reset(false);
    dut.receive(g, false);
    dut.offer(g, true, 5);
    for (int cycle = 0; cycle < 8; ++cycle) {
      dut.settle();
      dut.clock();
    }
    dut.offer(g, second_valid, second);
    dut.settle();
    dut.clock();
  });
}

TEST(ElasticChecker, accepts_what_keeps_the_contract) {
  for (unsigned g = 0; g < ElasticDut::kCount; ++g) {
    EXPECT_EQ(said([g] { run_elastic(g, 0); }), "");
    EXPECT_EQ(said_of_sender(g, true, 5), "");
  }
}

TEST(ElasticChecker, sees_a_sender_that_gives_up_or_changes_its_mind) {
  for (unsigned g = 0; g < ElasticDut::kCount; ++g) {
    EXPECT_TRUE(fired(said_of_sender(g, false, 5), "SenderHolds")) << g;
    EXPECT_TRUE(fired(said_of_sender(g, true, 6), "SenderHolds")) << g;
  }
}

TEST(ElasticChecker, sees_faults_of_the_places) {
  const auto of = [](unsigned g, int mutant) { return said([=] { run_elastic(g, mutant); }); };
  EXPECT_TRUE(fired(of(0, 30), "ValidHolds"));
  EXPECT_TRUE(fired(of(0, 30), "ReachesTheEnd"));
  EXPECT_TRUE(fired(of(3, 32), "DataStable"));
  EXPECT_TRUE(fired(of(0, 37), "NothingMade"));
  EXPECT_TRUE(fired(of(1, 31), "NothingLost"));
  EXPECT_TRUE(fired(of(0, 33), "NothingLost"));
  EXPECT_TRUE(fired(of(1, 36), "InOrder"));
}

/// One offered beat.
struct Offer {
  unsigned pin = 0;
  std::uint16_t side = 0;
  std::uint8_t setting = 0;
};

const UswitchShape& shape_of(int kind, int m) {
  const auto& shapes = uswitch_shapes();
  return *std::find_if(shapes.begin(), shapes.end(), [&](const UswitchShape& s) { return s.kind == kind && s.m == m; });
}

/// Offers these beats for one cycle, then those, with outputs that take or do not.
std::string said_of_uswitch(const UswitchShape& shape, const std::vector<std::vector<Offer>>& cycles, bool ready,
                            int mutant = 0) {
  return said([&] {
    UswitchDut dut(shape, 0, 0, 1, mutant);
    dut.reset(true);
    dut.settle();
    dut.clock();
    dut.reset(false);
    dut.settle();
    dut.clock();
    for (const auto& offers : cycles) {
      for (unsigned pin = 0; pin < shape.inputs; ++pin) dut.offer_nothing(pin);
      for (const Offer& offer : offers) dut.offer(offer.pin, {offer.side, {offer.pin}}, offer.setting);
      for (unsigned pin = 0; pin < shape.outputs; ++pin) dut.receive(pin, ready);
      dut.settle();
      dut.clock();
    }
  });
}

// Settings of an R with m = 2: two bits for each input, then the bit that adds.
constexpr std::uint8_t kAddToFirst = 0b1'01'01;
constexpr std::uint8_t kAddToSecond = 0b1'10'10;
constexpr std::uint8_t kInput0ToFirst = 0b0'00'01;
constexpr std::uint8_t kInput1ToFirst = 0b0'01'00;
// Setting of a D with m = 2: input 0 to both outputs.
constexpr std::uint8_t kCopy = 0b1'01'01;

TEST(UswitchChecker, accepts_what_keeps_the_contract) {
  EXPECT_EQ(said_of_uswitch(shape_of(0, 2), {{{0, 9, kAddToFirst}, {1, 1, kAddToFirst}}, {}, {}}, true), "");
  EXPECT_EQ(said_of_uswitch(shape_of(1, 2), {{{0, 0, kCopy}}, {}, {}}, true), "");
}

TEST(UswitchChecker, sees_senders_that_break_the_contract) {
  const UswitchShape& reducer = shape_of(0, 2);
  const std::vector<Offer> waits = {{0, 0, kAddToFirst}};
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {waits, {}}, true), "SenderHolds"));
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {waits, {{0, 0, kAddToSecond}}}, true), "SenderHolds"));
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {waits, {{0, 8, kAddToFirst}}}, true), "SenderHolds"));
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {{{0, 0, 0}}}, true), "LeadsSomewhere"));
}

TEST(UswitchChecker, sees_beats_that_do_not_belong_together) {
  const UswitchShape& reducer = shape_of(0, 2);
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {{{0, 0, kAddToFirst}, {1, 0, kAddToSecond}}}, true), "SameSetting"));
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {{{0, 1, kAddToFirst}, {1, 0, kAddToFirst}}}, true), "SameBeat"));
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {{{0, 0, kInput0ToFirst}, {1, 0, kInput1ToFirst}}}, true), "OneUser"));
}

TEST(UswitchChecker, sees_faults_of_the_element) {
  const UswitchShape& reducer = shape_of(0, 2);
  const UswitchShape& copier = shape_of(1, 2);
  const std::vector<std::vector<Offer>> many(6, {{0, 0, kCopy}});
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {{{0, 0, kInput0ToFirst}}, {}, {}}, false, 32), "OutputHolds"));
  EXPECT_TRUE(
      fired(said_of_uswitch(copier, {}, true, 48) + said_of_uswitch(copier, many, true, 48), "TakesOnlyOffers"));

  // A fork whose first output takes and whose second does not.
  const auto uneven = [&](int mutant) {
    return said([&] {
      UswitchDut dut(copier, 0, 0, 1, mutant);
      dut.reset(true);
      dut.settle();
      dut.clock();
      dut.reset(false);
      for (int cycle = 0; cycle < 8; ++cycle) {
        dut.offer(0, {0, {7}}, kCopy);
        dut.receive(0, true);
        dut.receive(1, false);
        dut.settle();
        dut.clock();
      }
    });
  };
  EXPECT_EQ(uneven(0), "");
  EXPECT_TRUE(fired(uneven(41), "NothingLost"));
  EXPECT_TRUE(fired(uneven(46), "NothingLost"));
  EXPECT_TRUE(fired(said_of_uswitch(reducer, {{}, {}, {}}, true, 37), "NothingMade"));
}

}  // namespace
}  // namespace weft::rtl_test
