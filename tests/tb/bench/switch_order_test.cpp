// SPDX-License-Identifier: Apache-2.0
// Switches with another latency: data of each flow is compared, and what is wrong with it is named.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "tb/bench/bench_run.h"
#include "tests/support/temp_dir.h"
#include "tests/tb/build/rtl_files.h"

namespace weft::tb {
namespace {

/// What may happen to port 1 behind the first register; most in one of 64 flits that it sends.
struct Fault {
  const char* text;
  const char* port;  ///< by which it is found; "" = several are right
};
constexpr std::array kFaults = {
    Fault{"if (hit) out_data_o_faulty[32] = !out_data_o_first[32];", "out_data_o[1]"},
    Fault{"if (hit) out_packet_o_faulty[32 +: 32] = 32'h12345600;", "out_packet_o[1]"},
    Fault{"if (hit) out_traffic_class_o_faulty[2] = !out_traffic_class_o_first[2];", "out_traffic_class_o[1]"},
    Fault{"if (hit) out_tail_o_faulty[1] = !out_tail_o_first[1];", "out_tail_o[1]"},
    Fault{"if (hit) out_head_o_faulty[1] = !out_head_o_first[1];", "out_head_o[1]"},
    Fault{"if (hit) out_packet_flits_o_faulty[16] = !out_packet_flits_o_first[16];", "out_packet_flits_o[1]"},
    Fault{"if (hit) out_stored_setting_o_faulty[16 +: 3] = ~out_stored_setting_o_first[16 +: 3];",
          "out_stored_setting_o[1]"},
    Fault{"if (&count_q) freed_valid_o_faulty[1] = 1'b1;", "freed_valid_o[1]"},
    Fault{"if (hit) out_valid_o_faulty[1] = 1'b0;", ""},                                // a flit is lost
    Fault{"if (&count_q && !out_valid_o_first[1]) out_valid_o_faulty[1] = 1'b1;", ""},  // one comes twice
};

/// Fred_2(4) with three registers behind its outputs; `fault_i` chooses the fault, from 1 on.
std::string late_switch(const Block& block, const Shape& shape) {
  std::string ports;
  std::string joined;
  std::string wires;
  std::string stages;
  std::string copies;
  std::string cleared;
  for (const BlockPort& port : block.ports) {
    const std::string name = port.name;
    const std::string range = fmt::format("[{}:0]", evaluate(port.width, shape) - 1);
    const bool out = port.direction == PortDirection::kOutput;
    ports += fmt::format("{}  {} logic {} {}", ports.empty() ? "" : ",\n", out ? "output" : "input", range, name);
    const bool late = out && (name.rfind("out_", 0) == 0 || name.rfind("freed_", 0) == 0);
    joined += fmt::format("{}    .{}({}{})", joined.empty() ? "" : ",\n", name, name, late ? "_first" : "");
    if (!late) continue;
    wires += fmt::format("  logic {0} {1}_first, {1}_faulty, {1}_second, {1}_third;\n", range, name);
    copies += fmt::format("    {0}_faulty = {0}_first;\n", name);
    cleared += fmt::format("      {0}_second <= '0; {0}_third <= '0; {0} <= '0;\n", name);
    stages += fmt::format("      {0}_second <= {0}_faulty; {0}_third <= {0}_second; {0} <= {0}_third;\n", name);
  }
  std::string parameters;
  for (const BlockParameter& each : block.parameters) {
    if (each.generated) continue;
    parameters += fmt::format("{}    .{}({})", parameters.empty() ? "" : ",\n", each.name, shape.at(each.name));
  }
  std::string faults;
  for (std::size_t i = 0; i < kFaults.size(); ++i) {
    faults += fmt::format("    if (fault_i == 8'd{}) begin {} end\n", i + 1, kFaults[i].text);
  }
  return fmt::format(R"(module late_switch (
{},
  input logic [7:0] fault_i
);
{}  logic [5:0] count_q;
  logic       hit;
  fred_switch_m2_p4 #(
{}
  ) u_switch (
{}
  );
  assign hit = &count_q && out_valid_o_first[1];
  always_comb begin
{}{}  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
{}      count_q <= '0;
    end else begin
{}      if (out_valid_o_first[1]) count_q <= count_q + 6'd1;
    end
  end
endmodule
)",
                     ports, wires, parameters, joined, copies, faults, cleared, stages);
}

BenchResult run(int fault, Compare compare, std::uint64_t seed, std::uint64_t cycles) {
  const test::TempDir folder;
  BenchRequest request;
  request.block = &find_block("fred_switch");
  request.shape = shape_of(*request.block, {{"M", 2}, {"Ports", 4}});
  request.seed = seed;
  request.cycles = cycles;
  request.compare = compare;
  request.more_inputs = {{"fault_i", fault}};
  ModelBuilder builder(WEFT_TEST_MODELS);
  RtlDesign design = design_of(builder, *request.block, request.shape);
  design.files.push_back(test::write_file(folder / "late_switch.sv", late_switch(*request.block, request.shape)));
  design.top = "late_switch";
  design.parameters.clear();
  design.asserts = false;
  return run_bench(request, builder.build(design));
}

TEST(SwitchOrder, a_later_switch_gives_the_same_data_but_not_in_the_same_cycle) {
  EXPECT_TRUE(run(0, Compare::kCycle, 1, 2000).first);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const BenchResult result = run(0, Compare::kOrder, seed, 60000);
    EXPECT_FALSE(result.first) << result.first->port << " " << result.first->flow << ": " << result.first->expected
                               << ", " << result.first->actual;
  }
}

TEST(SwitchOrder, faults_are_named_by_port) {
  for (std::size_t i = 0; i < kFaults.size(); ++i) {
    const BenchResult result = run(static_cast<int>(i + 1), Compare::kOrder, 3, 60000);
    ASSERT_TRUE(result.first) << kFaults[i].text;
    EXPECT_NE(result.first->expected, result.first->actual) << kFaults[i].text;
    if (*kFaults[i].port != '\0') EXPECT_EQ(result.first->port, kFaults[i].port) << kFaults[i].text;
  }
}

}  // namespace
}  // namespace weft::tb
