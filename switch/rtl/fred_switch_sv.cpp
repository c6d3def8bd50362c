// SPDX-License-Identifier: Apache-2.0
// Writes fred_switch_mM_pP: fred_core joined with its interconnect.
#include <fmt/format.h>

#include <string_view>

#include "config/fred_shape.h"
#include "switch/routing/switch_setting.h"
#include "switch/rtl/interconnect_sv.h"
#include "switch/rtl/switch_ports_sv.h"
#include "switch/rtl/watch_sv.h"

namespace weft::fred {
namespace {

constexpr std::string_view kNetWires = R"(
  localparam int unsigned P        = {0};
  localparam int unsigned SideBits = side_pkg::beat_bits(CfgBits, TagBits, {1});
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
    .StoredSettings(StoredSettings),
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
{1}    .out_valid_o   (leave_valid),
    .out_ready_i   (leave_ready),
    .out_side_o    (leave_side),
    .out_data_o    (leave_data)
  );
{2}
endmodule
)";

std::string header(const Interconnect& net, const SwitchWatch& watch) {
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n// The switch {}; ports and parameters: docs/rtl_ports.md. Written by "
      "`weft rtl`; do not edit.\n\nmodule fred_switch_{} #(\n{}",
      net.name(), rtl_suffix(net), switch_parameters_sv());
  text +=
      "  localparam int unsigned CfgBits            = $clog2(StoredSettings),\n"
      "  localparam int unsigned FlitBits           = 32 * Lanes * Beats\n) (\n";
  for (const SwitchPortSv& port : switch_ports_sv()) {
    text += fmt::format("  {:<6} {} {},\n", port.direction, port_type_sv(port, net.ports), port.name);
  }
  text += watch_net_ports_sv(net, watch) + watch_core_ports_sv(net, watch);
  text += fmt::format(
      "  // verilator lint_off UNUSEDSIGNAL\n"
      "  input  logic [15:0] cfg_index_i,  // CfgBits are in use\n"
      "  // verilator lint_on UNUSEDSIGNAL\n"
      "  input  logic [{}:0] cfg_settings_i\n);\n",
      setting_bits(net) - 1);
  return text;
}

std::string core(const Interconnect& net, std::uint32_t levels) {
  std::string text =
      fmt::format("\n  fred_core #(\n    .M({}),\n    .Ports({}),\n    .Levels({}),\n", net.m, net.ports, levels);
  for (const std::string_view parameter : switch_parameter_names_sv()) {
    if (parameter != "Skid") text += fmt::format("    .{0}({0}),\n", parameter);
  }
  text.erase(text.size() - 2, 1);
  text += "  ) u_core (\n";
  for (const SwitchPortSv& port : switch_ports_sv()) text += fmt::format("    .{0}({0}),\n", port.name);
  text += "    .cfg_index_i(cfg_index_i[CfgBits-1:0]),\n";
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

std::string fred_switch_sv(const Interconnect& net, const SwitchWatch& watch) {
  const auto levels = static_cast<std::uint32_t>((fred_stages(net.ports, 1) - 1) / 2);
  return header(net, watch) + fmt::format(kNetWires, net.ports, route_bits(net)) + core(net, levels) +
         fmt::format(kNet, rtl_suffix(net), watch_net_connections_sv(net, watch), watch_core_assigns_sv(watch));
}

}  // namespace weft::fred
