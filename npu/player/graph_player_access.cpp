// SPDX-License-Identifier: Apache-2.0
// Loads and stores of the graph player that somebody else carries out, and what members of a group exchange for them.
#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "npu/player/player_parts.h"

namespace weft::npu {

void GraphPlayer::accept_access(TraceNode node) {
  const std::uint64_t bytes = node.tensor_bytes.value_or(0);
  const ProcessGroup* group = node.group.empty() ? nullptr : &rules_.group_of_access(node);
  if (bytes == 0) return finish(node.id);
  const CommGroup* shared =
      group == nullptr || group->members.size() == 1 ? nullptr : setup_.comm_groups->at(group->number).get();
  const bool store = node.type == TraceNodeType::kMemStore;
  if (store) own_.memory->store_ahead();
  const std::uint64_t handle = node.id;
  begin_activity(store ? ActivityKind::kStore : ActivityKind::kLoad, handle, node.name, bytes);
  const bool whole = shared == nullptr || (store ? own_.memory->reduces(*shared) : own_.memory->copies(*shared));
  meter_.communication_started(network_.now());
  const TraceNode& kept = accesses_->open.emplace(handle, std::move(node)).first->second;
  if (whole && store && shared != nullptr) refuse_mixed_flows(kept, *group);
  if (whole) return start_access(kept, bytes, shared);
  if (store) return exchange(kept, *group);
  start_access(kept, part_of(bytes, *group, own_.rank), nullptr);
}

// Operands of a traffic class leave in one order at all members, which is kept among stores and among collectives, but
// not between them.
void GraphPlayer::refuse_mixed_flows(const TraceNode& node, const ProcessGroup& group) {
  if (node.collective == CollectiveKind::kBarrier) return;
  (node.type == TraceNodeType::kMemStore ? accesses_->storing : accesses_->adding).insert(group.number);
  if (accesses_->storing.count(group.number) == 0 || accesses_->adding.count(group.number) == 0) return;
  rules_.refuse(node, fmt::format("process group '{}' has collectives and stores that are summed in switches; legal: "
                                  "one of them, or another algorithm for collectives",
                                  node.group));
}

void GraphPlayer::start_access(const TraceNode& node, std::uint64_t bytes, const CommGroup* group) {
  if (bytes == 0) return end_access(node.id);
  MemoryOrder order;
  order.handle = node.id;
  order.name = node.name;
  order.store = node.type == TraceNodeType::kMemStore;
  order.bytes = bytes;
  order.group = group;
  order.instance = accesses_->issued[{group == nullptr ? ~0u : group->number, order.store}]++;
  try {
    own_.memory->start(order);
  } catch (const InputError& error) {
    rules_.refuse(node, error.what());
  }
}

// The part of a load or store that goes over the fabric: an all-gather of what members have loaded, a reduce-scatter of
// what they are to store.
void GraphPlayer::exchange(const TraceNode& access, const ProcessGroup& group) {
  TraceNode collective = access;
  collective.type = TraceNodeType::kCollective;
  const bool store = access.type == TraceNodeType::kMemStore;
  collective.collective = store ? CollectiveKind::kReduceScatter : CollectiveKind::kAllGather;
  const std::uint64_t bytes = access.tensor_bytes.value_or(0);
  collective.comm_bytes = store ? bytes : bytes / group.members.size();
  accesses_->exchanges.insert(access.id);
  accept_communication(std::move(collective));
}

void GraphPlayer::memory_done(std::uint64_t handle) {
  const auto found = accesses_->open.find(handle);
  WEFT_CHECK(found != accesses_->open.end(), "a load or store ends that its rank has not started");
  const TraceNode& node = found->second;
  const bool shared = !node.group.empty() && rules_.group_of_access(node).members.size() > 1;
  if (shared && node.type == TraceNodeType::kMemLoad) {
    const ProcessGroup& group = rules_.group_of_access(node);
    if (!own_.memory->copies(*setup_.comm_groups->at(group.number))) {
      exchange(node, group);
      return play();
    }
  }
  end_access(handle);
  play();
}

void GraphPlayer::end_access(std::uint64_t handle) {
  accesses_->open.erase(handle);
  meter_.communication_ended(network_.now());
  finish(handle);
}

// True: a collective that was the exchange of a load or store has ended, and that goes on.
bool GraphPlayer::exchanged(std::uint64_t handle) {
  if (accesses_ == nullptr || accesses_->exchanges.erase(handle) == 0) return false;
  const TraceNode& node = accesses_->open.at(handle);
  if (node.type == TraceNodeType::kMemLoad) {
    end_access(handle);
  } else {
    start_access(node, part_of(node.tensor_bytes.value_or(0), rules_.group_of_access(node), own_.rank), nullptr);
  }
  return true;
}

}  // namespace weft::npu
