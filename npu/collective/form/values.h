// SPDX-License-Identifier: Apache-2.0
// Data of `data: values`: the input of a rank where it has none of its own.
#pragma once

#include <cstdint>

#include "base/reduce_arith.h"
#include "config/config.h"
#include "config/names.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

/// Input of a rank for tests and runs without data of their own: `count` elements, the same for the same arguments.
/// Floating-point numbers of both signs and of exponents -8..7, so that sums depend on their order; INT32 any bits.
Payload make_input(DataType dtype, std::uint64_t count, std::uint64_t seed, std::uint32_t rank);

}  // namespace weft::npu
