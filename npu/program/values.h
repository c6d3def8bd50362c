// SPDX-License-Identifier: Apache-2.0
// Arithmetic of `data: values`: what an endpoint's reduction does to real numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/config.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

/// Bytes of one element.
std::size_t element_bytes(DataType dtype);

/// accumulator[i] = accumulator[i] (op) operand[i] for `count` elements, little-endian and of any alignment.
/// Floating point: IEEE 754, round to nearest even, subnormals kept, NaN results are canonical (0x7FC00000, 0x7E00,
/// 0x7FC0); min and max as IEEE 754-2019 minimum and maximum (NaN wins, -0 < +0). INT32 sums wrap.
void reduce_elements(ReduceOp op, DataType dtype, std::uint8_t* accumulator, const std::uint8_t* operand,
                     std::size_t count);

/// Input of a rank for tests and runs without data of their own: `count` elements, the same for the same arguments.
/// Floating-point numbers of both signs and of exponents -8..7, so that sums depend on their order; INT32 any bits.
Payload make_input(DataType dtype, std::uint64_t count, std::uint64_t seed, std::uint32_t rank);

}  // namespace weft::npu
