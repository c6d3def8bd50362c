// SPDX-License-Identifier: Apache-2.0
// SystemVerilog of switches, and which switches it can stand for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "switch/rtl/interconnect_sv.h"
#include "switch/rtl/rtl_registers.h"
#include "switch/rtl/rtl_spec.h"
#include "tests/switch/support/flows.h"

namespace weft::fred {
namespace {

using ::testing::HasSubstr;

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(RtlWriter, each_element_is_an_instance_named_by_its_path) {
  const Interconnect net = build_interconnect(3, 12);
  const std::string text = interconnect_sv(net);
  EXPECT_EQ(count_of(text, "  fred_element #("), net.elements.size());
  EXPECT_EQ(count_of(text, "KindReduce)") + count_of(text, "KindDistribute)") + count_of(text, "KindBoth)"), 75U);
  EXPECT_EQ(count_of(text, ") in_2 ("), 1U);
  EXPECT_EQ(count_of(text, ") mid_1__out_0 ("), 1U);
  EXPECT_EQ(count_of(text, ") mid_0__mid_2__demux ("), 1U);
  EXPECT_EQ(count_of(text, ") mid_0__mid_2__mid_1__rd ("), 1U);
  EXPECT_THAT(text, HasSubstr("module fred_interconnect_m3_p12"));
}

/// Every wire has one driver and one reader, and the last slice of the uSwitch settings ends with the setting.
TEST(RtlWriter, wires_and_settings_are_complete) {
  for (const int ports : {2, 3, 4, 5, 12}) {
    const Interconnect net = build_interconnect(2, ports);
    const std::string text = interconnect_sv(net);
    std::size_t wires = static_cast<std::size_t>(net.ports);
    for (const Element& element : net.elements) wires += element.sinks.size();
    EXPECT_EQ(count_of(text, "  logic [SideBits-1:0] "), wires);
    std::size_t bit = 0;
    for (const Element& element : net.elements) {
      const int bits = uswitch_setting_bits(element.kind, net.m);
      EXPECT_EQ(count_of(text, "cfg_settings_i[" + std::to_string(bit) + " +: " + std::to_string(bits) + "]"), 1U);
      bit += static_cast<std::size_t>(bits);
    }
    EXPECT_EQ(bit, setting_bits(net));
  }
}

/// Straps and memory are behind the register port, links are not.
TEST(RtlWriter, in_switch_reducer_has_links_and_a_register_port) {
  const std::string text = in_switch_reducer_sv(build_interconnect(3, 12));
  const std::string header = text.substr(0, text.find(");"));
  EXPECT_EQ(count_of(text, "module in_switch_reducer #("), 1U);
  EXPECT_THAT(header, HasSubstr("input  logic [31:0] reg_data_i,"));
  EXPECT_THAT(header, HasSubstr("input  logic [12*FlitBits-1:0] in_data_i,"));
  EXPECT_EQ(count_of(header, "cfg_"), 0U);
  EXPECT_EQ(count_of(header, "credits_i"), 0U);
  EXPECT_EQ(count_of(text, "  fred_switch_m3_p12 #("), 1U);
}

std::vector<std::pair<int, std::uint32_t>> pairs(const std::vector<RtlRegisterWrite>& writes) {
  std::vector<std::pair<int, std::uint32_t>> result;
  for (const RtlRegisterWrite& write : writes) result.emplace_back(write.address, write.data);
  return result;
}

/// Three ports: rows of 3 bits, one behind the other; 37 bits of settings.
TEST(RtlRegisters, of_a_setting) {
  const RtlSetting setting{{0x78, 0x56, 0x34, 0x12, 0x1a}, {0b00000011, 0b1}, {0b10100100, 0b0}};
  using Writes = std::vector<std::pair<int, std::uint32_t>>;
  EXPECT_EQ(pairs(rtl_register_writes(setting, 3, 6)), (Writes{{0x2000, 0b011},
                                                               {0x2008, 0b100},
                                                               {0x2010, 0b000},
                                                               {0x2018, 0b100},
                                                               {0x2020, 0b100},
                                                               {0x2028, 0b010},
                                                               {0x8000, 0x12345678},
                                                               {0x8001, 0x1a},
                                                               {0x0005, 6}}));
}

/// 40 ports: a row has two words.
TEST(RtlRegisters, of_rows_of_several_words) {
  RtlSetting setting{{}, std::vector<std::uint8_t>(200), std::vector<std::uint8_t>(200)};
  setting.inputs[5 + 4] = 0x81;  // port 1, bits 32 and 39
  const auto writes = pairs(rtl_register_writes(setting, 40, 1));
  EXPECT_EQ(writes.size(), 40U * 4 + 1);
  EXPECT_EQ(writes[4 + 2], (std::pair<int, std::uint32_t>{0x2011, 0x81}));
  EXPECT_EQ(writes[4 + 3].first, 0x2019);
}

TEST(RtlRegisters, of_a_switch) {
  SwitchSpec spec;
  spec.m = 2;
  spec.ports = 2;
  spec.format = LaneFormat{DataType::kBf16, false};
  spec.op = ReduceOp::kMax;
  spec.reconfigure_cycles = 5;
  spec.stay_packets = 7;
  spec.output_credits = 9;
  spec.control_output_credits = 3;
  const auto writes = pairs(rtl_register_writes(spec));
  EXPECT_EQ(writes.size(), 4U + 2 * 6 + 2 + 1);
  EXPECT_EQ(writes[0], (std::pair<int, std::uint32_t>{0, 2U << 8 | 3U}));
  EXPECT_EQ(writes[1], (std::pair<int, std::uint32_t>{1, 5}));
  EXPECT_EQ(writes[2], (std::pair<int, std::uint32_t>{2, 7}));
  EXPECT_EQ(writes[16], (std::pair<int, std::uint32_t>{0x1000, 9}));
  EXPECT_EQ(writes[17], (std::pair<int, std::uint32_t>{0x1010, 9}));
  EXPECT_EQ(writes[18].first, 4);
  EXPECT_EQ(writes[18].second & 0xFFFF, 3U);
}

/// Fred_3(12): 4 bits of a port, at each of 3 levels 2 bits of a middle stage. Fred_2(2) is one RD.
TEST(RtlWriter, routes) {
  EXPECT_EQ(route_bits(build_interconnect(3, 12)), 4 + 3 * 2);
  EXPECT_EQ(route_bits(build_interconnect(2, 2)), 1);
}

SwitchSpec legal() {
  SwitchSpec spec;
  spec.matching = "greedy";
  spec.flit_bytes = 16;
  return spec;
}

TEST(RtlSpec, refuses_what_the_rtl_has_not_by_name) {
  EXPECT_NO_THROW(check_rtl_spec(legal()));
  const auto refused = [](const std::function<void(SwitchSpec&)>& change, const std::string& name) {
    SwitchSpec spec = legal();
    change(spec);
    try {
      check_rtl_spec(spec);
      ADD_FAILURE() << name << " is not refused";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
    }
  };
  refused([](SwitchSpec& s) { s.control = FredControl::kSeveralPhases; }, "control");
  refused([](SwitchSpec& s) { s.control = FredControl::kOneTree; }, "control");
  refused([](SwitchSpec& s) { s.flow_control = PortFlowControl::kWormhole; }, "flow_control");
  refused([](SwitchSpec& s) { s.matching = "maximum"; }, "matching");
  refused([](SwitchSpec& s) { s.traffic_classes = 2; }, "2 traffic classes");
  refused([](SwitchSpec& s) { s.register_every = 2; }, "register_every: 2");
  refused([](SwitchSpec& s) { s.reload_cycles = 5; }, "reload_cycles: 5");
  refused(
      [](SwitchSpec& s) {
        s.port_specs.resize(12);
        s.port_specs[3].out_rate.flits_per_cycle = {1, std::uint64_t{1} << 38};
      },
      "output port 3");
}

TEST(RtlSpec, straps_and_parameters) {
  SwitchSpec spec = legal();
  spec.ports = 4;
  spec.lanes = 2;
  spec.reduce_cycles = 3;
  spec.format = lane_format("bf16_fp32");
  spec.port_specs.resize(4);
  spec.port_specs[1].in_rate = {1, 2};
  spec.port_specs[2].out_credits = 0x1234;
  spec.port_specs[3].out_rate = {{3, 4}, 0, 6};
  const auto parameters = rtl_parameters(spec, 5);
  const auto parameter = [&](const std::string& name) {
    return std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.first == name; })->second;
  };
  EXPECT_EQ(parameter("Lanes"), 2U);
  EXPECT_EQ(parameter("Beats"), 2U);
  EXPECT_EQ(parameter("AccumulateFp32"), 1U);
  EXPECT_EQ(parameter("StoredSettings"), 5U);
  EXPECT_EQ(parameter("OutputFlits"), 2U * 8 + 3 * 3);  // Fred_3(4) has 3 stages
  const auto straps = rtl_straps(spec);
  const auto strap = [&](const std::string& name) {
    return std::find_if(straps.begin(), straps.end(), [&](const RtlStrap& s) { return s.port == name; })->bytes;
  };
  EXPECT_EQ(strap("format_i"), std::vector<std::uint8_t>{5});
  EXPECT_EQ(strap("whole_packets_i"), std::vector<std::uint8_t>{2});
  EXPECT_EQ(strap("credits_i"), (std::vector<std::uint8_t>{16, 0, 16, 0, 0x34, 0x12, 16, 0}));
  const std::vector<std::uint8_t> units = strap("rate_unit_i");
  const std::vector<std::uint8_t> headers = strap("rate_header_i");
  EXPECT_EQ(units[0], 16);     // 1 x 16 bytes
  EXPECT_EQ(units[15], 48);    // 3 x 16
  EXPECT_EQ(headers[15], 24);  // 4 x 6
  EXPECT_EQ(units.size(), 20U);
}

/// Rows stand at the first input that a flow names.
TEST(RtlSpec, flows_of_a_setting) {
  const Interconnect net = build_interconnect(2, 4);
  SettingStore store(net, 1000, StageTiming{1, std::vector<std::uint8_t>(net.elements.size(), 1)});
  const auto number = store.add({{"a", testing::ports({2, 0}), testing::ports({1})}});
  const RtlSetting rtl = rtl_setting(net, store[number]);
  EXPECT_EQ(rtl.inputs, (std::vector<std::uint8_t>{0x00, 0b0101}));  // row 2 is bits 8 to 11
  EXPECT_EQ(rtl.outputs, (std::vector<std::uint8_t>{0x00, 0b0010}));
  EXPECT_EQ(rtl.uswitch_settings, encode(net, store[number].uswitch_settings));
}

}  // namespace
}  // namespace weft::fred
