// SPDX-License-Identifier: Apache-2.0
// Every kind of uSwitch against the model's datapaths, cycle by cycle: M 2..4, register and skid stages, 1..3 cycles of
// a sum, all formats. WEFT_USWITCH_CYCLES sets the cycles of each of 27 runs per shape (default 1000).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "switch/topology/interconnect.h"
#include "tests/rtl/uswitch_bench.h"

namespace weft::rtl_test {
namespace {

class RtlUswitch : public ::testing::TestWithParam<UswitchShape> {};

TEST_P(RtlUswitch, equals_the_model_in_every_cycle) {
  const char* text = std::getenv("WEFT_USWITCH_CYCLES");
  UswitchRun run;
  run.cycles = text != nullptr ? std::strtoull(text, nullptr, 10) : 1000;
  for (const double stall_in : {0.0, 0.3, 0.8}) {
    for (const double stall_out : {0.0, 0.3, 0.8}) {
      for (int i = 0; i < 3; ++i, ++run.seed) {
        run.stall_in = stall_in;
        run.stall_out = stall_out;
        EXPECT_EQ(uswitch_difference(GetParam(), run), std::nullopt)
            << "seed " << run.seed << ", stalls " << stall_in << " and " << stall_out;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, RtlUswitch, ::testing::ValuesIn(uswitch_shapes()), [](const auto& c) {
  return fmt::format("{}_{}_{}_{}", fred::name_of(static_cast<fred::ElementKind>(c.param.kind)), c.param.m,
                     c.param.skid ? "skid" : "register", c.param.reduce_cycles);
});

}  // namespace
}  // namespace weft::rtl_test
