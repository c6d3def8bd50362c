// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/local_memories.h"

#include <utility>

#include "mem/dram/dram_config.h"

namespace weft::sc_models {

LocalMemories::LocalMemories(System& system)
    : system_(system),
      timing_(mem::timing_of(system.config().memory)),
      options_(mem::options_of(system.config().memory)) {}

MemoryNetwork& LocalMemories::at(npu::NetworkInterface& network) {
  std::unique_ptr<MemoryNetwork>& memory = networks_[network.node()];
  if (!memory) {
    memory = std::make_unique<MemoryNetwork>(network, timing_, options_, system_.npu_clock().clock(),
                                             system_.config().memory.messages);
  }
  return *memory;
}

void LocalMemories::collect(RunResult* result) {
  result->dram_channel_gbps = timing_.peak_bandwidth() / timing_.channels * 1e-9;
  for (const auto& [node, network] : networks_) {
    for (mem::MemoryRow& row : network->figures()) result->memory_rows.push_back(std::move(row));
  }
}

}  // namespace weft::sc_models
