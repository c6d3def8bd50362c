// SPDX-License-Identifier: Apache-2.0
// The RTL of a FRED switch does in every cycle what the model does. WEFT_LOCKSTEP_CYCLES: cycles of one shape, instead
// of those that are built in.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "fred_shape.h"

#include "tests/rtl/lockstep/lockstep_bench.h"

namespace weft::rtl_test {
namespace {

constexpr std::uint64_t kCyclesOfASeed = 3000;

std::uint64_t wanted_cycles() {
  const char* text = std::getenv("WEFT_LOCKSTEP_CYCLES");
  return text == nullptr ? FRED_CYCLES : std::strtoull(text, nullptr, 10);
}

TEST(FredSwitchLockstep, no_cycle_differs) {
  LockstepResult all;
  std::uint64_t seed = 1;
  for (; all.cycles < wanted_cycles(); ++seed) {
    const LockstepResult one = run_lockstep(seed, kCyclesOfASeed);
    ASSERT_EQ(one.mismatch, "");
    all.cycles += one.cycles;
    all.flits += one.flits;
    all.reductions += one.reductions;
    all.reconfigurations += one.reconfigurations;
    all.preemptions += one.preemptions;
    all.yields += one.yields;
    all.unicasts += one.unicasts;
    all.flows += one.flows;
    all.resets += one.resets;
  }
  std::cout << seed - 1 << " seeds, " << all.cycles << " cycles: " << all.flits << " flits sent, " << all.reductions
            << " beats added, " << all.flows << " packets of flows and " << all.unicasts << " unicasts, "
            << all.reconfigurations << " changes of stored setting, " << all.preemptions << " pre-emptions, "
            << all.yields << " yields, " << all.resets << " resets\n";
  // The traffic reaches what it is to reach.
  EXPECT_GT(all.reductions, 0U);
  EXPECT_GT(all.unicasts, 0U);
  EXPECT_GT(all.reconfigurations, 0U);
  EXPECT_GT(all.resets, 0U);
  if (FredDut::shape().traffic_classes > 1) {
    EXPECT_GT(all.preemptions, 0U);
    EXPECT_GT(all.yields, 0U);
  }
}

}  // namespace
}  // namespace weft::rtl_test
