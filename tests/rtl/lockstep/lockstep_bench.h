// SPDX-License-Identifier: Apache-2.0
// Lockstep of the model of a FRED switch and its RTL: the same random traffic into both, everything that they send,
// free and load compared in every cycle.
#pragma once

#include <cstdint>
#include <string>

#include "tests/rtl/lockstep/fred_dut.h"

namespace weft::rtl_test {

struct LockstepResult {
  std::string mismatch;  ///< "" = none; else seed, cycle, port and what differs
  std::uint64_t cycles = 0;
  std::uint64_t flits = 0;  ///< sent
  std::uint64_t reductions = 0;
  std::uint64_t reconfigurations = 0;
  std::uint64_t preemptions = 0;
  std::uint64_t yields = 0;
  std::uint64_t unicasts = 0;  ///< packets
  std::uint64_t flows = 0;     ///< packets of stored settings that start
  std::uint64_t resets = 0;    ///< in the middle of traffic
};

/// Runs `cycles` cycles of traffic that the seed determines (parameters of the switch, flows, packets, pauses, slow
/// receivers) and then until nothing is left. `checkers`: an assertion that fails counts as a mismatch.
LockstepResult run_lockstep(std::uint64_t seed, std::uint64_t cycles, int mutant = 0, bool checkers = true);

}  // namespace weft::rtl_test
