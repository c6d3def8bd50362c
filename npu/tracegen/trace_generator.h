// SPDX-License-Identifier: Apache-2.0
// What every generator of traces gives, and how it is written to files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/types.h"
#include "config/config.h"
#include "npu/trace/trace_node.h"

namespace weft::npu {

/// A workload made from a few numbers, one rank at a time.
class TraceGenerator {
 public:
  virtual ~TraceGenerator() = default;
  virtual std::uint32_t ranks() const = 0;
  /// Process groups by name; empty where every collective spans all ranks.
  virtual std::map<std::string, std::vector<RankId>> groups() const = 0;
  /// The training phase of a group's collectives; none = it belongs to no phase.
  virtual std::optional<TrainingPhase> phase_of(const std::string& /*group*/) const { return std::nullopt; }
  /// The graph of one rank; every node comes after what it depends on.
  virtual std::vector<TraceNode> nodes(RankId rank) const = 0;
};

/// Writes `<prefix>.<rank>.et` for every rank and, where there are groups, `comm_group.json` and `group_phases.json`
/// beside them. Creates the folder. Prints to `out` what was written. Throws InputError when a file cannot be written.
void write_trace(const TraceGenerator& generator, const std::string& prefix, std::ostream& out);

}  // namespace weft::npu
