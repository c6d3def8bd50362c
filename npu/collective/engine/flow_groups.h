// SPDX-License-Identifier: Apache-2.0
// Which groups of a workload may have flows in the switches, on which traffic class, and at the same time as which
// others.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fabric_flows.h"
#include "config/config.h"

namespace weft::npu {

/// A group of NPUs as collectives see it. Immutable and shared by its members.
struct CommGroup {
  std::uint32_t number = 0;  ///< names the group, the same at all members and unlike any other group's
  std::string name;
  std::vector<NodeId> nodes;           ///< members in their order
  std::optional<TrainingPhase> phase;  ///< of its collectives; none = nobody says
};
using SharedGroup = std::shared_ptr<const CommGroup>;

/// The traffic class of a training phase.
constexpr TrafficClass class_of_phase(TrainingPhase phase) {
  switch (phase) {
    case TrainingPhase::kMp:
      return TrafficClass::kMp;
    case TrainingPhase::kPp:
      return TrafficClass::kPp;
    case TrainingPhase::kDp:
      return TrafficClass::kDp;
  }
  return TrafficClass::kPp;
}

/// Whether all members are below one lowest switch, with `size_x` NPUs each.
bool below_one_switch(const CommGroup& group, int size_x);

/// The rule that keeps flows from waiting for each other in a circle. The packets of a traffic class leave a node in
/// the order in which they came, and a flow goes when all of its operands are in front. So the operands of a traffic
/// class must be issued in one order by all that take part:
/// * the groups that have a traffic class are disjoint, so a node's flows on it are all of one group;
/// * the members of a group start its collectives in one order (AnnouncedOrder), each chunk after chunk, flow
///   after flow (FlowQueue);
/// * messages between two nodes have a traffic class of their own, PP: they may be stuck behind nothing but their like.
/// Data go on the traffic class of the training phase of their group, MP or DP. Where nobody says the phase, and where
/// it is PP, groups below one lowest switch have MP and others DP. Where the class is taken by a group with common
/// members, data go on the other of the two, and where both are taken the group is left to the endpoints. Groups whose
/// phase is MP or DP choose first, then those of lower numbers; group 0, all ranks, chooses last among its like.
/// Barriers go on the control traffic class, and group 0 chooses first there.
class FlowGroups {
 public:
  FlowGroups() = default;
  /// `groups`: those of the workload, each number once; `size_x` NPUs below a lowest switch.
  FlowGroups(std::vector<SharedGroup> groups, int size_x);

  /// Traffic class of a group's flows; nullopt if the endpoints have to do without.
  std::optional<TrafficClass> traffic_class(std::uint32_t group, bool barrier) const;
  /// The groups that may run their flows at the same time, on the same traffic class: of equal size, disjoint; the
  /// group itself is one of them. In the order in which they chose; by first fit, so that every group is in one list.
  const std::vector<SharedGroup>& phase(std::uint32_t group, bool barrier) const;
  /// The name of a group with common members that has a traffic class which `group` would need, for texts to the user;
  /// "" if there is none.
  std::string rival(std::uint32_t group, bool barrier) const;

 private:
  struct Admission {
    TrafficClass traffic_class = TrafficClass::kDp;
    std::size_t phase = 0;  ///< phase of the traffic class
  };
  bool admit(const SharedGroup& group, TrafficClass traffic_class, bool barrier);

  std::vector<SharedGroup> groups_;
  std::array<std::vector<std::vector<SharedGroup>>, kTrafficClasses> phases_;  ///< groups by traffic class and phase
  std::array<std::map<std::uint32_t, Admission>, 2> admitted_;                 ///< for data and for barriers, by group
};

}  // namespace weft::npu
