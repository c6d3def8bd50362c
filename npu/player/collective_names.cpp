// SPDX-License-Identifier: Apache-2.0
#include "npu/player/collective_names.h"

#include "kernel/error.h"

namespace weft::npu {

const char* collective_name(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "all_reduce";
    case CollectiveKind::kReduce:
      return "reduce";
    case CollectiveKind::kAllGather:
      return "all_gather";
    case CollectiveKind::kGather:
      return "gather";
    case CollectiveKind::kScatter:
      return "scatter";
    case CollectiveKind::kBroadcast:
      return "broadcast";
    case CollectiveKind::kAllToAll:
      return "all_to_all";
    case CollectiveKind::kReduceScatter:
      return "reduce_scatter";
    case CollectiveKind::kBarrier:
      return "barrier";
  }
  violation("a collective of unknown kind");
}

std::uint32_t collective_signature(CollectiveKind kind, std::uint64_t bytes) {
  // Fibonacci hashing: the top bits of the product mix all bits of its input.
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
  const std::uint64_t mixed = (bytes + 1) * kGolden ^ (static_cast<std::uint64_t>(kind) + 1) * 0xC2B2AE3D27D4EB4Full;
  return static_cast<std::uint32_t>(mixed * kGolden >> (64 - kSignatureBits));
}

}  // namespace weft::npu
