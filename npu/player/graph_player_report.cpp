// SPDX-License-Identifier: Apache-2.0
// What a graph player is doing and waits for, for people.
#include <fmt/format.h>

#include "npu/collective/form/shape.h"
#include "npu/player/player_parts.h"

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

void GraphPlayer::put_state(StateForm& form) {
  if (own_.local != nullptr) return form.refuse("memories whose bandwidth is simulated do not take part yet");
  if (!form.players_repeat()) form.same(events_);
}

const std::map<ReceiveKey, std::uint64_t>& GraphPlayer::unreceived() const {
  static const std::map<ReceiveKey, std::uint64_t> kNone;
  return transfers_ == nullptr ? kNone : transfers_->receives.early();
}

std::string GraphPlayer::state() const {
  if (units_ == nullptr) return "";
  for (const std::size_t unit : {std::size_t{kAccelerator}, std::size_t{kHost}}) {
    if (units_->units[unit].running()) return "compute " + units_->units[unit].running()->name;
  }
  return "";
}

void GraphPlayer::add_receives(std::vector<std::string>* lines) const {
  if (transfers_ == nullptr) return;
  for (const auto& [key, nodes] : transfers_->receives.open()) {
    lines->push_back(fmt::format("waits for {} of {} bytes from rank {}, tag {} (trace node {})",
                                 nodes.size() == 1 ? "receive" : fmt::format("{} receives", nodes.size()), key.bytes,
                                 index(rank_at(key.src)), key.tag, nodes.front()));
  }
}

void GraphPlayer::add_sends(std::vector<std::string>* lines) const {
  if (transfers_ == nullptr) return;
  // Numbers of messages depend on which ones have left before.
  std::map<std::uint64_t, Transfers::OpenSend> by_node;
  for (const auto& [id, send] : transfers_->open_sends) by_node.emplace(send.node, send);
  for (const auto& [node, send] : by_node) {
    lines->push_back(fmt::format("waits for its send of {} bytes to rank {}, tag {} to leave (trace node {})",
                                 send.bytes, index(send.dst), send.tag, node));
  }
}

void GraphPlayer::add_accesses(std::vector<std::string>* lines) const {
  if (accesses_ == nullptr) return;
  for (const auto& [id, node] : accesses_->open) {
    if (accesses_->exchanges.count(id) > 0) continue;
    lines->push_back(fmt::format("waits for {} '{}' of {} bytes: {}",
                                 node.type == TraceNodeType::kMemStore ? "store" : "load", node.name,
                                 node.tensor_bytes.value_or(0), own_.memory->waiting_for(id)));
  }
}

void GraphPlayer::add_held_collectives(std::vector<std::string>* lines) const {
  if (order_ == nullptr) return;
  for (const auto& [start, node] : ready_collectives_) {
    const ProcessGroup* group = setup_.groups->find(node.group);
    if (group == nullptr) continue;
    const auto needed = order_->needed.find({group->number, *node.collective});
    if (needed == order_->needed.end() || !needed->second) continue;
    if (order_->announced.may_start(*group, *node.collective, node.comm_bytes)) continue;
    lines->push_back(fmt::format("holds collective '{}' ({} of {}, {} bytes) back: {}", node.name,
                                 kind_name(*node.collective), describe_group(node.group), node.comm_bytes,
                                 order_->announced.reason(*group, *node.collective)));
  }
}

std::vector<std::string> GraphPlayer::waiting_for() const {
  std::vector<std::string> lines;
  if (units_ != nullptr) {
    for (const SerialUnit& unit : units_->units) {
      if (unit.running()) lines.push_back(fmt::format("works on '{}'", unit.running()->name));
    }
  }
  add_receives(&lines);
  for (const auto& [node, record] : open_collectives_) {
    lines.push_back(fmt::format("waits for collective '{}' ({} {} of {}, {} bytes): {}", record.name,
                                kind_name(record.kind), record.instance, describe_group(record.group_name),
                                record.bytes, collectives_.waiting_for(node)));
  }
  add_accesses(&lines);
  add_sends(&lines);
  add_held_collectives(&lines);
  if (!ready_collectives_.empty() && !may_start_collective()) {
    lines.push_back(fmt::format("has {} collectives ready that wait for one of {} places (npu.max_collectives)",
                                ready_collectives_.size(), setup_.spec->max_collectives));
  }
  for (const auto& [key, count] : unreceived()) {
    lines.push_back(fmt::format("holds {} of {} bytes from rank {}, tag {}, for which no receive is open",
                                count == 1 ? "a message" : fmt::format("{} messages", count), key.bytes,
                                index(rank_at(key.src)), key.tag));
  }
  if (lines.empty() && !finished_) {
    lines.push_back("has nothing under way, but its trace has not finished");
  }
  return lines;
}

}  // namespace weft::npu
