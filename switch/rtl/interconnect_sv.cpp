// SPDX-License-Identifier: Apache-2.0
#include "switch/rtl/interconnect_sv.h"

#include <fmt/format.h>

#include <string_view>

#include "config/fred_shape.h"
#include "switch/routing/switch_setting.h"
#include "switch/rtl/watch_sv.h"

namespace weft::fred {
namespace {

constexpr std::string_view kParameters = R"(  parameter  int unsigned Lanes          = 4,
  parameter  int unsigned AccumulateFp32 = 0,
  parameter  int unsigned StoredSettings = 8,
  parameter  int unsigned ReduceCycles   = 1,
  parameter  int unsigned Skid           = 0,
  parameter  int unsigned TagBits        = 1,
)";

/// Levels of stages around the innermost ones.
int levels_of(const Interconnect& net) { return static_cast<int>((fred_stages(net.ports, 1) - 1) / 2); }

int bits_of(int values) {
  int bits = 0;
  while (1 << bits < values) ++bits;
  return bits;
}

/// mid[1].out[0] -> mid_1__out_0.
std::string identifier(std::string_view path) {
  std::string name;
  for (const char letter : path) {
    if (letter == '.') name += "__";
    if (letter == '[') name += '_';
    if (letter != '.' && letter != '[' && letter != ']') name += letter;
  }
  return name;
}

std::string declare(const std::string& wire) {
  return fmt::format(
      "  logic                {0}_valid, {0}_ready;\n  logic [SideBits-1:0] {0}_side;\n"
      "  logic [DataBits-1:0] {0}_data;\n",
      wire);
}

/// {last_valid, ..., first_valid}.
std::string joined(const std::vector<std::string>& wires, std::string_view signal) {
  std::string text;
  for (auto wire = wires.rbegin(); wire != wires.rend(); ++wire) {
    text += fmt::format("{}{}_{}", text.empty() ? "" : ", ", *wire, signal);
  }
  return wires.size() == 1 ? text : "{" + text + "}";
}

std::string_view kind_sv(ElementKind kind) {
  constexpr std::string_view kNames[] = {"KindReduce", "KindDistribute", "KindBoth", "KindDemux", "KindMux"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string connect(std::string_view prefix, const std::vector<std::string>& wires, bool into) {
  std::string text;
  for (const std::string_view signal : {"valid", "ready", "side", "data"}) {
    const bool input = into == (signal != "ready");
    text += fmt::format("    .{}_{}_{}({}),\n", prefix, signal, input ? "i" : "o", joined(wires, signal));
  }
  return text;
}

std::string instance(const Interconnect& net, std::uint32_t number, std::size_t first_bit) {
  const Element& element = net.elements[number];
  std::vector<std::string> from;
  std::vector<std::string> to;
  for (const Terminal source : element.sources) from.push_back(wire_name_sv(net, source));
  for (std::uint32_t pin = 0; pin < element.sinks.size(); ++pin) to.push_back(wire_name_sv(net, {number, pin}));
  std::string text;
  for (const std::string& wire : to) text += declare(wire);
  text += fmt::format(
      "  fred_element #(\n    .Kind(fred_pkg::{}), .M({}), .Level({}), .Lanes(Lanes), .AccumulateFp32(AccumulateFp32), "
      ".SideBits(SideBits),\n    .MatchBits(side_pkg::beat_traffic_class(CfgBits, TagBits)), .RouteBits({}), "
      ".OutputBits({}), .CfgLow(side_pkg::BeatStoredSetting),\n    "
      ".StoredSettings(StoredSettings), .ReduceCycles(ReduceCycles), .Skid(Skid)\n  ) {} (\n",
      kind_sv(element.kind), net.m, element.depth, route_bits(net), bits_of(net.ports), identifier(element.path));
  text += fmt::format(
      "    .clk_i(clk_i), .rst_ni(rst_ni), .format_i(format_i), .op_i(op_i),\n    .cfg_clk_i(cfg_clk_i), "
      ".cfg_we_i(cfg_we_i), "
      ".cfg_index_i(cfg_index_i), .cfg_setting_i(cfg_settings_i[{} +: {}]),\n",
      first_bit, uswitch_setting_bits(element.kind, net.m));
  text += connect("in", from, true);
  std::string outputs = connect("out", to, false);
  outputs.erase(outputs.size() - 2, 1);  // the last comma
  return text + outputs + "  );\n\n";
}

std::string interconnect_header(const Interconnect& net, const SwitchWatch& watch) {
  return fmt::format(
      R"(// SPDX-License-Identifier: Apache-2.0
// {0}: elements and wires. Written by `weft rtl`; do not edit.

module fred_interconnect_{1} #(
{2}  localparam int unsigned CfgBits        = $clog2(StoredSettings),
  localparam int unsigned SideBits       = side_pkg::beat_bits(CfgBits, TagBits, {3}),
  localparam int unsigned DataBits       = Lanes * (AccumulateFp32 != 0 ? 64 : 32)
) (
  input  logic                      clk_i,
  input  logic                      rst_ni,
  input  fred_pkg::format_e         format_i,
  input  fred_pkg::op_e             op_i,
  input  logic                      cfg_clk_i,
  input  logic                      cfg_we_i,
  input  logic [CfgBits-1:0]        cfg_index_i,
  input  logic [{4}:0]              cfg_settings_i,
  input  logic [{5}:0]              in_valid_i,
  output logic [{5}:0]              in_ready_o,
  input  logic [{6}*SideBits-1:0]   in_side_i,
  input  logic [{6}*DataBits-1:0]   in_data_i,
{7}  output logic [{5}:0]              out_valid_o,
  input  logic [{5}:0]              out_ready_i,
  output logic [{6}*SideBits-1:0]   out_side_o,
  output logic [{6}*DataBits-1:0]   out_data_o
);

)",
      net.name(), rtl_suffix(net), kParameters, route_bits(net), setting_bits(net) - 1, net.ports - 1, net.ports,
      watch_net_ports_sv(net, watch));
}

}  // namespace

std::string wire_name_sv(const Interconnect& net, Terminal source) {
  if (source.outside()) return fmt::format("port_{}", source.pin);
  return fmt::format("{}_o{}", identifier(net.elements[source.element].path), source.pin);
}

int route_bits(const Interconnect& net) { return bits_of(net.ports) + levels_of(net) * bits_of(net.m); }

std::string rtl_suffix(const Interconnect& net) { return fmt::format("m{}_p{}", net.m, net.ports); }

std::string interconnect_sv(const Interconnect& net, const SwitchWatch& watch) {
  std::string text = interconnect_header(net, watch);
  for (int port = 0; port < net.ports; ++port) {
    const std::string wire = fmt::format("port_{}", port);
    text += declare(wire);
    text += fmt::format(
        "  assign {0}_valid     = in_valid_i[{1}];\n  assign in_ready_o[{1}] = {0}_ready;\n"
        "  assign {0}_side      = in_side_i[{1}*SideBits +: SideBits];\n"
        "  assign {0}_data      = in_data_i[{1}*DataBits +: DataBits];\n\n",
        wire, port);
  }
  std::size_t bit = 0;
  for (std::uint32_t number = 0; number < net.elements.size(); ++number) {
    text += instance(net, number, bit);
    bit += static_cast<std::size_t>(uswitch_setting_bits(net.elements[number].kind, net.m));
  }
  for (std::size_t port = 0; port < net.outputs.size(); ++port) {
    const std::string wire = wire_name_sv(net, net.outputs[port]);
    text += fmt::format(
        "  assign out_valid_o[{1}] = {0}_valid;\n  assign {0}_ready = out_ready_i[{1}];\n"
        "  assign out_side_o[{1}*SideBits +: SideBits] = {0}_side;\n"
        "  assign out_data_o[{1}*DataBits +: DataBits] = {0}_data;\n\n",
        wire, port);
  }
  return text + watch_net_assigns_sv(net, watch) + "endmodule\n";
}

}  // namespace weft::fred
