// SPDX-License-Identifier: Apache-2.0
// SystemVerilog of tests, written to files.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_dir.h"

namespace weft::test {

/// One register with valid and ready, which takes a new word in the cycle in which the old one leaves.
inline constexpr const char* kRegister = R"(
module register #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  assign ready_o = !valid_o | ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
    end else if (ready_o) begin
      valid_o <= valid_i;
      if (valid_i) data_o <= data_i;
    end
  end
endmodule
)";

inline std::filesystem::path write_file(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
  return file;
}

}  // namespace weft::test
