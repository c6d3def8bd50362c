// SPDX-License-Identifier: Apache-2.0
// The configurations that a switch has stored; a packet's header names one of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "switch/network/beat.h"
#include "switch/network/circuit_plan.h"
#include "switch/routing/route.h"

namespace weft::fred {

struct StoredConfiguration {
  FlowSet flows;
  std::vector<CircuitPlan> circuits;  ///< of each flow
  std::vector<int> flow_of_input;     ///< by port; -1 = none
  std::vector<int> flow_of_output;    ///< by port; -1 = none
};

class ConfigurationStore {
 public:
  ConfigurationStore(const Interconnect& net, std::size_t memory_bytes, StageTiming timing)
      : net_(net), memory_bytes_(memory_bytes), timing_(std::move(timing)), stored_(1) {}

  /// Keeps a configuration that carries these flows; returns its index, 1 or higher. Throws InputError when the memory
  /// is full, ViolationError when the configuration does anything else.
  std::uint32_t add(const FlowSet& flows, const Configuration& configuration);
  /// Routes the flows first; throws InputError where they conflict.
  std::uint32_t add(const FlowSet& flows);

  /// Index of one that copies between the same ports, 0 = none: whose packets they are makes no difference where
  /// nothing is reduced. Its flows then answer to the names of both.
  std::uint32_t share(const FlowSet& flows);

  const StoredConfiguration& operator[](std::uint32_t index) const { return stored_[index]; }
  /// Indices in use, that of the unicasts included.
  std::uint32_t size() const { return static_cast<std::uint32_t>(stored_.size()); }
  /// Configurations that fit into the memory, each padded to whole bytes.
  std::uint32_t capacity() const {
    return static_cast<std::uint32_t>(memory_bytes_ / ((configuration_bits(net_) + 7) / 8));
  }

 private:
  const Interconnect& net_;
  std::size_t memory_bytes_;
  StageTiming timing_;
  std::vector<StoredConfiguration> stored_;  ///< kUnicasts first, which takes no memory
};

}  // namespace weft::fred
