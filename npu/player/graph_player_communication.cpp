// SPDX-License-Identifier: Apache-2.0
// Collectives, sends and receives of the graph player.
#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "base/position_of.h"
#include "npu/collective/form/shape.h"
#include "npu/player/collective_signature.h"
#include "npu/player/player_parts.h"
#include "npu/player/point_to_point.h"

namespace weft::npu {
namespace {

std::uint8_t message_priority(std::uint32_t priority) {
  return static_cast<std::uint8_t>(std::min<std::uint32_t>(priority, 255));
}

Activity activity_of(const RankCollective& record) {
  Activity activity;
  activity.kind = ActivityKind::kCollective;
  activity.name = record.name;
  activity.start = record.start_cycle;
  activity.end = record.end_cycle;
  activity.bytes = record.bytes;
  activity.group = record.group;
  activity.signature = record.signature;
  activity.instance = record.instance;
  return activity;
}

}  // namespace

bool GraphPlayer::may_start_collective() const {
  const int slots = setup_.spec->max_collectives;
  return slots == 0 || open_collectives_.size() < static_cast<std::size_t>(slots);
}

bool GraphPlayer::goes_in_order(const TraceNode& collective) {
  const ProcessGroup* group = order_ != nullptr ? setup_.groups->find(collective.group) : nullptr;
  if (group == nullptr || !collective.collective || moves_nothing(collective, *group)) return false;
  const auto [found, fresh] = order_->needed.try_emplace({group->number, *collective.collective});
  if (fresh) found->second = collectives_.goes_in_order(group->number, *collective.collective);
  return found->second;
}

bool GraphPlayer::may_start_now(const TraceNode& collective) {
  if (!goes_in_order(collective)) return true;
  return order_->announced.may_start(*setup_.groups->find(collective.group), *collective.collective,
                                     collective.comm_bytes);
}

void GraphPlayer::on_announcement(std::uint64_t tag) {
  WEFT_CHECK(order_ != nullptr, "a collective is announced in a run that has no order of collectives");
  order_->announced.announced(tag);
  play();
}

// The first that may start.
GraphPlayer::ReadyNodes::iterator GraphPlayer::next_collective() {
  if (!may_start_collective()) return ready_collectives_.end();
  if (order_ == nullptr) return ready_collectives_.begin();
  return std::find_if(ready_collectives_.begin(), ready_collectives_.end(),
                      [this](const auto& entry) { return may_start_now(entry.second); });
}

bool GraphPlayer::start_communication() {
  bool any = false;
  while (true) {
    const bool has_transfer = transfers_ != nullptr && !transfers_->ready.empty();
    const auto collective = next_collective();
    const bool has_collective = collective != ready_collectives_.end();
    if (!has_transfer && !has_collective) return any;
    any = true;
    if (has_collective && (!has_transfer || collective->first < transfers_->ready.begin()->first)) {
      const TraceNode node = std::move(collective->second);
      ready_collectives_.erase(collective);
      start_collective(node);
    } else {
      const TraceNode node = std::move(transfers_->ready.begin()->second);
      transfers_->ready.erase(transfers_->ready.begin());
      node.type == TraceNodeType::kSend ? start_send(node) : start_receive(node);
    }
  }
}

void GraphPlayer::start_send(const TraceNode& node) {
  const RankId peer = rules_.receiver_of(node);
  Message message;
  message.dst = setup_.spec->placement[index(peer)];
  message.tag = point_to_point_tag(node.tag);
  message.bytes = node.comm_bytes;
  message.message_class = setup_.message_class;
  message.priority = message_priority(node.priority);
  meter_.communication_started(network_.now());
  begin_activity(ActivityKind::kSend, node.id, node.name, node.comm_bytes);
  const MessageId id = network_.send(message);
  transfers_->open_sends[static_cast<std::uint32_t>(id)] =
      Transfers::OpenSend{node.id, peer, node.tag, node.comm_bytes};
  ++statistics_.sends;
  statistics_.sent_bytes = checked_add(statistics_.sent_bytes, node.comm_bytes, "bytes that a rank sends");
}

bool GraphPlayer::on_sent(MessageId id) {
  if (order_ != nullptr && order_->announced.on_sent(id)) {
    note_event();
    return true;
  }
  if (accesses_ != nullptr && own_.memory->on_sent(id)) return true;
  if (transfers_ == nullptr) return false;
  const auto found = transfers_->open_sends.find(static_cast<std::uint32_t>(id));
  if (found == transfers_->open_sends.end()) return false;
  const std::uint64_t node = found->second.node;
  transfers_->open_sends.erase(found);
  meter_.communication_ended(network_.now());
  finish(node);
  play();
  return true;
}

bool GraphPlayer::put_message(StateForm& form, MessageId id) const {
  const bool announces = order_ != nullptr && order_->announced.sends(id);
  const bool sends = transfers_ != nullptr &&
                     transfers_->open_sends.find(static_cast<std::uint32_t>(id)) != transfers_->open_sends.end();
  if (!announces && !sends) return false;
  // Which one it is is as constant as the player, and its slot is its own until it has left.
  form.same(std::uint64_t{static_cast<std::uint32_t>(id)} << 1 | std::uint64_t{announces});
  return true;
}

void GraphPlayer::start_receive(const TraceNode& node) {
  const RankId peer = rules_.sender_of(node);
  ++statistics_.receives;
  begin_activity(ActivityKind::kReceive, node.id, node.name, node.comm_bytes);
  if (transfers_->receives.issue(ReceiveKey{setup_.spec->placement[index(peer)], node.tag, node.comm_bytes}, node.id)) {
    finish(node.id);
    return;
  }
  meter_.communication_started(network_.now());
}

void GraphPlayer::on_data(const Delivery& delivery, std::uint64_t tag) {
  if (!delivery.last) return;
  note_event();
  const auto node = transfers().receives.arrive(ReceiveKey{delivery.src, tag, delivery.message_bytes});
  if (!node) return;
  meter_.communication_ended(network_.now());
  finish(*node);
  play();
}

void GraphPlayer::start_collective(const TraceNode& node) {
  const ProcessGroup& group = rules_.group_of(node);
  RankCollective record;
  record.name = node.name;
  record.kind = *node.collective;
  record.group_name = group.name;
  record.group_size = static_cast<std::uint32_t>(group.members.size());
  record.group = group.number;
  record.signature = collective_signature(record.kind, node.comm_bytes);
  record.bytes = node.comm_bytes;
  record.start_cycle = network_.now();
  record.instance = issued_[{record.group, record.signature}]++;
  if (goes_in_order(node)) {
    order_->announced.started(group, record.kind, record.bytes);
    if (accesses_ != nullptr) refuse_mixed_flows(node, group);
  }

  if (moves_nothing(node, group)) {
    record.end_cycle = record.start_cycle;
    statistics_.collectives.push_back(std::move(record));
    if (!exchanged(node.id)) finish(node.id);
    return;
  }
  CollectiveOrder order;
  order.handle = node.id;
  order.name = node.name;
  order.group_name = group.name;
  order.group = record.group;
  order.signature = record.signature;
  order.instance = record.instance;
  order.kind = record.kind;
  order.bytes = record.bytes;
  order.priority = node.priority;
  order.members = &group.members;
  order.my_index = position_in(group, own_.rank);
  meter_.communication_started(network_.now());
  try {
    const std::string algorithm = collectives_.algorithm_of(order);
    record.algorithm = algorithm.empty() ? setup_.algorithm : algorithm;
    open_collectives_.emplace(node.id, std::move(record));
    collectives_.start(order);
  } catch (const InputError& error) {
    rules_.refuse(node, error.what());
  }
}

void GraphPlayer::collective_done(std::uint64_t handle) {
  const auto found = open_collectives_.find(handle);
  WEFT_CHECK(found != open_collectives_.end(), "a collective ends that its rank has not started");
  RankCollective record = std::move(found->second);
  open_collectives_.erase(found);
  record.end_cycle = network_.now();
  if (setup_.activities != nullptr) setup_.activities->activity_ended(network_.node(), activity_of(record));
  statistics_.collectives.push_back(std::move(record));
  meter_.communication_ended(network_.now());
  if (!exchanged(handle)) finish(handle);
  play();
}

void GraphPlayer::stop(Cycle now) {
  meter_.stop(now);
  statistics_.compute_cycles = meter_.compute_cycles();
  statistics_.exposed_comm_cycles = meter_.exposed_cycles();
  if (setup_.activities == nullptr) return;
  const auto tell = [&](Activity activity) {
    activity.end = now;
    setup_.activities->activity_ended(network_.node(), std::move(activity));
  };
  for (const auto& [node, activity] : activities_) tell(activity);
  for (const auto& [handle, record] : open_collectives_) tell(activity_of(record));
}

RankId GraphPlayer::rank_at(NodeId node) const {
  const auto found = position_of(setup_.spec->placement, node);
  WEFT_CHECK(found.has_value(), "a message comes from a node without a rank");
  return RankId{static_cast<std::uint32_t>(*found)};
}

}  // namespace weft::npu
