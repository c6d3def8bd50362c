// SPDX-License-Identifier: Apache-2.0
// A memory module of the pool: a queue of accesses, a latency and a bandwidth.
#pragma once

#include <cstdint>
#include <deque>

#include "mem/pool/module_service.h"
#include "mem/pool/pool_net.h"
#include "mem/pool/queue_meter.h"

namespace weft::mem {

/// What a module did.
struct PoolModuleFigures {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t bytes = 0;
  QueueMeter queue;  ///< accesses inside
};

/// Serves packets in the order in which their last flit arrives. Byte k of a read is there latency + k / bandwidth
/// after the start of its service; the acknowledgement of a write after its last byte.
class PoolModule final : public PoolNode {
 public:
  PoolModule(PoolNet& net, const PoolSpec& spec, std::uint32_t input, std::uint32_t output);

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  std::uint64_t state_hash(Cycle now, const AccessAges& accesses) const override;
  const PoolModuleFigures& figures() const { return figures_; }

 private:
  struct Job {
    std::uint32_t packet;
    ExactTime start;
    std::uint64_t flits;  ///< flits of its response
    std::uint64_t sent = 0;
  };

  void take_in(Cycle now);
  void serve(std::uint32_t packet, Cycle now);
  void send_out(Cycle now);
  Cycle ready(const Job& job) const;

  PoolNet& net_;
  PoolModuleSpec spec_;
  ModuleRate rate_;
  std::uint64_t flit_bytes_;
  NextStart next_start_;
  std::uint32_t input_;
  std::uint32_t output_;
  ExactTime free_at_;
  std::deque<Job> jobs_;  ///< served or being served, in order
  PoolModuleFigures figures_;
};

}  // namespace weft::mem
