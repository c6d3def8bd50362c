// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/remote_pool.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/units.h"

namespace weft::mem {
namespace {

std::uint32_t memories(const RemoteMemory& memory, std::uint32_t npus) {
  if (memory.kind == RemoteMemoryKind::kPool) return 1;
  if (memory.kind == RemoteMemoryKind::kPerNpu) return npus;
  return static_cast<std::uint32_t>((npus + memory.npus_per_node - 1) / memory.npus_per_node);
}

}  // namespace

PoolSpec remote_pool(const RemoteMemory& memory, std::uint32_t npus, Rational clock_hertz) {
  const RemoteMemoryFormula fits(memory, npus);
  if (memory.kind == RemoteMemoryKind::kNone)
    throw InputError("a remote-memory file with NO_MEMORY_EXPANSION describes no pool");
  PoolSpec spec;
  spec.controllers = npus;
  spec.groups = memories(memory, npus);  // one module each: what goes to different memories shares no link
  spec.mapping = "own";
  if (memory.kind == RemoteMemoryKind::kPerNode) {
    // The last node may be filled in part; the mapping wants equal shares.
    spec.controllers = static_cast<std::uint32_t>(spec.groups * memory.npus_per_node);
  }
  spec.packet_bytes = std::uint64_t{1} << 40;
  spec.outstanding = 1u << 20;
  const Rational fast{spec.controllers, 1};
  for (PoolLinkSpec* link : {&spec.controller_link, &spec.group_link, &spec.module_link})
    *link = {fast, 1, 4 * spec.controllers};
  spec.controller_flits_per_cycle = fast;
  spec.module.flits_per_cycle =
      flits_per_cycle({memory.gigabytes_per_second * 1'000'000'000, 1}, spec.flit_bytes, clock_hertz);
  const Cycle latency = cycles_of(make_rational(memory.latency_ns, 1'000'000'000), clock_hertz);
  if (latency < spec.path_cycles()) {
    throw InputError(fmt::format(
        "remote-mem-latency: {} ns are {} cycles; the links of a contended pool take {}, so at least these are needed",
        memory.latency_ns, latency, spec.path_cycles()));
  }
  spec.module.latency = latency - spec.path_cycles();
  spec.module.service = memory.kind == RemoteMemoryKind::kPerNpu ? "pipelined" : "serial";
  spec.module.recovery = memory.kind == RemoteMemoryKind::kPerNpu ? 0 : spec.path_cycles();
  spec.module.queue = 1u << 20;
  return spec;
}

}  // namespace weft::mem
