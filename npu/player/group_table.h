// SPDX-License-Identifier: Apache-2.0
// The process groups of a workload, numbered so that every rank calls a group by the same number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "npu/collective/engine/flow_groups.h"
#include "npu/trace/group_phases.h"
#include "npu/trace/process_groups.h"

namespace weft::npu {

/// A group of ranks in its own order.
struct ProcessGroup {
  std::string name;          ///< "" = all ranks
  std::uint32_t number = 0;  ///< 0 = all ranks
  std::vector<RankId> members;
  std::optional<TrainingPhase> phase;  ///< of its collectives; none = nobody says
};

/// All groups of a workload; made once, read by every NPU.
class GroupTable {
 public:
  /// `groups` maps names to members; an empty list means all ranks. Throws InputError where a member is not one of
  /// the `ranks` ranks or stands twice in its group.
  GroupTable(const std::map<std::string, std::vector<RankId>>& groups, std::uint32_t ranks);

  /// The groups of a trace, with their phases.
  GroupTable(const ProcessGroups& groups, const GroupPhases& phases, std::uint32_t ranks);

  /// All named groups are of `phase`.
  void set_phases(TrainingPhase phase);

  std::uint32_t ranks() const { return ranks_; }
  /// The group that a trace calls `name`: "" is all ranks, and so is "0" unless a group of that name is given.
  /// Null if there is none.
  const ProcessGroup* find(const std::string& name) const;
  /// By number; 0 is all ranks.
  std::vector<const ProcessGroup*> by_number() const;
  /// "the groups are 1, 2, 3": for error texts.
  std::string describe() const;
  /// A file from which the groups of a workload that names none might come, for that text.
  void set_unused_file(std::string file) { unused_file_ = std::move(file); }

 private:
  std::uint32_t ranks_;
  std::map<std::string, ProcessGroup> groups_;
  std::string unused_file_;
};

/// The nodes of a group's ranks; group 0 is called "all".
CommGroup comm_group(const ProcessGroup& group, const std::vector<NodeId>& placement);
/// The groups of the whole table, by number.
std::vector<SharedGroup> comm_groups(const GroupTable& groups, const std::vector<NodeId>& placement);

}  // namespace weft::npu
