// SPDX-License-Identifier: Apache-2.0
#include "npu/player/graph_player.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"
#include "kernel/position_of.h"
#include "npu/player/collective_signature.h"
#include "npu/player/point_to_point.h"
#include "npu/program/shape.h"

namespace weft::npu {
namespace {

// Ready nodes that a player holds back from the feeder at most; bounds memory on traces that are wide, not deep.
constexpr std::size_t kReadyWindow = std::size_t{1} << 16;

constexpr std::size_t kMembersShown = 16;

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

GraphPlayer::GraphPlayer(const PlayerSetup& setup, std::unique_ptr<TraceFeeder> feeder, NetworkInterface& network,
                         CollectiveStarter& collectives)
    : setup_(setup),
      rules_(setup.rank, *setup.groups),
      compute_model_(*setup.spec, setup.clock),
      feeder_(std::move(feeder)),
      network_(network),
      collectives_(collectives),
      turns_(setup.rank, network, setup.spec->placement, setup.message_class) {
  WEFT_CHECK(setup.spec->placement.size() >= setup.groups->ranks(), "npu.placement does not hold every rank");
}

void GraphPlayer::start() { play(); }

bool GraphPlayer::look_further() {
  if (finished_ || !feeder_->look_further()) return false;
  play();
  return true;
}

std::vector<RankCollective> GraphPlayer::open_collectives() const {
  std::vector<RankCollective> list;
  for (const auto& [node, record] : open_collectives_) list.push_back(record);
  return list;
}

// 1. Ready nodes move from the feeder to their queues. 2. Free units take work. 3. Communication starts. Whatever
// ends in no time makes more nodes ready, hence the loop; it is a loop and not a recursion because such chains are
// long.
void GraphPlayer::play() {
  if (playing_ || finished_) return;  // a collective that ended within start() comes back here
  playing_ = true;
  bool progress = true;
  while (progress) {
    progress = take_ready_nodes();
    progress |= start_units();
    progress |= start_communication();
  }
  playing_ = false;
  statistics_.compute_cycles = meter_.compute_cycles();
  statistics_.exposed_comm_cycles = meter_.exposed_cycles();
  finished_ = feeder_->done();
  if (finished_ && setup_.activities != nullptr) setup_.activities->rank_finished(network_.node(), network_.now());
  if (state_listener_) state_listener_();
}

bool GraphPlayer::window_full() const {
  std::size_t held = ready_collectives_.size();
  for (const SerialUnit& unit : units_) held += unit.waiting();
  return held >= kReadyWindow;
}

bool GraphPlayer::take_ready_nodes() {
  bool any = false;
  while (!window_full()) {
    std::optional<TraceNode> node = feeder_->pop_ready();
    if (!node) break;
    any = true;
    accept(std::move(*node));
  }
  return any;
}

void GraphPlayer::accept(TraceNode node) {
  switch (node.type) {
    case TraceNodeType::kMetadata:
      finish(node.id);
      return;
    case TraceNodeType::kCompute:
      accept_work(node.is_cpu_op ? kHost : kAccelerator, node);
      return;
    case TraceNodeType::kMemLoad:
    case TraceNodeType::kMemStore:
      if (setup_.memory != nullptr) return accept_access(std::move(node));
      accept_work(kMemory, node);
      return;
    case TraceNodeType::kSend:
    case TraceNodeType::kRecv:
    case TraceNodeType::kCollective:
      accept_communication(std::move(node));
      return;
  }
}

void GraphPlayer::accept_work(Unit unit, const TraceNode& node) {
  UnitWork work{node.id, node.name, 0, 0, node.type == TraceNodeType::kMemStore};
  if (setup_.local != nullptr) {
    work.bytes = compute_model_.bytes_moved(node);
    work.cycles = compute_model_.operation_cycles(node);
  } else {
    work.cycles = unit == kMemory ? compute_model_.memory_cycles(node) : compute_model_.compute_cycles(node);
  }
  if (is_compute(unit)) work.own_cycles = compute_model_.operation_cycles(node);
  units_[unit].queue(std::move(work));
}

void GraphPlayer::accept_communication(TraceNode node) {
  const std::uint64_t age = setup_.spec->order == IssueOrder::kFifo ? age_ : ~age_;
  ++age_;
  auto& queue = node.type == TraceNodeType::kCollective ? ready_collectives_ : ready_transfers_;
  const StartOrder order{~node.priority, age};
  queue.emplace(order, std::move(node));
}

bool GraphPlayer::start_units() {
  bool any = false;
  for (std::size_t unit = 0; unit < kUnits; ++unit) {
    if (!units_[unit].start_next(setup_.spec->order)) continue;
    any = true;
    start_unit_work(unit);
  }
  return any;
}

void GraphPlayer::start_unit_work(std::size_t unit) {
  const UnitWork& work = *units_[unit].running();
  if (is_compute(unit)) ++statistics_.compute_nodes;
  started_[unit] = network_.now();
  if (work.cycles == 0 && work.bytes == 0) {
    finish(units_[unit].end());
    return;
  }
  const ActivityKind kind = unit == kAccelerator ? ActivityKind::kCompute
                            : unit == kHost      ? ActivityKind::kHost
                            : work.store         ? ActivityKind::kStore
                                                 : ActivityKind::kLoad;
  begin_activity(kind, work.node, work.name, work.bytes);
  if (is_compute(unit)) meter_.compute_started(network_.now());
  open_parts_[unit] = (work.cycles > 0 ? 1 : 0) + (work.bytes > 0 ? 1 : 0);
  if (work.cycles > 0) network_.schedule(work.cycles, player_cookie(unit));
  if (work.bytes > 0) setup_.local->stream(work.store, work.bytes, [this, unit] { end_part(unit); });
}

void GraphPlayer::on_timer(std::uint64_t unit) { end_part(unit); }

void GraphPlayer::end_part(std::size_t unit) {
  WEFT_CHECK(unit < kUnits && units_[unit].running(), "a timer ends work that no unit of the NPU does");
  if (--open_parts_[unit] > 0) return;
  if (is_compute(unit)) end_compute(unit);
  finish(units_[unit].end());
  play();
}

void GraphPlayer::end_compute(std::size_t unit) {
  meter_.compute_ended(network_.now());
  const Cycle took = network_.now() - started_[unit];
  const Cycle own = units_[unit].running()->own_cycles;
  if (took <= own) return;
  ++statistics_.memory_bound_nodes;
  statistics_.memory_wait_cycles += took - own;
}

bool GraphPlayer::collective_place_free() const {
  const int places = setup_.spec->max_collectives;
  return places == 0 || open_collectives_.size() < static_cast<std::size_t>(places);
}

bool GraphPlayer::goes_in_turn(const TraceNode& collective) {
  const ProcessGroup* group = setup_.in_turn ? setup_.groups->find(collective.group) : nullptr;
  if (group == nullptr || !collective.collective || moves_nothing(collective, *group)) return false;
  const auto [found, fresh] = in_turn_.try_emplace({group->number, *collective.collective});
  if (fresh) found->second = collectives_.goes_in_turn(group->number, *collective.collective);
  return found->second;
}

bool GraphPlayer::is_turn_of(const TraceNode& collective) {
  if (!goes_in_turn(collective)) return true;
  return turns_.may_start(*setup_.groups->find(collective.group), *collective.collective, collective.comm_bytes);
}

void GraphPlayer::on_turn(std::uint64_t tag) {
  turns_.announced(tag);
  play();
}

// The first that may start.
std::map<GraphPlayer::StartOrder, TraceNode>::iterator GraphPlayer::next_collective() {
  if (!collective_place_free()) return ready_collectives_.end();
  if (!setup_.in_turn) return ready_collectives_.begin();
  return std::find_if(ready_collectives_.begin(), ready_collectives_.end(),
                      [this](const auto& entry) { return is_turn_of(entry.second); });
}

bool GraphPlayer::start_communication() {
  bool any = false;
  while (true) {
    const auto transfer = ready_transfers_.begin();
    const auto collective = next_collective();
    const bool has_transfer = transfer != ready_transfers_.end();
    const bool has_collective = collective != ready_collectives_.end();
    if (!has_transfer && !has_collective) return any;
    any = true;
    if (has_collective && (!has_transfer || collective->first < transfer->first)) {
      const TraceNode node = std::move(collective->second);
      ready_collectives_.erase(collective);
      start_collective(node);
    } else {
      const TraceNode node = std::move(transfer->second);
      ready_transfers_.erase(transfer);
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
  open_sends_[static_cast<std::uint32_t>(id)] = OpenSend{node.id, peer, node.tag, node.comm_bytes};
  ++statistics_.sends;
  statistics_.sent_bytes += node.comm_bytes;
}

bool GraphPlayer::on_sent(MessageId id) {
  if (turns_.on_sent(id) || (setup_.memory != nullptr && setup_.memory->on_sent(id))) return true;
  const auto found = open_sends_.find(static_cast<std::uint32_t>(id));
  if (found == open_sends_.end()) return false;
  const std::uint64_t node = found->second.node;
  open_sends_.erase(found);
  meter_.communication_ended(network_.now());
  finish(node);
  play();
  return true;
}

void GraphPlayer::start_receive(const TraceNode& node) {
  const RankId peer = rules_.sender_of(node);
  ++statistics_.receives;
  begin_activity(ActivityKind::kReceive, node.id, node.name, node.comm_bytes);
  if (receives_.issue(ReceiveKey{setup_.spec->placement[index(peer)], node.tag, node.comm_bytes}, node.id)) {
    finish(node.id);
    return;
  }
  meter_.communication_started(network_.now());
}

void GraphPlayer::on_data(const Delivery& delivery, std::uint64_t tag) {
  if (!delivery.last) return;
  const auto node = receives_.arrive(ReceiveKey{delivery.src, tag, delivery.message_bytes});
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
  if (goes_in_turn(node)) {
    turns_.started(group, record.kind, record.bytes);
    if (setup_.memory != nullptr) refuse_mixed_flows(node, group);
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
  order.my_index = position_in(group, setup_.rank);
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

void GraphPlayer::begin_activity(ActivityKind kind, std::uint64_t node, const std::string& name, std::uint64_t bytes) {
  if (setup_.activities == nullptr) return;
  Activity& activity = activities_[node];
  activity.kind = kind;
  activity.name = name;
  activity.start = network_.now();
  activity.bytes = bytes;
}

void GraphPlayer::finish(std::uint64_t node) {
  const auto under_way = activities_.find(node);
  if (under_way != activities_.end()) {
    under_way->second.end = network_.now();
    setup_.activities->activity_ended(network_.node(), std::move(under_way->second));
    activities_.erase(under_way);
  }
  ++statistics_.nodes;
  statistics_.finish_cycle = network_.now();
  feeder_->finish(node);
}

RankId GraphPlayer::rank_at(NodeId node) const {
  const auto found = position_of(setup_.spec->placement, node);
  WEFT_CHECK(found.has_value(), "a message comes from a node without a rank");
  return RankId{static_cast<std::uint32_t>(*found)};
}

// The engine counts ranks by their positions within the group, so the members stand beside what it says.
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
    lines.push_back(fmt::format("rank {} waits for {} of {} bytes from rank {}, tag {} (node {})", rank,
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
    lines.push_back(fmt::format("rank {} waits for its send of {} bytes to rank {}, tag {} to leave (node {})", rank,
                                send.bytes, index(send.dst), send.tag, send.node));
  }
  for (const auto& [order, node] : ready_collectives_) {
    const auto known = in_turn_.end();
    const ProcessGroup* group = setup_.groups->find(node.group);
    const auto found = group == nullptr ? known : in_turn_.find({group->number, *node.collective});
    if (found == known || !found->second || turns_.may_start(*group, *node.collective, node.comm_bytes)) continue;
    lines.push_back(fmt::format("rank {} holds collective '{}' ({} of {}, {} bytes) back: {}", rank, node.name,
                                kind_name(*node.collective), describe_group(node.group), node.comm_bytes,
                                turns_.reason(*group, *node.collective)));
  }
  if (!ready_collectives_.empty() && !collective_place_free()) {
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
