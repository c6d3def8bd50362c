// SPDX-License-Identifier: Apache-2.0
// Operands for the arithmetic blocks, and what comes out against the model's arithmetic, bit for bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"
#include "tests/rtl/duts/arith_dut.h"

namespace weft::rtl_test {

/// The first difference as text, or nothing. Each looks at `count` operands or pairs.
std::optional<std::string> scalar_difference(ArithDut& dut, DataType dtype, ReduceOp op, std::uint64_t count,
                                             std::uint64_t seed);
/// All pairs of numbers next to those where a format's behaviour changes: zeros, subnormals, powers of two, halves of
/// units, largest numbers, infinities, NaNs, with both signs.
std::optional<std::string> corner_difference(ArithDut& dut, DataType dtype, ReduceOp op);
/// All 2^16 narrow numbers widened; rounding of random words and of all near ties.
std::optional<std::string> conversion_difference(ArithDut& dut, DataType dtype, std::uint64_t count);
/// Lanes of format 0..5 against the model's lanes, with their paths in and out.
std::optional<std::string> lane_difference(ArithDut& dut, int format, ReduceOp op, std::uint64_t count);
/// All of the above, with little of each: what finds each seeded fault.
std::optional<std::string> any_arith_difference(ArithDut& dut, std::uint64_t count);

}  // namespace weft::rtl_test
