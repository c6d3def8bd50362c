// SPDX-License-Identifier: Apache-2.0
// Whole runs: the built-in RTL agrees, faulty RTL is found where it is faulty.
#include "tb/bench/bench_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tb/build/seeded_fault.h"
#include "tb/report/test_plan.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"
#include "tests/tb/build/rtl_files.h"

namespace weft::tb {
namespace {

using testing::HasSubstr;

/// rtl/ as it is, or with a seeded fault.
RtlDesign rtl_of(const BenchRequest& request, int fault = 0) {
  ModelBuilder builder(WEFT_TEST_MODELS);
  RtlDesign design = design_of(builder, *request.block, request.shape);
  if (fault != 0) {
    seed_fault(builder, design, fault);
    design.asserts = false;  // the checkers would be first
  }
  return design;
}

BenchRequest request_for(const std::string& name, const Shape& given, std::uint64_t cycles) {
  BenchRequest request;
  request.block = &find_block(name);
  request.shape = shape_of(*request.block, given);
  request.seed = 7;
  request.cycles = cycles;
  request.stall = 0.3;
  return request;
}

std::shared_ptr<const RtlLibrary> built(const RtlDesign& design) {
  return ModelBuilder(WEFT_TEST_MODELS).build(design);
}

/// Bins that happened or might have, but that nobody has planned.
std::vector<std::string> unplanned(const BenchResult& result) {
  std::vector<std::string> names;
  for (const auto& [name, count] : result.bins) names.push_back(name);
  return without_testpoint(read_test_plan(test::read_text(test::source("tb/testplan.yaml"))), names);
}

TEST(BenchRun, elastic_reg_agrees_and_hits_all_bins) {
  const BenchRequest request = request_for("elastic_reg", {{"Skid", 1}, {"Depth", 2}, {"Width", 13}}, 60000);
  const BenchResult result = run_bench(request, built(rtl_of(request)));
  EXPECT_FALSE(result.first) << result.first->port;
  EXPECT_GE(result.cycles, 60000U);
  EXPECT_THAT(unplanned(result), testing::IsEmpty());
  for (const auto& [name, count] : result.bins) EXPECT_GT(count, 0U) << name;
}

TEST(BenchRun, uswitch_agrees_and_hits_all_bins) {
  const BenchRequest request = request_for("uswitch_rd", {{"AccumulateFp32", 1}, {"MatchBits", 2}}, 60000);
  const BenchResult result = run_bench(request, built(rtl_of(request)));
  EXPECT_FALSE(result.first) << result.first->port;
  EXPECT_THAT(unplanned(result), testing::IsEmpty());
  for (const auto& [name, count] : result.bins) EXPECT_GT(count, 0U) << name;
}

/// Fred_2(4): some forty lives between resets, each with parameters of its own.
TEST(BenchRun, fred_switch_agrees_over_many_lives) {
  const BenchRequest request = request_for("fred_switch", {{"Ports", 4}, {"M", 2}}, 120000);
  const BenchResult result = run_bench(request, built(rtl_of(request)));
  EXPECT_FALSE(result.first) << result.first->port << " " << result.first->flow;
  EXPECT_GT(result.bins.at("fred_switch.preemption.dp_by_mp"), 10U);
  EXPECT_GT(result.bins.at("fred_switch.yield"), 10U);
  EXPECT_GT(result.bins.at("fred_switch.reset.while_busy"), 10U);
  EXPECT_THAT(unplanned(result), testing::IsEmpty());
  EXPECT_THROW(
      run_bench({request.block, request.shape, 1, 10, 0.0, Compare::kCycle, {{"fault_i", 1}}}, built(rtl_of(request))),
      InputError);
}

/// The same seed gives the same run, another one another run.
TEST(BenchRun, is_reproducible) {
  BenchRequest request = request_for("elastic_reg", {{"Skid", 1}, {"Depth", 2}, {"Width", 13}}, 3000);
  const auto library = built(rtl_of(request));
  const BenchResult first = run_bench(request, library);
  EXPECT_EQ(run_bench(request, library).bins, first.bins);
  request.seed = 8;
  EXPECT_NE(run_bench(request, library).bins, first.bins);
}

/// Seeded fault 36: the second word of a skid place is lost when the first leaves, so the next one is wrong. The waves
/// around it hold what RTL and model say, from 200 cycles before.
TEST(BenchRun, finds_a_lost_word_and_shows_it) {
  const test::TempDir folder;
  BenchRequest request = request_for("elastic_reg", {{"Skid", 1}, {"Depth", 1}, {"Width", 13}}, 60000);
  RtlDesign design = rtl_of(request, 36);
  design.trace = true;
  const auto library = built(design);
  const BenchResult result = run_bench(request, library);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->port, "data_o");
  EXPECT_EQ(result.mismatches, 1U);
  EXPECT_NE(result.first->expected, result.first->actual);
  EXPECT_THAT(result.first->flow, HasSubstr("pass: input 0 -> output 0, word "));

  const std::uint64_t cycle = result.first->cycle;
  const std::uint64_t from = cycle > 200 ? cycle - 200 : 0;
  const BenchResult again = run_bench(request, library, WaveWindow{from, cycle + 50, folder / "w.vcd"});
  ASSERT_TRUE(again.first);
  EXPECT_EQ(again.first->cycle, cycle);
  EXPECT_EQ(again.first->actual, result.first->actual);
  const std::string waves = test::read_text(folder / "w.vcd");
  EXPECT_THAT(waves, HasSubstr("$scope module model $end\n$var wire 1 ~~~~~0 ready_o $end"));
  EXPECT_THAT(waves, HasSubstr("second_q"));
  EXPECT_THAT(waves, HasSubstr("\n#" + std::to_string(from * 1000) + "\n"));
  EXPECT_THAT(waves, HasSubstr("\n#" + std::to_string(cycle * 1000) + "\n"));
  EXPECT_THAT(waves, HasSubstr("\n#" + std::to_string((cycle + 50) * 1000 + 500) + "\n"));
  EXPECT_THAT(waves, testing::Not(HasSubstr("\n#" + std::to_string((cycle + 51) * 1000) + "\n")));
}

/// Seeded fault 1, an adder that truncates: wrong in the last digit of about half of all sums.
TEST(BenchRun, finds_a_wrong_rounding_and_counts) {
  BenchRequest request = request_for("fp_add", {{"ExpBits", 5}, {"ManBits", 10}}, 20000);
  const RtlDesign design = rtl_of(request, 1);
  const auto library = built(design);
  const BenchResult result = run_bench(request, library);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->port, "y_o");
  EXPECT_THAT(result.first->flow, HasSubstr("sum 0x"));
  EXPECT_GT(result.mismatches, 1000U);
  EXPECT_EQ(std::stoul(result.first->expected, nullptr, 16), std::stoul(result.first->actual, nullptr, 16) + 1);
  request.compare = Compare::kOrder;
  EXPECT_TRUE(run_bench(request, library).first);
}

constexpr const char* kLateAdder = R"(
module late_adder (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic [15:0] a_i,
  input  logic [15:0] b_i,
  output logic [15:0] y_o
);
  logic [15:0] y;
  logic [15:0] y_q [3];
  fp_add #(.ExpBits(5), .ManBits(10)) u_add (.en_i, .a_i, .b_i, .y_o(y));
  always_ff @(posedge clk_i) y_q <= '{y, y_q[0], y_q[1]};
  assign y_o = y_q[2];
endmodule
)";

/// Three registers behind the adder: the same data in the same order, but not in the same cycle.
TEST(BenchRun, compares_order_with_another_latency) {
  const test::TempDir folder;
  BenchRequest request = request_for("fp_add", {{"ExpBits", 5}, {"ManBits", 10}}, 5000);
  RtlDesign design = rtl_of(request);
  design.files.push_back(test::write_file(folder / "late_adder.sv", kLateAdder));
  design.top = "late_adder";
  design.parameters.clear();
  const auto library = built(design);
  EXPECT_TRUE(run_bench(request, library).first);
  request.compare = Compare::kOrder;
  const BenchResult result = run_bench(request, library);
  EXPECT_FALSE(result.first) << result.first->flow;
}

constexpr const char* kTiredRegister = R"(
module tired_register #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  logic       valid;
  logic [9:0] count_q;
  elastic_reg #(.Width(Width)) u_reg (
    .clk_i, .rst_ni, .valid_i, .ready_o, .data_i, .valid_o(valid), .ready_i(ready_i & ~count_q[9]), .data_o
  );
  assign valid_o = valid & ~count_q[9];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else if (!count_q[9] && !valid_o) count_q <= count_q + 1'b1;
  end
endmodule
)";

/// Nothing comes out any more: the watchdog says so.
TEST(BenchRun, a_block_that_stands_still_is_found) {
  const test::TempDir folder;
  BenchRequest request = request_for("elastic_reg", {{"Width", 8}}, 20000);
  request.compare = Compare::kOrder;
  RtlDesign design = rtl_of(request);
  design.files.push_back(test::write_file(folder / "tired_register.sv", kTiredRegister));
  design.top = "tired_register";
  design.parameters.clear();
  const BenchResult result = run_bench(request, built(design));
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->port, "watchdog");
}

}  // namespace
}  // namespace weft::tb
