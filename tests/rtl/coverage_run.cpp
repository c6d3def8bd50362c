// SPDX-License-Identifier: Apache-2.0
// Drives all primitives with the benches of the tests, in a build that counts lines and toggles; scripts/rtl_coverage
// merges what it writes.
#include <cstdio>

#include "tests/rtl/arith_bench.h"
#include "tests/rtl/duts/elastic_dut.h"
#include "tests/rtl/elastic_bench.h"
#include "tests/rtl/uswitch_bench.h"

namespace weft::rtl_test {
namespace {

bool good(const std::optional<std::string>& difference) {
  if (difference) std::printf("%s\n", difference->c_str());
  return !difference;
}

bool run_all() {
  bool passed = true;
  {
    ArithDut dut;
    passed = good(any_arith_difference(dut, 20'000));
  }
  for (unsigned g = 0; g < ElasticDut::kCount; ++g) passed = good(elastic_difference(g, {})) && passed;
  for (const UswitchShape& shape : uswitch_shapes()) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      UswitchRun run;
      run.seed = seed;
      run.resets = 0.002;
      passed = good(uswitch_difference(shape, run)) && passed;
    }
  }
  return passed;
}

}  // namespace
}  // namespace weft::rtl_test

/// The main of libsystemc calls it.
extern "C" int sc_main(int /*argc*/, char* /*argv*/[]) { return weft::rtl_test::run_all() ? 0 : 1; }
