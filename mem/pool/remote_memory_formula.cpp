// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "mem/pool/remote_memory.h"

namespace weft::mem {
namespace {

constexpr double kLongestNs = 9e18;  // 285 years
constexpr const char* kEnd = "end of an access to remote memory in nanoseconds";

}  // namespace

RemoteMemoryFormula::RemoteMemoryFormula(const RemoteMemory& memory, std::uint64_t npus)
    : memory_(memory), npus_(npus) {
  if (memory.kind == RemoteMemoryKind::kPool) free_at_ns_.assign(1, 0);
  if (memory.kind != RemoteMemoryKind::kPerNode) return;
  if (memory.nodes * memory.npus_per_node < npus) {
    throw InputError(fmt::format("remote memory of {} nodes with {} NPUs each is too small for {} NPUs", memory.nodes,
                                 memory.npus_per_node, npus));
  }
  free_at_ns_.assign(memory.nodes, 0);
}

std::uint64_t RemoteMemoryFormula::duration_ns(std::uint64_t bytes) const {
  const double bytes_per_second = static_cast<double>(memory_.gigabytes_per_second * 1'000'000'000);
  const double transfer_ns = static_cast<double>(bytes) / bytes_per_second * 1e9;
  if (transfer_ns >= kLongestNs) {
    throw InputError(
        fmt::format("an access of {} bytes takes remote memory of {} GB/s {:.3g} ns; legal: below {:.3g} ns", bytes,
                    memory_.gigabytes_per_second, transfer_ns, kLongestNs));
  }
  return checked_add(memory_.latency_ns, static_cast<std::uint64_t>(transfer_ns), kEnd);
}

std::uint64_t RemoteMemoryFormula::access(std::uint64_t npu, std::uint64_t bytes, std::uint64_t now_ns) {
  WEFT_CHECK(npu < npus_, fmt::format("NPU {} of {} accesses remote memory", npu, npus_));
  if (memory_.kind == RemoteMemoryKind::kNone) {
    throw InputError(fmt::format(
        "NPU {} accesses {} bytes of remote memory, but the remote-memory file says NO_MEMORY_EXPANSION", npu, bytes));
  }
  if (memory_.kind == RemoteMemoryKind::kPerNpu) return checked_add(now_ns, duration_ns(bytes), kEnd);
  std::uint64_t& free_at = free_at_ns_[memory_.kind == RemoteMemoryKind::kPool ? 0 : npu / memory_.npus_per_node];
  free_at = checked_add(std::max(free_at, now_ns), duration_ns(bytes), kEnd);
  return free_at;
}

}  // namespace weft::mem
