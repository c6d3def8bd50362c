// SPDX-License-Identifier: Apache-2.0
#include "npu/player/group_table.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "base/error.h"
#include "npu/collective/form/tag.h"

namespace weft::npu {
namespace {

constexpr std::size_t kNamesShown = 12;

void check_members(const ProcessGroup& group, std::uint32_t ranks) {
  std::set<RankId> seen;
  for (const RankId rank : group.members) {
    if (index(rank) >= ranks) {
      throw InputError(fmt::format("process group '{}': rank {} does not exist; the workload has ranks 0 to {}",
                                   group.name, index(rank), ranks - 1));
    }
    if (!seen.insert(rank).second) {
      throw InputError(fmt::format("process group '{}': rank {} stands in it twice", group.name, index(rank)));
    }
  }
}

}  // namespace

GroupTable::GroupTable(const std::map<std::string, std::vector<RankId>>& groups, std::uint32_t ranks) : ranks_(ranks) {
  if (ranks == 0) throw InputError("the workload has no ranks");
  ProcessGroup all;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) all.members.push_back(RankId{rank});
  std::uint32_t number = 0;
  if (groups.size() >= kMaxGroups) {
    throw InputError(
        fmt::format("the workload has {} process groups; at most {} can be told apart", groups.size(), kMaxGroups - 1));
  }
  for (const auto& [name, members] : groups) {
    if (members.empty() || name.empty()) continue;
    ProcessGroup group{name, ++number, members, {}};
    check_members(group, ranks);
    groups_.emplace(name, std::move(group));
  }
  for (const auto& [name, members] : groups) {
    if (members.empty()) groups_.emplace(name, all);
  }
  groups_.emplace("0", all);
  groups_.emplace("", std::move(all));
}

GroupTable::GroupTable(const ProcessGroups& groups, const GroupPhases& phases, std::uint32_t ranks)
    : GroupTable(groups.all(), ranks) {
  std::optional<TrainingPhase> of_all;  // all ranks may have several names
  for (auto& [name, group] : groups_) {
    group.phase = phases.phase_of(name, groups.description(name));
    if (group.number == 0 && !of_all) of_all = group.phase;
  }
  for (auto& [name, group] : groups_) {
    if (group.number == 0) group.phase = of_all;
  }
}

void GroupTable::set_phases(TrainingPhase phase) {
  for (auto& [name, group] : groups_) {
    if (group.number != 0) group.phase = phase;
  }
}

const ProcessGroup* GroupTable::find(const std::string& name) const {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

std::vector<const ProcessGroup*> GroupTable::by_number() const {
  std::vector<const ProcessGroup*> list;
  for (const auto& [name, group] : groups_) {
    if (list.size() <= group.number) list.resize(group.number + 1, nullptr);
    list[group.number] = &group;
  }
  return list;
}

std::string GroupTable::describe() const {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, group] : groups_) {
    if (group.number == 0) continue;
    if (shown == kNamesShown) return fmt::format("the groups are {}, ... ({} in all)", text, groups_.size());
    text += fmt::format("{}'{}'", shown++ == 0 ? "" : ", ", name);
  }
  if (shown > 0) return "the groups are " + text;
  const std::string file = unused_file_.empty() ? "" : fmt::format("; '{}' may have them", unused_file_);
  return "the workload names no groups (workload.trace.groups)" + file;
}

CommGroup comm_group(const ProcessGroup& group, const std::vector<NodeId>& placement) {
  CommGroup comm;
  comm.number = group.number;
  comm.phase = group.phase;
  comm.name = group.number == 0 ? "all" : group.name;
  for (const RankId rank : group.members) comm.nodes.push_back(placement.at(index(rank)));
  return comm;
}

std::vector<SharedGroup> comm_groups(const GroupTable& groups, const std::vector<NodeId>& placement) {
  std::vector<SharedGroup> result;
  for (const ProcessGroup* group : groups.by_number())
    result.push_back(std::make_shared<const CommGroup>(comm_group(*group, placement)));
  return result;
}

}  // namespace weft::npu
