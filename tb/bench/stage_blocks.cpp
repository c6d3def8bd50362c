// SPDX-License-Identifier: Apache-2.0
// Benches of elastic_reg and of the kinds of uswitch.
#include <fmt/format.h>

#include <memory>

#include "switch/routing/switch_setting.h"
#include "tb/bench/block_list.h"
#include "tb/bench/stage_bench.h"

namespace weft::tb {
namespace {

Block elastic_reg() {
  Block block;
  block.name = block.module = "elastic_reg";
  block.purpose = "stages in a row with valid and ready";
  block.parameters = {{"Width", 8, 1, 4096, "bits"},
                      {"Skid", 0, 0, 1, "1: two words per stage, `ready_o` is a register"},
                      {"Depth", 1, 1, 64, "stages in a row"}};
  block.ports = {{"clk_i", kIn, "1", "rising edge"},
                 {"rst_ni", kIn, "1", "asynchronous, active low"},
                 {"valid_i", kIn, "1", "a word is offered; holds until `ready_o`"},
                 {"ready_o", kOut, "1", "it is taken at the next edge"},
                 {"data_i", kIn, "Width", ""},
                 {"valid_o", kOut, "1", "a register; holds until `ready_i`"},
                 {"ready_i", kIn, "1", ""},
                 {"data_o", kOut, "Width", ""}};
  block.variants = {{{"Width", 8}, {"Skid", 0}, {"Depth", 1}},
                    {{"Width", 33}, {"Skid", 1}, {"Depth", 1}},
                    {{"Width", 8}, {"Skid", 0}, {"Depth", 3}},
                    {{"Width", 65}, {"Skid", 1}, {"Depth", 2}}};
  block.make = [](const BenchSetup& setup) {
    StageSpec spec;
    spec.name = "elastic_reg";
    spec.ports.inputs = {{"valid_i", "ready_o", "data_i", "", "", 0}};
    spec.ports.outputs = {{"valid_o", "ready_i", "data_o", "", "", 0}};
    spec.ports.data_bits = static_cast<std::uint32_t>(setup.shape.at("Width"));
    spec.modes = {{"pass", {{{0}, {0}}}, 0}};
    spec.skid = setup.shape.at("Skid") != 0;
    spec.pass_stages = static_cast<std::uint32_t>(setup.shape.at("Depth"));
    return std::make_unique<StageBench>(setup, spec);
  };
  return block;
}

// uSwitches.

using fred::ElementKind;

ElementKind kind_of(const Shape& shape) { return static_cast<ElementKind>(shape.at("Kind")); }

/// A mode from an element's setting: which inputs lead where follows from `feeds`.
StageMode mode_of(const std::string& name, ElementKind kind, int m, int inputs, int outputs,
                  const fred::UswitchSetting& setting) {
  StageMode mode;
  mode.name = name;
  for (int o = 0; o < outputs; ++o) {
    StageMode::Datapath datapath;
    datapath.outputs = {o};
    for (int i = 0; i < inputs; ++i) {
      if (fred::feeds(kind, setting, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(o))) {
        datapath.inputs.push_back(i);
      }
    }
    if (datapath.inputs.empty()) continue;
    if (setting.distribute && !mode.datapaths.empty()) {
      mode.datapaths.back().outputs.push_back(o);
    } else {
      mode.datapaths.push_back(datapath);
    }
  }
  // The bits in the order of encode(): select[0], select[1], reduce, distribute.
  int select_bits = 2;
  if (kind != ElementKind::kBoth) {
    for (select_bits = 1; (1 << select_bits) < m + 1;) ++select_bits;
  }
  const bool two = kind == ElementKind::kReduce || kind == ElementKind::kDistribute || kind == ElementKind::kBoth;
  int at = 0;
  const auto put = [&](std::uint64_t value, int bits) {
    mode.setting |= value << at;
    at += bits;
  };
  put(setting.select[0], select_bits);
  if (two) put(setting.select[1], select_bits);
  if (kind == ElementKind::kReduce || kind == ElementKind::kBoth) put(setting.reduce ? 1 : 0, 1);
  if (kind == ElementKind::kDistribute || kind == ElementKind::kBoth) put(setting.distribute ? 1 : 0, 1);
  return mode;
}

fred::UswitchSetting setting_of(int first, int second, bool reduce, bool distribute) {
  fred::UswitchSetting setting;
  setting.select = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)};
  setting.reduce = reduce;
  setting.distribute = distribute;
  return setting;
}

/// All legal settings of an element that is in use.
std::vector<StageMode> modes_of(const Shape& shape) {
  const ElementKind kind = kind_of(shape);
  const int m = static_cast<int>(shape.at("M"));
  const int inputs = static_cast<int>(shape.at("NumIn"));
  const int outputs = static_cast<int>(shape.at("NumOut"));
  std::vector<StageMode> modes;
  const auto add = [&](const std::string& name, const fred::UswitchSetting& setting) {
    modes.push_back(mode_of(name, kind, m, inputs, outputs, setting));
  };
  switch (kind) {
    case ElementKind::kReduce:
      for (int o = 1; o <= m; ++o) {
        add("reduce", setting_of(o, o, true, false));
        add("one", setting_of(o, 0, false, false));
        add("one", setting_of(0, o, false, false));
        for (int p = 1; p <= m; ++p) {
          if (p != o) add("two", setting_of(o, p, false, false));
        }
      }
      break;
    case ElementKind::kDistribute:
      for (int i = 1; i <= m; ++i) {
        add("distribute", setting_of(i, i, false, true));
        add("one", setting_of(i, 0, false, false));
        add("one", setting_of(0, i, false, false));
        for (int j = 1; j <= m; ++j) {
          if (i != j) add("two", setting_of(i, j, false, false));
        }
      }
      break;
    case ElementKind::kBoth:
      add("reduce", setting_of(3, 0, true, false));
      add("reduce", setting_of(0, 3, true, false));
      add("reduce_distribute", setting_of(3, 3, true, true));
      for (int i = 1; i <= 2; ++i) {
        add("distribute", setting_of(i, i, false, true));
        add("one", setting_of(i, 0, false, false));
        add("one", setting_of(0, i, false, false));
        add("two", setting_of(i, 3 - i, false, false));
      }
      break;
    default:
      for (int k = 1; k <= m; ++k) add("one", setting_of(k, 0, false, false));
  }
  return modes;
}

void derive_uswitch(Shape& shape) {
  const ElementKind kind = kind_of(shape);
  const int m = static_cast<int>(shape.at("M"));
  const bool many_in = kind == ElementKind::kDistribute || kind == ElementKind::kMux;
  const bool many_out = kind == ElementKind::kReduce || kind == ElementKind::kDemux;
  shape["NumIn"] = many_in ? m : kind == ElementKind::kDemux ? 1 : 2;
  shape["NumOut"] = many_out ? m : kind == ElementKind::kMux ? 1 : 2;
  shape["SettingBits"] = fred::uswitch_setting_bits(kind, m);
  shape["DataBits"] = shape.at("Lanes") * (shape.at("AccumulateFp32") != 0 ? 64 : 32);
}

std::unique_ptr<BlockBench> make_uswitch(const BenchSetup& setup, const std::string& name) {
  const auto value = [&](const char* key) { return static_cast<std::uint32_t>(setup.shape.at(key)); };
  StageSpec spec;
  spec.name = name;
  for (std::uint32_t i = 0; i < value("NumIn"); ++i) {
    spec.ports.inputs.push_back({"in_valid_i", "in_ready_o", "in_data_i", "in_side_i", "in_setting_i", i});
  }
  for (std::uint32_t o = 0; o < value("NumOut"); ++o) {
    spec.ports.outputs.push_back({"out_valid_o", "out_ready_i", "out_data_o", "out_side_o", "", o});
  }
  spec.ports.data_bits = value("DataBits");
  spec.ports.side_bits = value("SideBits");
  spec.ports.match_bits = value("MatchBits");
  spec.ports.setting_bits = value("SettingBits");
  spec.modes = modes_of(setup.shape);
  spec.skid = value("Skid") != 0;
  spec.sum_stages = value("ReduceCycles");
  spec.lanes = value("Lanes");
  spec.accumulate_fp32 = value("AccumulateFp32") != 0;
  return std::make_unique<StageBench>(setup, spec);
}

Block uswitch(const char* name, ElementKind kind, const char* purpose) {
  Block block;
  block.name = name;
  block.module = "uswitch";
  block.purpose = purpose;
  block.fixed = {{"Kind", static_cast<long long>(kind)}};
  block.parameters = {{"M", 2, 2, 16, "middle stages; of an RD not used"},
                      {"Lanes", 1, 1, 256, "lanes of 4 bytes at the ports of the switch"},
                      {"AccumulateFp32", 0, 0, 1, "1: formats 4 and 5 are there, a lane has 8 bytes"},
                      {"SideBits", 8, 1, 256, "side wires of a beat"},
                      {"MatchBits", 0, 0, 256, "lowest side bits that are the same in two operands of a sum"},
                      {"ReduceCycles", 1, 1, 8, "stages that a sum passes"},
                      {"Skid", 0, 0, 1, "1: two words per stage"}};
  block.ports = {
      {"clk_i", kIn, "1", "rising edge"},
      {"rst_ni", kIn, "1", "asynchronous, active low"},
      {"format_i", kIn, "3", "`fred_pkg::format_e`; changes only while nothing is inside"},
      {"op_i", kIn, "2", "`fred_pkg::op_e`; the same"},
      {"in_valid_i", kIn, "NumIn", "a beat is offered; holds until ready"},
      {"in_ready_o", kOut, "NumIn", "it is taken at the next edge; looked at where valid"},
      {"in_side_i", kIn, "NumIn * SideBits", ""},
      {"in_data_i", kIn, "NumIn * DataBits", "DataBits = 32 x `Lanes`, with `AccumulateFp32` 64 x"},
      {"in_setting_i", kIn, "NumIn * SettingBits", "this element's setting for the beat, in the bits of encode()"},
      {"out_valid_o", kOut, "NumOut", "a register; holds until ready"},
      {"out_ready_i", kIn, "NumOut", ""},
      {"out_side_o", kOut, "NumOut * SideBits", "of a sum that of the lower input"},
      {"out_data_o", kOut, "NumOut * DataBits", ""}};
  block.derive = derive_uswitch;
  const bool adds = kind == ElementKind::kReduce || kind == ElementKind::kBoth;
  block.variants = {{{"M", 2}, {"Lanes", 1}, {"AccumulateFp32", 1}, {"MatchBits", 2}},
                    {{"M", 3}, {"Lanes", 2}, {"Skid", 1}, {"ReduceCycles", adds ? 3 : 1}}};
  block.make = [name = block.name](const BenchSetup& setup) { return make_uswitch(setup, name); };
  return block;
}

}  // namespace

void add_stage_blocks(std::vector<Block>& list) {
  list.push_back(elastic_reg());
  list.push_back(uswitch("uswitch_r", ElementKind::kReduce, "R-uSwitch: adds its two inputs or passes them"));
  list.push_back(
      uswitch("uswitch_d", ElementKind::kDistribute, "D-uSwitch: copies an input to both outputs or passes"));
  list.push_back(uswitch("uswitch_rd", ElementKind::kBoth, "RD-uSwitch: both"));
  list.push_back(uswitch("uswitch_demux", ElementKind::kDemux, "the path in of the last port, where ports are odd"));
  list.push_back(uswitch("uswitch_mux", ElementKind::kMux, "its path out"));
}

}  // namespace weft::tb
