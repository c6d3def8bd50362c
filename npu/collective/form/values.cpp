// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/form/values.h"

#include <cmath>
#include <cstring>

#include "base/reduce_arith.h"
#include "config/names.h"

namespace weft::npu {
namespace {

// Steele, Lea, Flood: SplitMix64's output function; each argument has its own number.
std::uint64_t scramble(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

}  // namespace

Payload make_input(DataType dtype, std::uint64_t count, std::uint64_t seed, std::uint32_t rank) {
  Payload input(count * element_bytes(dtype));
  const std::uint64_t stream = scramble(scramble(seed) ^ rank);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t random = scramble(stream ^ i);
    const auto mantissa = static_cast<float>(static_cast<std::int32_t>(random & 0xFFFFFF) - 0x800000);
    const float value = std::ldexp(mantissa, static_cast<int>(random >> 24 & 15) - 8 - 23);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    bits = dtype == DataType::kInt32 ? static_cast<std::uint32_t>(random) : round_from_fp32(dtype, bits);
    std::memcpy(input.data() + i * element_bytes(dtype), &bits, element_bytes(dtype));
  }
  return input;
}

}  // namespace weft::npu
