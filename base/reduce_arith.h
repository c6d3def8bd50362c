// SPDX-License-Identifier: Apache-2.0
// Arithmetic of reductions, the same at endpoints and in switches: IEEE 754, round to nearest even, subnormals kept,
// NaN results canonical (0x7FC00000, 0x7E00, 0x7FC0); min and max as IEEE 754-2019 minimum and maximum (NaN wins, -0 <
// +0); INT32 sums wrap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/data_type.h"

namespace weft {

/// a (op) b of two elements, given and returned as their bits; 16-bit formats in the lower half. Sums of 16-bit formats
/// are rounded once to their own format.
std::uint32_t reduce_bits(ReduceOp op, DataType dtype, std::uint32_t a, std::uint32_t b);

/// accumulator[i] = accumulator[i] (op) operand[i] for `count` elements, little-endian and of any alignment.
void reduce_elements(ReduceOp op, DataType dtype, std::uint8_t* accumulator, const std::uint8_t* operand,
                     std::size_t count);

/// The FP32 number equal to an element of a floating-point format, as bits; NaNs become canonical.
std::uint32_t widen_to_fp32(DataType dtype, std::uint32_t element);
/// An FP32 number, as bits, rounded to a floating-point format.
std::uint32_t round_from_fp32(DataType dtype, std::uint32_t fp32);

}  // namespace weft
