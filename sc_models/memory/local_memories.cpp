// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/local_memories.h"

#include <string>
#include <utility>

#include "mem/dram/timing_file.h"

namespace weft::sc_models {

mem::DramTiming timing_of(const MemorySpec& memory) {
  const bool is_file = memory.timing.find('/') != std::string::npos || memory.timing.find(".yaml") != std::string::npos;
  return is_file ? mem::read_timing_file(memory.timing) : mem::named_timing(memory.timing);
}

mem::DramOptions options_of(const MemorySpec& memory) {
  mem::DramOptions options;
  options.scheduler = memory.scheduler;
  options.mapping = memory.mapping;
  options.channel.queue_depth = static_cast<std::size_t>(memory.queue_depth);
  options.channel.age_limit = memory.age_limit;
  return options;
}

LocalMemories::LocalMemories(System& system)
    : system_(system), timing_(timing_of(system.config().memory)), options_(options_of(system.config().memory)) {}

MemoryNetwork& LocalMemories::at(npu::NetworkInterface& network) {
  std::unique_ptr<MemoryNetwork>& place = networks_[network.node()];
  if (!place) {
    place = std::make_unique<MemoryNetwork>(network, timing_, options_, system_.npu_clock().clock(),
                                            system_.config().memory.messages);
  }
  return *place;
}

void LocalMemories::collect(RunResult* result) {
  result->dram_channel_gbps = timing_.peak_bandwidth() / timing_.channels * 1e-9;
  for (const auto& [node, network] : networks_) {
    for (mem::MemoryRow& row : network->figures()) result->memory_rows.push_back(std::move(row));
  }
}

}  // namespace weft::sc_models
