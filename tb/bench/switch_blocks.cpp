// SPDX-License-Identifier: Apache-2.0
// The bench of fred_switch.
#include <algorithm>
#include <memory>

#include "config/fred_shape.h"
#include "switch/routing/switch_setting.h"
#include "tb/bench/block_list.h"
#include "tb/bench/switch_bench.h"
#include "tb/switch/switch_build.h"

namespace weft::tb {
namespace {

constexpr auto kIn = PortDirection::kInput;
constexpr auto kOut = PortDirection::kOutput;

void derive_switch(Shape& shape) {
  const auto net = fred::build_interconnect(static_cast<int>(shape.at("M")), static_cast<int>(shape.at("Ports")));
  shape["SettingBits"] = static_cast<long long>(fred::setting_bits(net));
  shape["FlitBits"] = 32 * shape.at("Lanes") * shape.at("Beats");
  // The longest packet is as long as the smaller buffer, and one must fit beside what is in the stages.
  const long long stages = fred_stages(net.ports, 1) * shape.at("ReduceCycles");
  const long long packet = std::min(shape.at("BufferFlits"), shape.at("ControlBufferFlits"));
  if (shape.at("OutputFlits") < stages + packet) shape["OutputFlits"] = stages + packet;
}

std::vector<BlockPort> switch_ports() {
  return {{"clk_i", kIn, "1", "rising edge"},
          {"rst_ni", kIn, "1", "asynchronous, active low"},
          {"format_i", kIn, "3", "constant"},
          {"op_i", kIn, "2", "constant"},
          {"reconfigure_cycles_i", kIn, "20", "constant"},
          {"stay_packets_i", kIn, "32", "constant"},
          {"first_uplink_i", kIn, "8", "constant"},
          {"uplinks_i", kIn, "8", "constant"},
          {"whole_packets_i", kIn, "Ports", "constant"},
          {"credits_i", kIn, "16 * Ports", "constant"},
          {"control_credits_i", kIn, "16", "constant"},
          {"output_flits_i", kIn, "16", "constant"},
          {"rate_unit_i", kIn, "40 * Ports", "constant"},
          {"rate_flit_i", kIn, "40 * Ports", "constant"},
          {"rate_header_i", kIn, "40 * Ports", "constant"},
          {"cfg_clk_i", kIn, "1", "write clock"},
          {"cfg_we_i", kIn, "1", "write"},
          {"cfg_index_i", kIn, "16", "stored setting"},
          {"cfg_settings_i", kIn, "SettingBits", "encode()"},
          {"cfg_inputs_i", kIn, "Ports * Ports", "flows' inputs"},
          {"cfg_outputs_i", kIn, "Ports * Ports", "flows' outputs"},
          {"in_valid_i", kIn, "Ports", "a flit arrives"},
          {"in_head_i", kIn, "Ports", ""},
          {"in_tail_i", kIn, "Ports", ""},
          {"in_traffic_class_i", kIn, "2 * Ports", ""},
          {"in_output_i", kIn, "8 * Ports", "of a unicast"},
          {"in_stored_setting_i", kIn, "16 * Ports", "0 = unicast"},
          {"in_packet_i", kIn, "32 * Ports", "name"},
          {"in_packet_flits_i", kIn, "16 * Ports", "length"},
          {"in_match_i", kIn, "64 * Ports", "the same in all operands"},
          {"in_data_i", kIn, "FlitBits * Ports", ""},
          {"freed_valid_o", kOut, "Ports", "a slot of the input buffer became free"},
          {"freed_traffic_class_o", kOut, "2 * Ports", "of this traffic class"},
          {"credit_i", kIn, "4 * Ports", "slots behind the output ports became free"},
          {"out_valid_o", kOut, "Ports", "a flit is sent"},
          {"out_head_o", kOut, "Ports", ""},
          {"out_tail_o", kOut, "Ports", ""},
          {"out_traffic_class_o", kOut, "2 * Ports", ""},
          {"out_stored_setting_o", kOut, "16 * Ports", ""},
          {"out_packet_o", kOut, "32 * Ports", ""},
          {"out_packet_flits_o", kOut, "16 * Ports", ""},
          {"out_data_o", kOut, "FlitBits * Ports", ""},
          {"active_valid_o", kOut, "1", "a stored setting has been loaded"},
          {"active_o", kOut, "16", "which"},
          {"idle_o", kOut, "1", "nothing is inside"},
          {"settled_o", kOut, "1", "and no counter runs"}};
}

Block fred_switch() {
  Block block;
  block.name = "fred_switch";
  block.module = "fred_switch";
  block.purpose = "a whole FRED switch of any m and P";
  block.parameters = {{"M", 2, 2, 8, "middle stages", true},
                      {"Ports", 4, 2, 32, "ports", true},
                      {"Lanes", 1, 1, 256, "lanes of 4 bytes"},
                      {"Beats", 1, 1, 64, "cycles of a flit on a wire"},
                      {"AccumulateFp32", 0, 0, 1, "1: formats 4 and 5"},
                      {"TrafficClasses", 4, 1, 4, "traffic classes: 1 or 4"},
                      {"StoredSettings", 8, 2, 65536, "indices, 0 included"},
                      {"BufferFlits", 16, 1, 65535, "slots of an input buffer"},
                      {"ControlBufferFlits", 8, 1, 65535, "of traffic class 3"},
                      {"OutputFlits", 48, 1, 65535, "slots of an output buffer"},
                      {"ReduceCycles", 1, 1, 8, "of a uSwitch that adds"},
                      {"Skid", 0, 0, 1, "1: two beats per stage"},
                      {"TagBits", 1, 1, 64, "of in_match_i"}};
  block.ports = switch_ports();
  block.derive = derive_switch;
  block.variants = {{{"M", 2}, {"Ports", 4}},
                    {{"M", 3}, {"Ports", 3}, {"Beats", 2}, {"AccumulateFp32", 1}, {"ReduceCycles", 3}},
                    {{"M", 3}, {"Ports", 5}, {"Skid", 1}, {"ReduceCycles", 2}},
                    {{"M", 2}, {"Ports", 4}, {"TrafficClasses", 1}}};
  block.make = [](const BenchSetup& setup) { return std::make_unique<SwitchBench>(setup); };
  block.design = [](ModelBuilder& builder, const Block& of, const Shape& shape) {
    RtlDesign design = switch_design(builder, static_cast<int>(shape.at("M")), static_cast<int>(shape.at("Ports")));
    design.asserts = true;
    for (const BlockParameter& each : of.parameters) {
      if (!each.generated) design.parameters[each.name] = std::to_string(shape.at(each.name));
    }
    share_functions(builder, design);
    return design;
  };
  return block;
}

}  // namespace

void add_switch_blocks(std::vector<Block>& list) { list.push_back(fred_switch()); }

}  // namespace weft::tb
