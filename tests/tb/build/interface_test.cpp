// SPDX-License-Identifier: Apache-2.0
// Ports and parameters of a module, read before it is built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tb/build/rtl_interface.h"
#include "tests/support/temp_dir.h"
#include "tests/tb/build/rtl_files.h"

namespace weft::tb {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kTypes = R"(
package types;
  typedef enum logic [2:0] {A, B} kind_e;
  typedef struct packed {logic [3:0] a; kind_e b;} pair_t;
endpackage
module types_top #(
  parameter int N = 3,
  localparam int unsigned Twice = 2 * N
) (
  input  types::kind_e kind_i,
  input  types::pair_t pair_i,
  input  logic [N-1:0][3:0] rows_i,
  input  logic [3:0] list_i [N],
  input  byte signed_i,
  inout  wire both_io,
  output logic [Twice-1:0] wide_o
);
  assign wide_o = '0;
endmodule
)";

RtlDesign design(const test::TempDir& folder, const std::string& top, const std::string& text) {
  RtlDesign made;
  made.top = top;
  made.files = {test::write_file(folder / (top + ".sv"), text)};
  return made;
}

std::string refusal(const RtlDesign& of) {
  try {
    read_interface(of, find_tools());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RtlInterface, has_ports_in_order_with_direction_and_width) {
  const test::TempDir folder;
  const RtlInterface found = read_interface(design(folder, "types_top", kTypes), find_tools());
  EXPECT_EQ(found.top, "types_top");
  ASSERT_EQ(found.ports.size(), 7U);
  const std::vector<std::string> names = {"kind_i", "pair_i", "rows_i", "list_i", "signed_i", "both_io", "wide_o"};
  const std::vector<std::uint32_t> widths = {3, 7, 12, 12, 8, 1, 6};
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(found.ports[i].name, names[i]);
    EXPECT_EQ(found.ports[i].width, widths[i]) << names[i];
    EXPECT_EQ(found.ports[i].unpacked, i == 3) << names[i];
    EXPECT_EQ(found.ports[i].direction, i < 5    ? PortDirection::kInput
                                        : i == 5 ? PortDirection::kInout
                                                 : PortDirection::kOutput);
  }
  ASSERT_EQ(found.parameters.size(), 1U);  // a localparam cannot be set
  EXPECT_EQ(found.parameters[0].name, "N");
  EXPECT_EQ(found.parameters[0].value(), 3);
  ASSERT_EQ(found.files.size(), 1U);
}

TEST(RtlInterface, follows_parameters) {
  const test::TempDir folder;
  RtlDesign of = design(folder, "register", test::kRegister);
  of.parameters["Width"] = "77";
  const RtlInterface found = read_interface(of, find_tools());
  EXPECT_EQ(found.ports[4].name, "data_i");
  EXPECT_EQ(found.ports[4].width, 77U);
  EXPECT_EQ(found.parameters[0].value(), 77);
  EXPECT_EQ(found.warnings, "");
}

TEST(RtlInterface, keeps_warnings_which_are_not_fatal) {
  const test::TempDir folder;
  const std::string text =
      "module narrow(input logic [7:0] a_i, output logic [3:0] y_o);\n  assign y_o = a_i;\nendmodule\n";
  EXPECT_THAT(read_interface(design(folder, "narrow", text), find_tools()).warnings, HasSubstr("%Warning-WIDTH"));
}

TEST(RtlInterface, names_an_unknown_parameter_and_its_nearest_bad) {
  const test::TempDir folder;
  RtlDesign of = design(folder, "register", test::kRegister);
  of.parameters["Widht"] = "8";
  of.parameters["Depth"] = "2";
  const std::string text = refusal(of);
  EXPECT_THAT(text, HasSubstr("module register has no parameter Widht (did you mean Width?); it has: Width"));
  EXPECT_THAT(text, HasSubstr("no parameter Depth"));
}

TEST(RtlInterface, names_a_missing_top_bad) {
  const test::TempDir folder;
  RtlDesign of = design(folder, "register", test::kRegister);
  of.top = "registers";
  EXPECT_THAT(refusal(of), HasSubstr("'registers' was not found in design"));
}

TEST(RtlInterface, shows_what_verilator_refuses_bad) {
  const test::TempDir folder;
  const std::string text =
      refusal(design(folder, "broken", "module broken(input logic a_i);\n  assign b = ;\nendmodule\n"));
  EXPECT_THAT(text, HasSubstr("Verilator refuses the sources of broken"));
  EXPECT_THAT(text, HasSubstr("broken.sv:2"));
  EXPECT_THAT(text, Not(HasSubstr("Exiting due to")));
}

TEST(ParseNumber, takes_c_and_verilog) {
  EXPECT_EQ(parse_number("12"), 12);
  EXPECT_EQ(parse_number("0x1f"), 31);
  EXPECT_EQ(parse_number("32'h1f"), 31);
  EXPECT_EQ(parse_number("4'b0101"), 5);
  EXPECT_EQ(parse_number("8'sd3"), 3);
  EXPECT_EQ(parse_number("-4"), -4);
  EXPECT_EQ(parse_number("16'hff_00"), 0xff00);
}

TEST(ParseNumber, refuses_texts_bad) {
  for (const char* text : {"", "x", "1.5", "8'q3", "'h", "4 5", "9223372036854775808", "65'h1ffffffffffffffff"})
    EXPECT_THROW(parse_number(text), InputError) << text;
}

}  // namespace
}  // namespace weft::tb
