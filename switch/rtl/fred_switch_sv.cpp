// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string_view>

#include "kernel/fred_shape.h"
#include "switch/routing/configuration.h"
#include "switch/rtl/interconnect_sv.h"

namespace weft::fred {
namespace {

/// A port of the switch that is a port of fred_core, too.
struct Port {
  std::string_view direction;
  std::string_view type;
  std::string_view name;
};

// {0} ports, {1} the same less one.
constexpr Port kPorts[] = {
    {"input", "logic", "clk_i"},
    {"input", "logic", "rst_ni"},
    {"input", "fred_pkg::format_e", "format_i"},
    {"input", "fred_pkg::op_e", "op_i"},
    {"input", "logic [19:0]", "reconfigure_cycles_i"},
    {"input", "logic [31:0]", "stay_packets_i"},
    {"input", "logic [7:0]", "first_uplink_i"},
    {"input", "logic [7:0]", "uplinks_i"},
    {"input", "logic [P-1:0]", "whole_packets_i"},
    {"input", "logic [P*16-1:0]", "credits_i"},
    {"input", "logic [15:0]", "control_credits_i"},
    {"input", "logic [15:0]", "output_flits_i"},
    {"input", "logic [P*40-1:0]", "rate_unit_i"},
    {"input", "logic [P*40-1:0]", "rate_flit_i"},
    {"input", "logic [P*40-1:0]", "rate_header_i"},
    {"input", "logic", "cfg_clk_i"},
    {"input", "logic", "cfg_we_i"},
    {"input", "logic [P*P-1:0]", "cfg_inputs_i"},
    {"input", "logic [P*P-1:0]", "cfg_outputs_i"},
    {"input", "logic [P-1:0]", "in_valid_i"},
    {"input", "logic [P-1:0]", "in_head_i"},
    {"input", "logic [P-1:0]", "in_tail_i"},
    {"input", "logic [P*2-1:0]", "in_circuit_i"},
    {"input", "logic [P*8-1:0]", "in_output_i"},
    {"input", "logic [P*16-1:0]", "in_configuration_i"},
    {"input", "logic [P*32-1:0]", "in_packet_i"},
    {"input", "logic [P*16-1:0]", "in_packet_flits_i"},
    {"input", "logic [P*64-1:0]", "in_match_i"},
    {"input", "logic [P*F-1:0]", "in_data_i"},
    {"input", "logic [P*4-1:0]", "credit_i"},
    {"output", "logic [P-1:0]", "freed_valid_o"},
    {"output", "logic [P*2-1:0]", "freed_circuit_o"},
    {"output", "logic [P-1:0]", "out_valid_o"},
    {"output", "logic [P-1:0]", "out_head_o"},
    {"output", "logic [P-1:0]", "out_tail_o"},
    {"output", "logic [P*2-1:0]", "out_circuit_o"},
    {"output", "logic [P*16-1:0]", "out_configuration_o"},
    {"output", "logic [P*32-1:0]", "out_packet_o"},
    {"output", "logic [P*16-1:0]", "out_packet_flits_o"},
    {"output", "logic [P*F-1:0]", "out_data_o"},
    {"output", "logic", "active_valid_o"},
    {"output", "logic [15:0]", "active_o"},
    {"output", "logic", "idle_o"},
    {"output", "logic", "settled_o"},
};

constexpr std::string_view kNetWires = R"(
  localparam int unsigned P        = {0};
  localparam int unsigned SideBits = 53 + CfgBits + TagBits + {1};
  localparam int unsigned DataBits = Lanes * (AccumulateFp32 != 0 ? 64 : 32);

  fred_pkg::format_e     format;
  fred_pkg::op_e         op;
  logic [P-1:0]          enter_valid, enter_ready, leave_valid, leave_ready;
  logic [P*SideBits-1:0] enter_side, leave_side;
  logic [P*DataBits-1:0] enter_data, leave_data;
)";

constexpr std::string_view kNet = R"(
  fred_interconnect_{0} #(
    .Lanes         (Lanes),
    .AccumulateFp32(AccumulateFp32),
    .Configurations(Configurations),
    .ReduceCycles  (ReduceCycles),
    .Skid          (Skid),
    .TagBits       (TagBits)
  ) u_interconnect (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .format_i      (format),
    .op_i          (op),
    .cfg_clk_i     (cfg_clk_i),
    .cfg_we_i      (cfg_we_i),
    .cfg_index_i   (cfg_index_i[CfgBits-1:0]),
    .cfg_settings_i(cfg_settings_i),
    .in_valid_i    (enter_valid),
    .in_ready_o    (enter_ready),
    .in_side_i     (enter_side),
    .in_data_i     (enter_data),
`ifdef WEFT_MUTANTS
    .mutant_i      (mutant_i),
`endif
    .out_valid_o   (leave_valid),
    .out_ready_i   (leave_ready),
    .out_side_o    (leave_side),
    .out_data_o    (leave_data)
  );

endmodule
)";

constexpr std::string_view kParameters = R"(  parameter  int unsigned Lanes              = 4,
  parameter  int unsigned Beats              = 1,
  parameter  int unsigned AccumulateFp32     = 0,
  parameter  int unsigned Circuits           = 4,
  parameter  int unsigned Configurations     = 8,
  parameter  int unsigned BufferFlits        = 16,
  parameter  int unsigned ControlBufferFlits = 4,
  parameter  int unsigned OutputFlits        = 32,
  parameter  int unsigned ReduceCycles       = 1,
  parameter  int unsigned Skid               = 0,
  parameter  int unsigned TagBits            = 1,
)";

constexpr std::string_view kCoreParameters[] = {"Lanes",          "Beats",       "AccumulateFp32", "Circuits",
                                                "Configurations", "BufferFlits", "OutputFlits",    "ControlBufferFlits",
                                                "TagBits",        "ReduceCycles"};

/// `P` and `F` of the table, as they stand in the header of the module.
std::string with_sizes(std::string_view type, int ports) {
  std::string text;
  for (const char letter : type) {
    if (letter == 'P') {
      text += std::to_string(ports);
    } else if (letter == 'F') {
      text += "FlitBits";
    } else {
      text += letter;
    }
  }
  return text;
}

std::string header(const Interconnect& net) {
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n// The switch {}; ports and parameters: docs/rtl_ports.md. Written by "
      "`weft rtl`; do not edit.\n\nmodule fred_switch_{} #(\n{}",
      net.name(), rtl_suffix(net), kParameters);
  text +=
      "  localparam int unsigned CfgBits            = $clog2(Configurations),\n"
      "  localparam int unsigned FlitBits           = 32 * Lanes * Beats\n) (\n";
  for (const Port& port : kPorts) {
    const std::string type =
        port.type.substr(0, 4) == "fred" ? std::string(port.type) : with_sizes(port.type, net.ports);
    text += fmt::format("  {:<6} {} {},\n", port.direction, type, port.name);
  }
  text += fmt::format(
      "  // verilator lint_off UNUSEDSIGNAL\n"
      "  input  logic [15:0] cfg_index_i,  // CfgBits are in use\n"
      "  // verilator lint_on UNUSEDSIGNAL\n"
      "`ifdef WEFT_MUTANTS\n  input  logic [7:0] mutant_i,\n`endif\n"
      "  input  logic [{}:0] cfg_settings_i\n);\n",
      configuration_bits(net) - 1);
  return text;
}

std::string core(const Interconnect& net, std::uint32_t levels) {
  std::string text =
      fmt::format("\n  fred_core #(\n    .M({}),\n    .Ports({}),\n    .Levels({}),\n", net.m, net.ports, levels);
  for (const std::string_view parameter : kCoreParameters) text += fmt::format("    .{0}({0}),\n", parameter);
  text.erase(text.size() - 2, 1);
  text += "  ) u_core (\n";
  for (const Port& port : kPorts) text += fmt::format("    .{0}({0}),\n", port.name);
  text += "    .cfg_index_i(cfg_index_i[CfgBits-1:0]),\n`ifdef WEFT_MUTANTS\n    .mutant_i(mutant_i),\n`endif\n";
  text += "    .net_format_o(format),\n    .net_op_o(op),\n";
  for (const std::string_view signal : {"valid", "ready", "side", "data"}) {
    const bool back = signal == "ready";
    text += fmt::format("    .net_in_{0}_{1}(enter_{0}),\n    .net_out_{0}_{2}(leave_{0}),\n", signal, back ? "i" : "o",
                        back ? "o" : "i");
  }
  text.erase(text.size() - 2, 1);
  return text + "  );\n";
}

}  // namespace

std::string fred_switch_sv(const Interconnect& net) {
  const auto levels = static_cast<std::uint32_t>((fred_stages(net.ports, 1) - 1) / 2);
  return header(net) + fmt::format(kNetWires, net.ports, route_bits(net)) + core(net, levels) +
         fmt::format(kNet, rtl_suffix(net));
}

}  // namespace weft::fred
