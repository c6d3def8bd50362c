// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/io_memory.h"

#include <fmt/format.h>

#include <utility>

#include "base/units.h"
#include "mem/pool/pool_config.h"
#include "sc_models/results_units.h"

namespace weft::sc_models {

IoMemory::IoMemory(System& system)
    : system_(system), plan_(system.npu_config(), system.fabric().flows()), controllers_(system) {
  for (std::uint32_t number = 0; number < controllers_.size(); ++number)
    services_.push_back(std::make_unique<LoadStoreService>(plan_, number, controllers_[number]));
  if (system.config().memory.pool.empty()) return;
  pool_ = std::make_unique<mem::IoPool>(system.npu_clock(), mem::pool_of(system.config()), plan_.shares());
}

void IoMemory::use_groups(const std::vector<npu::SharedGroup>& groups) {
  plan_.use_groups(groups);
  if (!pool_) return;
  const Config& config = plan_.config();
  mem::PoolUsers users;
  users.placement = config.npu.placement;
  users.nodes = static_cast<std::uint32_t>(config.fabric.nodes()) + pool_->file().spec.controllers;
  users.summed = npu::kFlowSource;
  for (const npu::SharedGroup& group : groups) users.groups.push_back({group->name, group->nodes});
  pool_->set_users(std::move(users));
  for (const auto& service : services_) {
    pool_->add(service->site().name, service->pool_client(),
               [&service = *service](Cycle at) { service.pool_answers_at(at); });
  }
}

std::unique_ptr<npu::MemoryPort> IoMemory::make(RankId rank, npu::NetworkInterface& network, npu::MemoryDone done) {
  mem::TensorAllocator* allocator = pool_ ? &pool_->add_allocator() : nullptr;
  const bool goes_on = pool_ && pool_->file().on_refused == mem::OnRefused::kContinue;
  auto port = std::make_unique<IoMemoryPort>(plan_, rank, network, std::move(done), allocator, goes_on);
  ports_.push_back(port.get());
  return port;
}

void IoMemory::collect_pool(RunResult* result) const {
  const mem::PoolFile& file = pool_->file();
  result->pool_rows = pool_->figures();
  result->pool_module_gbps =
      bandwidth_of(file.spec.module.flits_per_cycle, file.spec.flit_bytes, npu_clock(system_.config()).hertz).value() *
      1e-9;
  result->refused_accesses = pool_->refused();
  result->refused = pool_->refused_log();
  if (result->refused.size() == result->refused_accesses) return;
  result->warnings.push_back(
      fmt::format("refused.csv has {} of {} refused packets: the first ones at each I/O "
                  "controller (access.log: {})",
                  result->refused.size(), result->refused_accesses, file.access->log_entries));
}

void IoMemory::collect(Cycle now, RunResult* result) const {
  if (pool_) collect_pool(result);
  for (const auto& service : services_) {
    const mem::LoadStoreServerFigures& figures = service->figures();
    result->io_controllers.push_back(
        {service->site().name, figures.loads, figures.stores, figures.bytes_in, figures.bytes_out});
  }
  CycleSpans of_any;
  for (const IoMemoryPort* port : ports_) {
    const mem::LoadStoreFigures& figures = port->figures();
    const CycleSpans own = port->load_spans(now);
    of_any.merge(own);
    result->io_loaded_bytes += figures.led_bytes;
    result->rank_memory.push_back({figures.loads, figures.stores, figures.loaded_bytes, figures.stored_bytes,
                                   own.cycles(), figures.early_bytes, figures.early_cycles});
  }
  result->io_load_cycles = of_any.cycles();
}

}  // namespace weft::sc_models
