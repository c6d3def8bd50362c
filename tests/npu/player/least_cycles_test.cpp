// SPDX-License-Identifier: Apache-2.0
#include "npu/player/least_cycles.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/npu/player/array_bench.h"
#include "tests/npu/support/memory_feeder.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu {
namespace {

using namespace weft::npu::testing;  // NOLINT: node makers

// A microsecond has 1000 cycles. The first rank computes 5 + 7 us on its accelerator and 9 us on its host; sends and
// other ranks do not count.
TEST(LeastCycles, one_rank_computes_one_thing_at_a_time) {
  const TraceFolder folder;
  const std::string prefix = write_ranks(
      folder, {{compute(1, 5), host_compute(2, 9), send(3, 1, 0, 1'000'000), compute(4, 7)}, {compute(1, 400)}});
  Config config = trace_config(2, prefix);
  EXPECT_EQ(least_cycles(config), 12'000U);
  config.limits.cycles = 20'000;
  EXPECT_EQ(least_cycles(config), 12'000U);
  config.limits.cycles = 11'000;
  EXPECT_EQ(least_cycles(config), 11'000U);
}

TEST(LeastCycles, the_host_may_compute_longer) {
  const TraceFolder folder;
  const Config config = trace_config(1, write_ranks(folder, {{compute(1, 5), host_compute(2, 9)}}));
  EXPECT_EQ(least_cycles(config), 9000U);
}

TEST(LeastCycles, nothing_is_known_of_a_collective) {
  EXPECT_EQ(least_cycles(collective_config(4, CollectiveKind::kAllReduce, 1000)), 0U);
}

TEST(LeastCycles, a_trace_that_is_not_there_is_refused) {
  EXPECT_THROW(least_cycles(trace_config(1, "/nowhere/trace")), InputError);
}

}  // namespace
}  // namespace weft::npu
