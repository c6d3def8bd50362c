// SPDX-License-Identifier: Apache-2.0
#include "npu/player/collective_signature.h"

#include "npu/collective/form/tag.h"

namespace weft::npu {

std::uint32_t collective_signature(CollectiveKind kind, std::uint64_t bytes) {
  // Multiplicative hashing: the top bits of the product mix all bits of its input.
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
  constexpr std::uint64_t kOther = 0xC2B2AE3D27D4EB4Full;
  const std::uint64_t mixed = (bytes + 1) * kGolden ^ (static_cast<std::uint64_t>(kind) + 1) * kOther;
  return static_cast<std::uint32_t>((mixed * kGolden >> 32) % kMaxSignatures);
}

}  // namespace weft::npu
