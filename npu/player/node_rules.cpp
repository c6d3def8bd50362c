// SPDX-License-Identifier: Apache-2.0
#include "npu/player/node_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/position_of.h"
#include "npu/player/point_to_point.h"

namespace weft::npu {

const ProcessGroup& NodeRules::group_of(const TraceNode& collective) const {
  if (!collective.collective) refuse(collective, "is a collective without comm_type");
  return named_group(collective);
}

const ProcessGroup& NodeRules::named_group(const TraceNode& node) const {
  const ProcessGroup* group = groups_.find(node.group);
  if (group == nullptr) {
    refuse(node, fmt::format("process group '{}' does not exist; {}", node.group, groups_.describe()));
  }
  if (!position_of(group->members, rank_)) {
    refuse(node, fmt::format("rank is not a member of its process group '{}'", node.group));
  }
  return *group;
}

RankId NodeRules::receiver_of(const TraceNode& send) const {
  const RankId peer = checked_peer(send, send.dst, "comm_dst");
  if (send.tag > kLargestTraceTag) {
    refuse(send, fmt::format("comm_tag {} is larger than {}", send.tag, kLargestTraceTag));
  }
  return peer;
}

RankId NodeRules::sender_of(const TraceNode& receive) const { return checked_peer(receive, receive.src, "comm_src"); }

RankId NodeRules::checked_peer(const TraceNode& node, const std::optional<RankId>& peer, const char* attribute) const {
  if (!peer) refuse(node, fmt::format("has no {}", attribute));
  if (index(*peer) >= groups_.ranks()) {
    refuse(node, fmt::format("{} is {}; the workload has ranks 0 to {}", attribute, index(*peer), groups_.ranks() - 1));
  }
  return *peer;
}

void NodeRules::refuse(const TraceNode& node, const std::string& reason) const {
  throw InputError(fmt::format("trace of rank {}, node {} '{}': {}", index(rank_), node.id, node.name, reason));
}

std::uint32_t position_in(const ProcessGroup& group, RankId member) {
  const auto position = position_of(group.members, member);
  WEFT_CHECK(position.has_value(), "a rank is looked up in a group of others");
  return static_cast<std::uint32_t>(*position);
}

std::uint64_t part_of(std::uint64_t bytes, const ProcessGroup& group, RankId member) {
  const std::uint64_t members = group.members.size();
  return bytes / members + (position_in(group, member) < bytes % members ? 1 : 0);
}

bool moves_nothing(const TraceNode& collective, const ProcessGroup& group) {
  const bool empty = collective.comm_bytes == 0 && collective.collective != CollectiveKind::kBarrier;
  return empty || group.members.size() == 1;
}

}  // namespace weft::npu
