// SPDX-License-Identifier: Apache-2.0
// Looks at packets of flows, whose offsets grow from look to look: what they decide is seen all the same.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/sc_models/support/busy_switches.h"

namespace weft::sc_models {
namespace {

using weft::test::passes_looks;

/// The flow takes two stripes on each of two planes in turn, so that after four packets of 256 bytes the next one goes
/// where the first one went.
constexpr std::uint64_t kPacket = 256;
constexpr std::uint64_t kRound = 4 * kPacket;

/// Two operands come to buffers of a switch, ahead of all that wait there. Each begins so many rounds further on and
/// grows by so many from look to look.
struct Grows {
  std::uint64_t from;
  std::uint64_t by;
};
bool operands_pass(Grows first, Grows second) {
  return passes_looks([=](auto& s, auto&, std::uint32_t look) {
    constexpr std::uint64_t kAhead = 16 * kRound;
    const fred::PortFlit waits = s.operand();
    s.operand_comes(0, waits, kAhead + kRound * (first.from + first.by * look));
    s.operand_comes(1, waits, kAhead + kRound * (second.from + second.by * look));
  });
}

// Operands that are at the same place of their message are reduced with each other.
TEST(FredForm, which_operands_belong_together_is_looked_at) {
  EXPECT_TRUE(operands_pass({0, 1}, {0, 1})) << "together in all looks";
  EXPECT_TRUE(operands_pass({0, 1}, {1, 2})) << "in no look";
  EXPECT_FALSE(operands_pass({0, 1}, {0, 2})) << "in the first look";
  EXPECT_FALSE(operands_pass({0, 2}, {2, 1})) << "in the third look";
}

// What comes over a link is put into the setting of its stripe when it is there. Two packets further on are in the same
// plane, but in the other stripe.
TEST(FredForm, the_stripe_of_a_packet_on_a_link_is_looked_at) {
  const auto passes = [](std::uint64_t packets) {
    return passes_looks([=](auto& s, auto&, std::uint32_t look) {
      s.head_comes(320, 0, 0, s.packet_like(s.operand().packet, packets * kPacket * look));
    });
  };
  EXPECT_TRUE(passes(0));
  EXPECT_FALSE(passes(1)) << "plane";
  EXPECT_FALSE(passes(2)) << "stripe";
  EXPECT_TRUE(passes(4));
}

}  // namespace
}  // namespace weft::sc_models
