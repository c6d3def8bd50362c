// SPDX-License-Identifier: Apache-2.0
// Writes in_switch_reducer: a whole switch behind links, a write port of 32 bits and outputs of its state.
#include <fmt/format.h>

#include "switch/routing/switch_setting.h"
#include "switch/rtl/interconnect_sv.h"
#include "switch/rtl/switch_ports_sv.h"

namespace weft::fred {
namespace {

constexpr std::string_view kHead = R"(// SPDX-License-Identifier: Apache-2.0
// The switch {0} as a block to be placed. Written by `weft rtl`; do not edit.
//
// Contract: after a reset nothing starts until credits are loaded. Straps and stored settings are written before the
// first flit that needs them, a word per cycle (reg_*, addresses in docs/rtl_ports.md). A flit comes only with a credit,
// that is a place which freed_* gave back or which was there at the reset; credit_i gives places behind an output port
// back. Outputs to links come from registers and hold for one cycle: links have no ready. idle_o and settled_o may gate
// the clock. Ports and parameters: docs/rtl_ports.md.

module in_switch_reducer #(
{1}  localparam int unsigned FlitBits           = 32 * Lanes * Beats
) (
)";

/// Straps and settings between the registers and the switch: name without direction.
std::string_view stem(std::string_view name) { return name.substr(0, name.rfind('_')); }

bool loaded(const SwitchPortSv& port) {
  return port.use == SwitchPortUse::kStrap || port.use == SwitchPortUse::kSetting;
}

std::string header(const Interconnect& net) {
  std::string text = fmt::format(kHead, net.name(), switch_parameters_sv());
  for (const SwitchPortSv& port : switch_ports_sv()) {
    if (loaded(port)) continue;
    if (port.name == "in_valid_i") {
      text += "  input  logic reg_we_i,\n  input  logic [15:0] reg_address_i,\n  input  logic [31:0] reg_data_i,\n";
    }
    text += fmt::format("  {:<6} {} {},\n", port.direction, port_type_sv(port, net.ports), port.name);
  }
  text.erase(text.size() - 2, 1);  // the last comma
  return text + ");\n\n";
}

/// Wires, and the registers that drive them.
std::string registers(const Interconnect& net) {
  const std::size_t bits = setting_bits(net);
  std::string wires;
  std::string pins;
  for (const SwitchPortSv& port : switch_ports_sv()) {
    if (!loaded(port) || port.name == "cfg_clk_i") continue;
    wires += fmt::format("  {} {};\n", port_type_sv(port, net.ports), stem(port.name));
    pins += fmt::format("    .{0}_o({0}),\n", stem(port.name));
  }
  return fmt::format(
      "{}  logic [15:0] cfg_index;\n  logic [{}:0] cfg_settings;\n\n"
      "  switch_registers #(.Ports({}), .SettingBits({})) u_registers (\n    .clk_i(clk_i),\n    .rst_ni(rst_ni),\n"
      "    .we_i(reg_we_i),\n    .address_i(reg_address_i),\n    .data_i(reg_data_i),\n{}"
      "    .cfg_index_o(cfg_index),\n    .cfg_settings_o(cfg_settings)\n  );\n\n",
      wires, bits - 1, net.ports, bits, pins);
}

std::string switch_instance(const Interconnect& net) {
  std::string text = fmt::format("  fred_switch_{} #(\n", rtl_suffix(net));
  for (const std::string_view name : switch_parameter_names_sv()) text += fmt::format("    .{0}({0}),\n", name);
  text.erase(text.size() - 2, 1);
  text += "  ) u_switch (\n";
  for (const SwitchPortSv& port : switch_ports_sv()) {
    const std::string_view wire = port.name == "cfg_clk_i" ? "clk_i" : loaded(port) ? stem(port.name) : port.name;
    text += fmt::format("    .{}({}),\n", port.name, wire);
  }
  return text +
         "    .cfg_index_i(cfg_index),\n"
         "    .cfg_settings_i(cfg_settings)\n  );\n\nendmodule\n";
}

}  // namespace

std::string in_switch_reducer_sv(const Interconnect& net) {
  return header(net) + registers(net) + switch_instance(net);
}

}  // namespace weft::fred
