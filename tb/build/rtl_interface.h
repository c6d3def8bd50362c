// SPDX-License-Identifier: Apache-2.0
// Reads the ports and parameters of a module before it is built.
#pragma once

#include <string>
#include <vector>

#include "tb/build/rtl_design.h"
#include "tb/build/tools.h"

namespace weft::tb {

/// Lets Verilator elaborate the design. Throws InputError for parameters that the module does not have (naming each,
/// and the nearest known) and for sources that Verilator refuses (with what it says).
RtlInterface read_interface(const RtlDesign& design, const Tools& tools);

/// The same from the text of `verilator --xml-only`.
RtlInterface parse_interface(const std::string& xml);

/// Verilator's arguments that the design stands for, without output options and parameters.
std::vector<std::string> source_arguments(const RtlDesign& design);
/// -GNAME=VALUE for each parameter.
std::vector<std::string> parameter_arguments(const RtlDesign& design);

/// A number in C or Verilog: 12, 0x1f, 32'h1f, 4'b0101, 8'sd3. Throws InputError.
long long parse_number(const std::string& text);

}  // namespace weft::tb
