// SPDX-License-Identifier: Apache-2.0
// The configurations that a switch has stored; a packet's header names one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/network/stage_program.h"
#include "switch/routing/route.h"

namespace weft::fred {

struct StoredConfiguration {
  FlowSet flows;
  StageProgram program;
  std::vector<int> flow_of_input;   ///< by port; -1 = none
  std::vector<int> flow_of_output;  ///< by port; -1 = none
};

class ConfigurationStore {
 public:
  ConfigurationStore(const Interconnect& net, std::size_t memory_bytes) : net_(net), memory_bytes_(memory_bytes) {}

  /// Keeps a configuration that carries these flows; returns its index. Throws InputError when the memory is full,
  /// ViolationError when the configuration does anything else.
  std::uint32_t add(const FlowSet& flows, const Configuration& configuration);
  /// Routes the flows first; throws InputError where they conflict.
  std::uint32_t add(const FlowSet& flows);

  const StoredConfiguration& operator[](std::uint32_t index) const { return stored_[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(stored_.size()); }
  /// Configurations that fit into the memory, each padded to whole bytes.
  std::uint32_t capacity() const {
    return static_cast<std::uint32_t>(memory_bytes_ / ((configuration_bits(net_) + 7) / 8));
  }

 private:
  const Interconnect& net_;
  std::size_t memory_bytes_;
  std::vector<StoredConfiguration> stored_;
};

}  // namespace weft::fred
