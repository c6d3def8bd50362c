// SPDX-License-Identifier: Apache-2.0
// Loads and stores whose times a formula gives.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mem/pool/remote_times.h"
#include "npu/player/memory_port.h"
#include "sc_models/run_result.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Remote memory as ASTRA-sim's file describes it. NPUs share it beside the fabric: what they issue in a cycle is seen
/// at its end, in the order of the ranks, and ends a cycle later at the earliest. Members of a group load and store
/// each for itself.
class RemotePorts final : public npu::MemoryPorts {
 public:
  /// Throws InputError as mem::formula_of does.
  explicit RemotePorts(System& system);
  ~RemotePorts() override;

  void use_groups(const std::vector<npu::SharedGroup>& /*groups*/) override {}
  std::unique_ptr<npu::MemoryPort> make(RankId rank, npu::NetworkInterface& network, npu::MemoryDone done) override;
  /// After each cycle of the NPUs' clock, outside of it.
  void end_of_cycle();
  void collect(RunResult* result) const;

 private:
  class Port;

  System& system_;
  mem::RemoteTimes times_;
  std::vector<Port*> ports_;  ///< by rank; NPUs own them
};

}  // namespace weft::sc_models
