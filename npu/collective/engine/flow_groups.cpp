// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/flow_groups.h"

#include <algorithm>

#include "base/error.h"

namespace weft::npu {
namespace {

bool overlap(const CommGroup& a, const CommGroup& b) {
  return std::any_of(a.nodes.begin(), a.nodes.end(),
                     [&](NodeId node) { return std::find(b.nodes.begin(), b.nodes.end(), node) != b.nodes.end(); });
}

/// Its phase has a traffic class on which flows may be; on PP there are messages between two nodes.
bool has_data_class(const CommGroup& group) { return group.phase && *group.phase != TrainingPhase::kPp; }

}  // namespace

bool below_one_switch(const CommGroup& group, int size_x) {
  const auto columns = static_cast<std::uint32_t>(std::max(size_x, 1));
  return std::all_of(group.nodes.begin(), group.nodes.end(),
                     [&](NodeId node) { return index(node) / columns == index(group.nodes.front()) / columns; });
}

FlowGroups::FlowGroups(std::vector<SharedGroup> groups, int size_x) : groups_(std::move(groups)) {
  std::sort(groups_.begin(), groups_.end(), [](const auto& a, const auto& b) { return a->number < b->number; });
  for (const SharedGroup& group : groups_) admit(group, TrafficClass::kControl, true);
  if (!groups_.empty() && groups_.front()->number == 0)
    std::rotate(groups_.begin(), groups_.begin() + 1, groups_.end());
  std::vector<SharedGroup> in_order = groups_;
  std::stable_partition(in_order.begin(), in_order.end(), [](const auto& group) { return has_data_class(*group); });
  for (const SharedGroup& group : in_order) {
    const bool first = has_data_class(*group) ? *group->phase == TrainingPhase::kMp : below_one_switch(*group, size_x);
    if (!admit(group, first ? TrafficClass::kMp : TrafficClass::kDp, false))
      admit(group, first ? TrafficClass::kDp : TrafficClass::kMp, false);
  }
}

bool FlowGroups::admit(const SharedGroup& group, TrafficClass traffic_class, bool barrier) {
  auto& phases = phases_[static_cast<std::size_t>(traffic_class)];
  for (const auto& phase : phases) {
    if (std::any_of(phase.begin(), phase.end(), [&](const auto& other) { return overlap(*group, *other); }))
      return false;
  }
  const auto fits = [&](const auto& phase) { return phase.front()->nodes.size() == group->nodes.size(); };
  auto phase = std::find_if(phases.begin(), phases.end(), fits);
  if (phase == phases.end()) phase = phases.emplace(phase);
  phase->push_back(group);
  admitted_[barrier ? 1 : 0][group->number] = {traffic_class, static_cast<std::size_t>(phase - phases.begin())};
  return true;
}

std::optional<TrafficClass> FlowGroups::traffic_class(std::uint32_t group, bool barrier) const {
  const auto& admitted = admitted_[barrier ? 1 : 0];
  const auto found = admitted.find(group);
  if (found == admitted.end()) return std::nullopt;
  return found->second.traffic_class;
}

const std::vector<SharedGroup>& FlowGroups::phase(std::uint32_t group, bool barrier) const {
  const auto& admitted = admitted_[barrier ? 1 : 0];
  const auto found = admitted.find(group);
  WEFT_CHECK(found != admitted.end(), "the phase of a group without flows is asked for");
  return phases_[static_cast<std::size_t>(found->second.traffic_class)][found->second.phase];
}

std::string FlowGroups::rival(std::uint32_t group, bool barrier) const {
  const auto own =
      std::find_if(groups_.begin(), groups_.end(), [&](const auto& each) { return each->number == group; });
  if (own == groups_.end()) return "";
  for (const SharedGroup& other : groups_) {
    if (other->number != group && traffic_class(other->number, barrier) && overlap(**own, *other)) return other->name;
  }
  return "";
}

}  // namespace weft::npu
