// SPDX-License-Identifier: Apache-2.0
// The C++ file that stands between a Verilated class and rtl_abi.h.
#pragma once

#include <string>

#include "tb/build/rtl_design.h"

namespace weft::tb {

/// Name of the class that Verilator makes.
inline constexpr const char* kVerilatedClass = "Vdut";

/// Its text; the model has the ports of `interface`.
std::string wrapper_text(const RtlDesign& design, const RtlInterface& interface);

}  // namespace weft::tb
