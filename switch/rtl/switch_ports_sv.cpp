// SPDX-License-Identifier: Apache-2.0
// The table of the switch's ports and parameters.
#include "switch/rtl/switch_ports_sv.h"

namespace weft::fred {

const std::vector<SwitchPortSv>& switch_ports_sv() {
  using Use = SwitchPortUse;
  static const std::vector<SwitchPortSv> kPorts = {
      {"input", "logic", "clk_i", Use::kClock},
      {"input", "logic", "rst_ni", Use::kClock},
      {"input", "fred_pkg::format_e", "format_i", Use::kStrap},
      {"input", "fred_pkg::op_e", "op_i", Use::kStrap},
      {"input", "logic [19:0]", "reconfigure_cycles_i", Use::kStrap},
      {"input", "logic [31:0]", "stay_packets_i", Use::kStrap},
      {"input", "logic [7:0]", "first_uplink_i", Use::kStrap},
      {"input", "logic [7:0]", "uplinks_i", Use::kStrap},
      {"input", "logic [P-1:0]", "whole_packets_i", Use::kStrap},
      {"input", "logic [P*16-1:0]", "credits_i", Use::kStrap},
      {"input", "logic [15:0]", "control_credits_i", Use::kStrap},
      {"input", "logic [15:0]", "output_flits_i", Use::kStrap},
      {"input", "logic [P*40-1:0]", "rate_unit_i", Use::kStrap},
      {"input", "logic [P*40-1:0]", "rate_flit_i", Use::kStrap},
      {"input", "logic [P*40-1:0]", "rate_header_i", Use::kStrap},
      {"input", "logic", "cfg_clk_i", Use::kSetting},
      {"input", "logic", "cfg_we_i", Use::kSetting},
      {"input", "logic [P*P-1:0]", "cfg_inputs_i", Use::kSetting},
      {"input", "logic [P*P-1:0]", "cfg_outputs_i", Use::kSetting},
      {"input", "logic [P-1:0]", "in_valid_i", Use::kTraffic},
      {"input", "logic [P-1:0]", "in_head_i", Use::kTraffic},
      {"input", "logic [P-1:0]", "in_tail_i", Use::kTraffic},
      {"input", "logic [P*2-1:0]", "in_traffic_class_i", Use::kTraffic},
      {"input", "logic [P*8-1:0]", "in_output_i", Use::kTraffic},
      {"input", "logic [P*16-1:0]", "in_stored_setting_i", Use::kTraffic},
      {"input", "logic [P*32-1:0]", "in_packet_i", Use::kTraffic},
      {"input", "logic [P*16-1:0]", "in_packet_flits_i", Use::kTraffic},
      {"input", "logic [P*64-1:0]", "in_match_i", Use::kTraffic},
      {"input", "logic [P*F-1:0]", "in_data_i", Use::kTraffic},
      {"input", "logic [P*4-1:0]", "credit_i", Use::kTraffic},
      {"output", "logic [P-1:0]", "freed_valid_o", Use::kTraffic},
      {"output", "logic [P*2-1:0]", "freed_traffic_class_o", Use::kTraffic},
      {"output", "logic [P-1:0]", "out_valid_o", Use::kTraffic},
      {"output", "logic [P-1:0]", "out_head_o", Use::kTraffic},
      {"output", "logic [P-1:0]", "out_tail_o", Use::kTraffic},
      {"output", "logic [P*2-1:0]", "out_traffic_class_o", Use::kTraffic},
      {"output", "logic [P*16-1:0]", "out_stored_setting_o", Use::kTraffic},
      {"output", "logic [P*32-1:0]", "out_packet_o", Use::kTraffic},
      {"output", "logic [P*16-1:0]", "out_packet_flits_o", Use::kTraffic},
      {"output", "logic [P*F-1:0]", "out_data_o", Use::kTraffic},
      {"output", "logic", "active_valid_o", Use::kTraffic},
      {"output", "logic [15:0]", "active_o", Use::kTraffic},
      {"output", "logic", "idle_o", Use::kTraffic},
      {"output", "logic", "settled_o", Use::kTraffic},
  };
  return kPorts;
}

std::string port_type_sv(const SwitchPortSv& port, int ports) {
  if (port.type.substr(0, 4) == "fred") return std::string(port.type);
  std::string text;
  for (const char letter : port.type) {
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

std::string_view switch_parameters_sv() {
  return R"(  parameter  int unsigned Lanes              = 4,
  parameter  int unsigned Beats              = 1,
  parameter  int unsigned AccumulateFp32     = 0,
  parameter  int unsigned TrafficClasses     = 4,
  parameter  int unsigned StoredSettings     = 8,
  parameter  int unsigned BufferFlits        = 16,
  parameter  int unsigned ControlBufferFlits = 4,
  parameter  int unsigned OutputFlits        = 32,
  parameter  int unsigned ReduceCycles       = 1,
  parameter  int unsigned Skid               = 0,
  parameter  int unsigned TagBits            = 1,
)";
}

const std::vector<std::string_view>& switch_parameter_names_sv() {
  static const std::vector<std::string_view> kNames = {"Lanes",
                                                       "Beats",
                                                       "AccumulateFp32",
                                                       "TrafficClasses",
                                                       "StoredSettings",
                                                       "BufferFlits",
                                                       "ControlBufferFlits",
                                                       "OutputFlits",
                                                       "ReduceCycles",
                                                       "Skid",
                                                       "TagBits"};
  return kNames;
}

}  // namespace weft::fred
