// SPDX-License-Identifier: Apache-2.0
// The DRAM of all NPUs.
#pragma once

#include <map>
#include <memory>

#include "sc_models/memory/memory_network.h"
#include "sc_models/run_result.h"
#include "sc_models/system.h"

namespace weft::sc_models {

class LocalMemories {
 public:
  explicit LocalMemories(System& system);
  /// What stands between `network`, of a node, and its NPU; made when asked for first.
  MemoryNetwork& at(npu::NetworkInterface& network);
  /// Who is told of all accesses, once all networks are there.
  void set_probe(AccessProbe* probe) {
    for (const auto& [node, network] : networks_) network->set_probe(probe);
  }
  void collect(RunResult* result);

 private:
  System& system_;
  mem::DramTiming timing_;
  mem::DramOptions options_;
  std::map<NodeId, std::unique_ptr<MemoryNetwork>> networks_;
};

}  // namespace weft::sc_models
