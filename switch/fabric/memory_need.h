// SPDX-License-Identifier: Apache-2.0
// How many stored configurations a workload needs, against the memory of the chiplets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "switch/fabric/flow_compiler.h"
#include "switch/network/configuration_store.h"

namespace weft::fred {

/// The chiplet that has most configurations to store; the first of several.
struct MemoryNeed {
  std::uint32_t most = 0;          ///< configurations, without that of the unicasts, which needs no memory
  std::string where;               ///< name of the chiplet
  std::uint32_t capacity = 0;      ///< configurations that its memory holds
  std::uint64_t bits = 0;          ///< of one configuration
  std::uint64_t memory_bytes = 0;  ///< of the chiplet

  /// Counts a chiplet in.
  void add(const std::string& chiplet, const ConfigurationStore& store, std::uint64_t bytes);
};

/// What these configurations of the fabric need; the planes are alike, so `where` is a chiplet of the first one.
/// Configurations that copy between the same ports are stored once.
MemoryNeed memory_need(const FredTopology& topology, const std::vector<FabricConfiguration>& configurations);

}  // namespace weft::fred
