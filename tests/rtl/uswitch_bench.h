// SPDX-License-Identifier: Apache-2.0
// A uSwitch beside the model's datapaths, cycle by cycle, under random operations, stalls and resets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/rtl/duts/uswitch_dut.h"

namespace weft::rtl_test {

struct UswitchRun {
  std::uint64_t seed = 1;
  std::uint64_t cycles = 2'000;
  double stall_in = 0.3;
  double stall_out = 0.3;
  double resets = 0.0005;  ///< per cycle
  int mutant = 0;
};

/// Operations of random legal settings start as soon as their pins are free and end after some beats, several at a
/// time. The first difference from the model, with its cycle and pin, or nothing.
std::optional<std::string> uswitch_difference(const UswitchShape& shape, const UswitchRun& run);

}  // namespace weft::rtl_test
