// SPDX-License-Identifier: Apache-2.0
// What the collective engines of all ranks hold at once, for the estimate of memory.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "config/config.h"
#include "npu/collective/engine/held_instructions.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/player/group_table.h"
#include "npu/trace/trace_node.h"

namespace weft::runs {

/// What the collective engines of all ranks hold at once.
struct EngineNeed {
  npu::HeldInstructions instructions;
  double value_bytes = 0;  ///< values mode: inputs and results
};

/// What a trace's collectives make the engines hold: of each rank the largest one counts.
class TraceEngines {
 public:
  /// `config` has a trace and outlives the object.
  explicit TraceEngines(const Config& config) : config_(config), programs_(config) {}

  /// Any node of the trace, with its group if it has one.
  void add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group);
  /// Once all nodes are known to be playable.
  EngineNeed need();

 private:
  /// What collectives with equal needs have in common: kind, number of the group, chunks at once, and the bytes where
  /// values are kept or the algorithm depends on them.
  using Key = std::tuple<CollectiveKind, std::uint32_t, int, std::uint64_t>;

  const Config& config_;
  npu::ProgramCache programs_;
  std::map<Key, npu::ProcessGroup> groups_;
  std::map<RankId, std::set<Key>> collectives_;
};

/// What the collectives of `config`, which has no trace, need; nothing for other workloads.
EngineNeed engine_need(const Config& config);

}  // namespace weft::runs
