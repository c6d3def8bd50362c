// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/memory_need.h"

#include "switch/network/stage_registers.h"

namespace weft::fred {

void MemoryNeed::add(const std::string& chiplet, const SettingStore& store, std::uint64_t bytes) {
  const std::uint32_t stored = store.size() - 1;
  if (!where.empty() && stored <= most) return;
  *this = {stored, chiplet, store.capacity(), store.bits(), bytes};
}

MemoryNeed memory_need(const FredTopology& topology, const std::vector<FabricSetting>& settings) {
  MemoryNeed need;
  for (std::uint32_t position = 0; position < topology.positions(); ++position) {
    const Chiplet& chiplet = topology.chiplets()[topology.chiplet_at(position, 0)];
    const Interconnect net = build_interconnect(chiplet.spec.m, chiplet.spec.ports);
    // Counted, not refused: with reloads there may be any number.
    SettingStore store(net, chiplet.spec.memory_bytes,
                       {chiplet.spec.reduce_cycles, stage_registers(net, chiplet.spec.register_every)},
                       SettingStore::kCount);
    for (const FabricSetting& each : settings) {
      const FlowSet& flows = each.flows[position];
      if (!flows.empty() && store.share(flows) == 0) store.add(flows, each.settings[position]);
    }
    need.add(chiplet.name, store, chiplet.spec.memory_bytes);
  }
  return need;
}

}  // namespace weft::fred
