// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/remote_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"

namespace weft::mem {
namespace {

constexpr std::uint64_t kFsPerNs = 1'000'000;

}  // namespace

RemoteMemoryFormula formula_of(const Config& config) {
  const std::string& file = config.memory.remote;
  const RemoteMemory memory = read_remote_memory(file);
  if (memory.kind == RemoteMemoryKind::kNone)
    throw InputError(fmt::format("{} describes no remote memory; legal: with memory.tensors local", file));
  return RemoteMemoryFormula(memory, config.npu.placement.size());
}

RemoteTimes::RemoteTimes(const Config& config) : formula_(formula_of(config)) {}

Cycle RemoteTimes::end_of(std::size_t rank, std::uint64_t bytes, const Clock& clock, Cycle now) {
  const Instant now_ns = clock.edge_fs(now) / kFsPerNs;
  WEFT_CHECK(now_ns <= ~std::uint64_t{0} >> 1, "simulated time goes beyond what remote memory counts in nanoseconds");
  const std::uint64_t end_ns = formula_.access(rank, bytes, static_cast<std::uint64_t>(now_ns));
  return std::max(clock.first_edge_from(Instant{end_ns} * kFsPerNs), now + 1);
}

}  // namespace weft::mem
