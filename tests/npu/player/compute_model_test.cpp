// SPDX-License-Identifier: Apache-2.0
#include "npu/player/compute_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "npu/collective/engine/endpoint_cost.h"
#include "tests/npu/support/memory_feeder.h"

namespace weft::npu {
namespace {

using testing::compute;
using testing::make_node;

const ClockSpec kGigahertz{Rational{1'000'000'000, 1}};

TraceNode roofline_node(std::uint64_t ops, std::uint64_t bytes) {
  TraceNode node = make_node(7, TraceNodeType::kCompute, {});
  node.num_ops = ops;
  node.tensor_bytes = bytes;
  return node;
}

NpuSpec machine(double flops, double bytes_per_s) {
  NpuSpec spec;
  spec.peak_flops = flops;
  spec.memory_bytes_per_s = bytes_per_s;
  return spec;
}

TEST(ComputeModel, recorded_duration_rounds_up_to_cycles) {
  EXPECT_EQ(ComputeModel(NpuSpec{}, kGigahertz).compute_cycles(compute(1, 5)), 5000u);
  // 976.5625 MHz = 15625/16 cycles per microsecond: 3 us = 2929.6875 cycles.
  const ClockSpec odd{Rational{976'562'500, 1}};
  EXPECT_EQ(ComputeModel(NpuSpec{}, odd).compute_cycles(compute(1, 3)), 2930u);
  // A third of a gigahertz, exact: 3 us = 1000 cycles and not 1001.
  const ClockSpec third{Rational{1'000'000'000, 3}};
  EXPECT_EQ(ComputeModel(NpuSpec{}, third).compute_cycles(compute(1, 3)), 1000u);
}

TEST(ComputeModel, roofline_is_the_longer_of_compute_and_memory) {
  const ComputeModel model(machine(2e12, 1e12), kGigahertz);  // 2000 operations and 1000 bytes a cycle
  EXPECT_EQ(model.compute_cycles(roofline_node(1'000'000, 0)), 500u);
  EXPECT_EQ(model.compute_cycles(roofline_node(1'000'001, 0)), 501u);
  EXPECT_EQ(model.compute_cycles(roofline_node(1'000'000, 499'999)), 500u);
  EXPECT_EQ(model.compute_cycles(roofline_node(1'000'000, 500'001)), 501u);
  EXPECT_EQ(model.compute_cycles(roofline_node(0, 0)), 0u);
}

TEST(ComputeModel, roofline_does_not_lose_a_cycle_to_rounding_of_doubles) {
  // 9007199254740993 = 2^53 + 1 operations at one a cycle: no double holds this number.
  const ComputeModel model(machine(1e9, 0), kGigahertz);
  EXPECT_EQ(model.compute_cycles(roofline_node(9'007'199'254'740'993ull, 0)), 9'007'199'254'740'993ull);
}

TEST(ComputeModel, recorded_duration_goes_before_roofline) {
  TraceNode node = roofline_node(1'000'000, 0);
  node.duration_us = 2;
  EXPECT_EQ(ComputeModel(machine(2e12, 0), kGigahertz).compute_cycles(node), 2000u);
}

TEST(ComputeModel, without_roofline_only_recorded_durations_count) {
  NpuSpec spec = machine(0, 0);
  spec.roofline = false;
  EXPECT_EQ(ComputeModel(spec, kGigahertz).compute_cycles(roofline_node(1'000'000, 5)), 0u);
}

TEST(ComputeModel, loads_and_stores_are_local_accesses) {
  TraceNode load = make_node(3, TraceNodeType::kMemLoad, {});
  load.tensor_bytes = 1001;
  EXPECT_EQ(ComputeModel(machine(0, 1e11), kGigahertz).memory_cycles(load), 11u);  // 100 bytes a cycle
  EXPECT_EQ(ComputeModel(machine(0, 0), kGigahertz).memory_cycles(load), 0u);
  load.duration_us = 1;
  EXPECT_EQ(ComputeModel(machine(0, 1e11), kGigahertz).memory_cycles(load), 1000u);
}

TEST(ComputeModel, operations_without_peak_flops_bad) {
  try {
    ComputeModel(machine(0, 1e12), kGigahertz).compute_cycles(roofline_node(10, 10));
    FAIL() << "a node without any known time was accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "compute node 7 'n7' has 10 operations but no recorded duration: set npu.peak_flops (for example \"900 "
        "TFLOP/s\"), or npu.roofline: false to let such nodes take no time");
  }
}

TEST(ComputeModel, time_beyond_63_bits_bad) {
  EXPECT_THROW(cycles_at_rate(~std::uint64_t{0}, 1, kGigahertz), InputError);
  EXPECT_THROW(ComputeModel(machine(-1, 0), kGigahertz), InputError);
  EXPECT_THROW(ComputeModel(machine(1e19, 0), kGigahertz), InputError);
}

TEST(ComputeModel, work_that_lasts_too_long_is_refused_by_its_node_bad) {
  TraceNode node;
  node.id = 7;
  node.name = "age";
  node.duration_us = 10'000'000'000'000'000;  // 10^10 s = 10^19 cycles
  try {
    ComputeModel(machine(1, 0), kGigahertz).compute_cycles(node);
    FAIL() << "10^19 cycles are more than 2^63";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("node 7 'age' has 10000000000000000 microseconds: "));
  }
}

// Three accesses of 10^19 cycles each.
TEST(EndpointCost, of_a_reduction_that_lasts_too_long_is_refused_bad) {
  NpuSpec spec;
  spec.reduce_bytes_per_s = 1;
  EXPECT_EQ(EndpointCost(spec, kGigahertz).reduction(3'000'000'000), 9'000'000'000'000'000'000U);
  EXPECT_THROW(EndpointCost(spec, kGigahertz).reduction(10'000'000'000), InputError);
}

}  // namespace
}  // namespace weft::npu
