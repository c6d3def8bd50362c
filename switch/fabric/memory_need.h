// SPDX-License-Identifier: Apache-2.0
// How many stored settings a workload needs, against the memory of the chiplets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "switch/fabric/flow_compiler.h"
#include "switch/network/setting_store.h"

namespace weft::fred {

/// The chiplet whose memory is short of room for most settings; where all have room, the one with most settings. The
/// first of several.
struct MemoryNeed {
  std::uint32_t most = 0;          ///< settings, without that of the unicasts, which needs no memory
  std::string where;               ///< name of the chiplet
  std::uint32_t capacity = 0;      ///< settings that its memory holds
  std::uint64_t bits = 0;          ///< bits of one setting
  std::uint64_t memory_bytes = 0;  ///< bytes of the chiplet's memory

  /// Settings that do not fit.
  std::uint32_t excess() const { return most > capacity ? most - capacity : 0; }
  /// Memory in bytes that would hold all settings of the chiplet.
  std::uint64_t wanted_bytes() const { return most * ((bits + 7) / 8); }
  /// Counts a chiplet in.
  void add(const std::string& chiplet, const SettingStore& store, std::uint64_t bytes);
};

/// What these settings of the fabric need; the planes are alike, so `where` is a chiplet of the first one.
/// Settings that copy between the same ports are stored once.
MemoryNeed memory_need(const FredTopology& topology, const std::vector<FabricSetting>& settings);

}  // namespace weft::fred
