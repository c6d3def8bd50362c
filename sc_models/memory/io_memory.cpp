// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/io_memory.h"

#include <utility>

namespace weft::sc_models {

IoMemory::IoMemory(System& system) : system_(system), plan_(system.npu_config(), system.fabric().flows()) {
  for (std::uint32_t number = 0; number < plan_.sites().size(); ++number) {
    const NodeId node = plan_.sites()[number].node;
    npu::NetworkInterface* network = &system.interface(node);
    if (!plan_.own_nodes()) network = &shared_.try_emplace(node, *network).first->second.for_controller(number);
    controllers_.push_back(std::make_unique<IoController>(plan_, number, *network));
  }
  if (!system.config().memory.pool.empty()) pool_ = std::make_unique<IoPool>(system, plan_);
}

npu::NetworkInterface& IoMemory::npu_interface(NodeId node) {
  const auto found = shared_.find(node);
  return found == shared_.end() ? system_.interface(node) : found->second.for_npu();
}

void IoMemory::use_groups(const std::vector<npu::SharedGroup>& groups) {
  plan_.use_groups(groups);
  if (!pool_) return;
  pool_->use_groups(groups);
  for (const auto& controller : controllers_) pool_->add(*controller);
}

std::unique_ptr<npu::MemoryPort> IoMemory::make(RankId rank, npu::NetworkInterface& network, npu::MemoryDone done) {
  TensorAllocator* allocator = pool_ ? &pool_->add_allocator() : nullptr;
  const bool goes_on = pool_ && pool_->file().on_refused == mem::OnRefused::kContinue;
  auto port = std::make_unique<IoMemoryPort>(plan_, rank, network, std::move(done), allocator, goes_on);
  ports_.push_back(port.get());
  return port;
}

void IoMemory::collect(RunResult* result) const {
  if (pool_) pool_->collect(result);
  for (const auto& controller : controllers_) {
    const IoControllerFigures& figures = controller->figures();
    result->io_controllers.push_back(
        {controller->site().name, figures.loads, figures.stores, figures.bytes_in, figures.bytes_out});
  }
  for (std::size_t rank = 0; rank < ports_.size(); ++rank) {
    const IoPortFigures& figures = ports_[rank]->figures();
    result->rank_memory.push_back({figures.loads, figures.stores, figures.loaded_bytes, figures.stored_bytes,
                                   figures.load_cycles, figures.early_bytes, figures.early_cycles});
  }
}

}  // namespace weft::sc_models
