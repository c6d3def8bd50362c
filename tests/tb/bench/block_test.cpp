// SPDX-License-Identifier: Apache-2.0
// The list of blocks: shapes, and what is said of a module with other ports.
#include "tb/bench/block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tb/switch/switch_build.h"
#include "tests/support/temp_dir.h"

namespace weft::tb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

RtlInterface elastic(std::uint32_t width) {
  RtlInterface found;
  found.top = "mine";
  for (const BlockPort& port : find_block("elastic_reg").ports) {
    const bool data = std::string(port.width) == "Width";
    found.ports.push_back({port.name, port.direction, data ? width : 1U, false});
  }
  return found;
}

TEST(Blocks, have_names_of_their_own_and_legal_variants) {
  std::vector<std::string> names;
  for (const Block& block : blocks()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), block.name), 0);
    names.push_back(block.name);
    for (std::size_t i = 0; i < block.variants.size(); ++i) {
      const Shape shape = variant_of(block, {}, i);
      for (const BlockPort& port : block.ports) EXPECT_GE(evaluate(port.width, shape), 1) << block.name << port.name;
    }
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"elastic_reg", "fp_add", "fp_minmax", "reduce_lanes", "uswitch_r",
                                            "uswitch_d", "uswitch_rd"}));
}

TEST(Blocks, take_given_values_over_standard_ones_and_variants) {
  const Block& block = find_block("elastic_reg");
  EXPECT_EQ(shape_of(block, {{"Depth", 5}}), (Shape{{"Depth", 5}, {"Skid", 0}, {"Width", 8}}));
  EXPECT_EQ(variant_of(block, {{"Depth", 5}}, 1), (Shape{{"Depth", 5}, {"Skid", 1}, {"Width", 33}}));
}

TEST(Blocks, widths_follow_the_kind_of_a_uswitch) {
  const Shape r = shape_of(find_block("uswitch_r"), {{"M", 3}, {"Lanes", 2}});
  EXPECT_EQ(r.at("NumIn"), 2);
  EXPECT_EQ(r.at("NumOut"), 3);
  EXPECT_EQ(r.at("SettingBits"), 5);  // 0..3 of two inputs, reduce
  EXPECT_EQ(r.at("DataBits"), 64);
  const Shape rd = shape_of(find_block("uswitch_rd"), {{"AccumulateFp32", 1}});
  EXPECT_EQ(rd.at("SettingBits"), 6);  // masks of two inputs for two outputs, reduce, distribute
  EXPECT_EQ(rd.at("DataBits"), 64);
  EXPECT_EQ(shape_of(find_block("uswitch_mux"), {{"M", 4}}).at("NumIn"), 4);
}

TEST(Blocks, name_unknown_blocks_parameters_and_values_bad) {
  EXPECT_THAT(refusal([] { find_block("elastic_rag"); }), HasSubstr("(did you mean elastic_reg?); known: fp_add"));
  const Block& block = find_block("elastic_reg");
  EXPECT_THAT(refusal([&] {
                shape_of(block, {{"Skidd", 1}});
              }),
              HasSubstr("has no parameter Skidd (did you mean Skid?); it has: Width, Skid, Depth"));
  EXPECT_THAT(refusal([&] { shape_of(block, {{"Skid", 2}}); }), HasSubstr("Skid of block elastic_reg is 2; 0 to 1"));
  EXPECT_THAT(refusal([] { shape_of(find_block("fp_add"), {{"ExpBits", 6}}); }), HasSubstr("is no format"));
}

TEST(Designs, can_leave_out_the_assertions) {
  const test::TempDir folder;
  ModelBuilder builder(folder.path());
  for (const Block& block : blocks()) {
    const RtlDesign all = design_of(builder, block, shape_of(block, {}));
    EXPECT_TRUE(all.asserts) << block.name;
    EXPECT_EQ(all.files.front().filename(), "weft_assert.sv") << block.name;
    EXPECT_FALSE(without_checkers(all).asserts) << block.name;
  }
}

TEST(Designs, of_switches_share_functions_from_16_lanes_on) {
  const test::TempDir folder;
  ModelBuilder builder(folder.path());
  const Block& block = find_block("fred_switch");
  for (const long long lanes : {1, 4, 15, 16, 64}) {
    const RtlDesign design = design_of(builder, block, shape_of(block, {{"Lanes", lanes}}));
    EXPECT_EQ(design.files.front().filename() == "sharing.vlt", lanes >= 16) << lanes;
  }
}

TEST(Differences, are_none_where_the_ports_are_the_blocks) {
  const Block& block = find_block("elastic_reg");
  EXPECT_TRUE(differences(block, shape_of(block, {{"Width", 24}}), elastic(24), false).empty());
}

TEST(Differences, name_each_missing_extra_and_wrong_port_bad) {
  const Block& block = find_block("elastic_reg");
  RtlInterface found = elastic(24);
  found.ports[2].name = "vaild_i";
  found.ports[5].direction = PortDirection::kInput;
  found.ports[7].unpacked = true;
  EXPECT_THAT(differences(block, shape_of(block, {{"Width", 16}}), found, false),
              ElementsAre("missing port: input valid_i of 1 bits",
                          "port data_i has 24 bits, it must have 16 (Width; Depth=1 Skid=0 Width=16)",
                          "port valid_o is an input, it must be an output",
                          "port data_o is an unpacked array, it must be a flat vector of 16 bits",
                          "extra port: input vaild_i (did you mean valid_i?)"));
}

/// Where only the order counts, a block without a clock may have registers.
TEST(Differences, allow_a_clock_where_only_the_order_counts) {
  const Block& block = find_block("fp_add");
  const Shape shape = shape_of(block, {});
  RtlInterface found;
  for (const BlockPort& port : block.ports) {
    found.ports.push_back({port.name, port.direction, static_cast<std::uint32_t>(evaluate(port.width, shape)), false});
  }
  found.ports.push_back({"clk_i", PortDirection::kInput, 1, false});
  EXPECT_TRUE(differences(block, shape, found, true).empty());
  EXPECT_THAT(differences(block, shape, found, false), ElementsAre(HasSubstr("extra port: input clk_i")));
}

TEST(PortsMarkdown, has_a_row_for_each_parameter_and_port) {
  const Block& block = find_block("elastic_reg");
  const std::string text = ports_markdown(block);
  EXPECT_THAT(text, HasSubstr("| `Depth` | 1 | 1 to 64 | stages in a row |\n"));
  EXPECT_THAT(text, HasSubstr("| `valid_o` | out | 1 | a register; holds until `ready_i` |\n"));
}

}  // namespace
}  // namespace weft::tb
