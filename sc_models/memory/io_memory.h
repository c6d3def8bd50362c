// SPDX-License-Identifier: Apache-2.0
// Memory outside the wafer: all I/O controllers, and the ports of the NPUs to them.
#pragma once

#include <memory>
#include <vector>

#include "mem/io/io_pool.h"
#include "npu/player/memory_port.h"
#include "sc_models/io_controllers.h"
#include "sc_models/memory/io_memory_port.h"
#include "sc_models/memory/load_store_service.h"
#include "sc_models/run_result.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Owns the controllers and what drives them; NPUs own their ports.
class IoMemory final : public npu::MemoryPorts {
 public:
  explicit IoMemory(System& system);

  /// The interface of a node as its NPU sees it.
  npu::NetworkInterface& npu_interface(NodeId node) { return controllers_.npu_interface(node); }
  void use_groups(const std::vector<npu::SharedGroup>& groups) override;
  std::unique_ptr<npu::MemoryPort> make(RankId rank, npu::NetworkInterface& network, npu::MemoryDone done) override;
  /// Who is told of all accesses of the pool.
  void set_probe(AccessProbe* probe) {
    if (pool_) pool_->set_probe(probe);
  }
  /// After each cycle of the NPUs' clock, outside of it.
  void end_of_cycle() {
    if (pool_) pool_->end_of_cycle();
  }
  /// Adds what controllers and ports counted up to cycle `now` of the NPUs' clock. While the NPUs live.
  void collect(Cycle now, RunResult* result) const;

 private:
  void collect_pool(RunResult* result) const;

  System& system_;
  IoPlan plan_;
  IoControllers controllers_;
  std::vector<std::unique_ptr<LoadStoreService>> services_;  ///< by controller
  std::unique_ptr<mem::IoPool> pool_;                        ///< behind the controllers; null = memory.latency only
  std::vector<const IoMemoryPort*> ports_;                   ///< by rank
};

}  // namespace weft::sc_models
