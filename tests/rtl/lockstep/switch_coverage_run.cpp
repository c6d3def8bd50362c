// SPDX-License-Identifier: Apache-2.0
// Drives a switch in a build that counts lines and toggles; scripts/rtl_coverage merges what it writes.
#include <cstdio>

#include "fred_shape.h"

#include "tests/rtl/lockstep/lockstep_bench.h"

namespace weft::rtl_test {
namespace {

constexpr std::uint64_t kCyclesOfASeed = 3000;

bool run_all() {
  std::uint64_t cycles = 0;
  for (std::uint64_t seed = 1; cycles < FRED_CYCLES; ++seed) {
    const LockstepResult one = run_lockstep(seed, kCyclesOfASeed);
    cycles += one.cycles;
    if (one.mismatch.empty()) continue;
    std::printf("%s\n", one.mismatch.c_str());
    return false;
  }
  return true;
}

}  // namespace
}  // namespace weft::rtl_test

/// The main of libsystemc calls it.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return weft::rtl_test::run_all() ? 0 : 1; }
