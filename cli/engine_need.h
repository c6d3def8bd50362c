// SPDX-License-Identifier: Apache-2.0
// What the collective engines of all ranks hold at once, for the estimate of memory.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "kernel/config.h"
#include "kernel/run_estimate.h"
#include "npu/player/group_table.h"
#include "npu/program/program_cache.h"
#include "npu/trace/trace_node.h"

namespace weft::cli {

/// What a trace's collectives make the engines hold: of each rank the largest one counts.
class TraceEngines {
 public:
  /// `config` has a trace and outlives the object.
  explicit TraceEngines(const Config& config) : config_(config), programs_(config) {}

  /// A node of a trace that can be played.
  void add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group);
  EngineNeed need() const;

 private:
  const Config& config_;
  npu::ProgramCache programs_;
  std::map<std::tuple<CollectiveKind, std::uint32_t, std::uint64_t>, EngineNeed> of_member_;  ///< kind, group, bytes
  std::map<RankId, EngineNeed> most_;
};

/// Of the collectives of `config`, which has no trace; nothing for other workloads.
EngineNeed engine_need(const Config& config);

}  // namespace weft::cli
