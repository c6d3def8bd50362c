// SPDX-License-Identifier: Apache-2.0
// What a graph player is doing and waits for, for people.
#include <fmt/format.h>

#include "npu/collective/form/shape.h"
#include "npu/player/graph_player.h"

namespace weft::npu {
namespace {

constexpr std::size_t kMembersShown = 16;

}  // namespace

// The engine speaks of members by their positions within the group, from 0, so the group stands beside what it says.
std::string GraphPlayer::describe_group(const std::string& name) const {
  const ProcessGroup& group = *setup_.groups->find(name);
  if (group.number == 0) return "all ranks";
  std::string members;
  for (std::size_t i = 0; i < group.members.size() && i < kMembersShown; ++i) {
    members += fmt::format("{}{}", i == 0 ? "" : ", ", index(group.members[i]));
  }
  if (group.members.size() > kMembersShown) members += ", ...";
  return fmt::format("group {} = [{}]", name, members);
}

std::string GraphPlayer::state() const {
  for (const std::size_t unit : {std::size_t{kAccelerator}, std::size_t{kHost}}) {
    if (units_[unit].running()) return "compute " + units_[unit].running()->name;
  }
  return "";
}

std::vector<std::string> GraphPlayer::waiting_for() const {
  std::vector<std::string> lines;
  const auto rank = index(setup_.rank);
  for (const SerialUnit& unit : units_) {
    if (unit.running()) lines.push_back(fmt::format("rank {} works on '{}'", rank, unit.running()->name));
  }
  for (const auto& [key, nodes] : receives_.open()) {
    lines.push_back(fmt::format("rank {} waits for {} of {} bytes from rank {}, tag {} (trace node {})", rank,
                                nodes.size() == 1 ? "receive" : fmt::format("{} receives", nodes.size()), key.bytes,
                                index(rank_at(key.src)), key.tag, nodes.front()));
  }
  for (const auto& [node, record] : open_collectives_) {
    lines.push_back(fmt::format("rank {} waits for collective '{}' ({} {} of {}, {} bytes): {}", rank, record.name,
                                kind_name(record.kind), record.instance, describe_group(record.group_name),
                                record.bytes, collectives_.waiting_for(node)));
  }
  for (const auto& [id, node] : open_accesses_) {
    if (exchanges_.count(id) > 0) continue;
    lines.push_back(fmt::format("rank {} waits for {} '{}' of {} bytes: {}", rank,
                                node.type == TraceNodeType::kMemStore ? "store" : "load", node.name,
                                node.tensor_bytes.value_or(0), setup_.memory->waiting_for(id)));
  }
  for (const auto& [id, send] : open_sends_) {
    lines.push_back(fmt::format("rank {} waits for its send of {} bytes to rank {}, tag {} to leave (trace node {})",
                                rank, send.bytes, index(send.dst), send.tag, send.node));
  }
  for (const auto& [order, node] : ready_collectives_) {
    const auto known = in_order_.end();
    const ProcessGroup* group = setup_.groups->find(node.group);
    const auto found = group == nullptr ? known : in_order_.find({group->number, *node.collective});
    if (found == known || !found->second || order_.may_start(*group, *node.collective, node.comm_bytes)) continue;
    lines.push_back(fmt::format("rank {} holds collective '{}' ({} of {}, {} bytes) back: {}", rank, node.name,
                                kind_name(*node.collective), describe_group(node.group), node.comm_bytes,
                                order_.reason(*group, *node.collective)));
  }
  if (!ready_collectives_.empty() && !may_start_collective()) {
    lines.push_back(fmt::format("rank {} has {} collectives ready that wait for one of {} places (npu.max_collectives)",
                                rank, ready_collectives_.size(), setup_.spec->max_collectives));
  }
  for (const auto& [key, count] : receives_.early()) {
    lines.push_back(fmt::format("rank {} holds {} of {} bytes from rank {}, tag {}, for which no receive is open", rank,
                                count == 1 ? "a message" : fmt::format("{} messages", count), key.bytes,
                                index(rank_at(key.src)), key.tag));
  }
  if (lines.empty() && !finished_) {
    lines.push_back(fmt::format("rank {} has nothing under way, but its trace has not finished", rank));
  }
  return lines;
}

}  // namespace weft::npu
