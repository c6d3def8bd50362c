// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/memory_need.h"

#include <utility>

#include "switch/network/stage_registers.h"

namespace weft::fred {

void MemoryNeed::add(const std::string& chiplet, const SettingStore& store, std::uint64_t bytes) {
  const MemoryNeed own{store.size() - 1, chiplet, store.capacity(), store.bits(), bytes};
  const auto rank = [](const MemoryNeed& need) { return std::pair(need.excess(), need.most); };
  if (where.empty() || rank(own) > rank(*this)) *this = own;
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
