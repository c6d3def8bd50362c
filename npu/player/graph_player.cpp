// SPDX-License-Identifier: Apache-2.0
#include "npu/player/graph_player.h"

#include "base/error.h"
#include "npu/player/player_parts.h"
#include "npu/player/point_to_point.h"

namespace weft::npu {
namespace {

// Ready nodes that a player holds back from the feeder at most; bounds memory on traces that are wide, not deep.
constexpr std::size_t kReadyWindow = std::size_t{1} << 16;

}  // namespace

GraphPlayer::GraphPlayer(const PlayerSetup& setup, const PlayerRank& own, std::unique_ptr<TraceFeeder> feeder,
                         NetworkInterface& network, CollectiveStarter& collectives)
    : setup_(setup),
      own_(own),
      rules_(own.rank, *setup.groups),
      feeder_(std::move(feeder)),
      network_(network),
      collectives_(collectives),
      accesses_(own.memory == nullptr ? nullptr : std::make_unique<Accesses>()),
      order_(setup.in_order ? std::make_unique<Order>(Order{
                                  AnnouncedOrder(own.rank, network, setup.spec->placement, setup.message_class), {}})
                            : nullptr) {
  WEFT_CHECK(setup.spec->placement.size() >= setup.groups->ranks(), "npu.placement does not hold every rank");
}

GraphPlayer::~GraphPlayer() = default;

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

// To be called wherever anything of this object may change.
void GraphPlayer::note_event() {
  ++events_;
  network_.note_event();
}

// 1. Ready nodes move from the feeder to their queues. 2. Free units take work. 3. Communication starts. Whatever
// ends in no time makes more nodes ready, hence the loop; it is a loop and not a recursion because such chains are
// long.
void GraphPlayer::play() {
  note_event();
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
  if (units_ == nullptr) return held >= kReadyWindow;
  for (const SerialUnit& unit : units_->units) held += unit.waiting();
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
      if (accesses_ != nullptr) return accept_access(std::move(node));
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
  if (units_ == nullptr) units_ = std::make_unique<Units>();
  const ComputeModel& model = setup_.model;
  UnitWork work{node.id, node.name, 0, 0, node.type == TraceNodeType::kMemStore};
  if (own_.local != nullptr) {
    work.bytes = model.bytes_moved(node);
    work.cycles = model.operation_cycles(node);
  } else {
    work.cycles = unit == kMemory ? model.memory_cycles(node) : model.compute_cycles(node);
  }
  if (is_compute(unit)) work.own_cycles = model.operation_cycles(node);
  units_->units[unit].queue(std::move(work));
}

void GraphPlayer::accept_communication(TraceNode node) {
  const std::uint64_t age = setup_.spec->order == IssueOrder::kFifo ? age_ : ~age_;
  ++age_;
  ReadyNodes& queue = node.type == TraceNodeType::kCollective ? ready_collectives_ : transfers().ready;
  const StartOrder order{~node.priority, age};
  queue.emplace(order, std::move(node));
}

GraphPlayer::Transfers& GraphPlayer::transfers() {
  if (transfers_ == nullptr) transfers_ = std::make_unique<Transfers>();
  return *transfers_;
}

bool GraphPlayer::start_units() {
  bool any = false;
  if (units_ == nullptr) return any;
  for (std::size_t unit = 0; unit < kUnits; ++unit) {
    if (!units_->units[unit].start_next(setup_.spec->order)) continue;
    any = true;
    start_unit_work(unit);
  }
  return any;
}

void GraphPlayer::start_unit_work(std::size_t unit) {
  SerialUnit& taken = units_->units[unit];
  const UnitWork& work = *taken.running();
  if (is_compute(unit)) ++statistics_.compute_nodes;
  units_->started[unit] = network_.now();
  if (work.cycles == 0 && work.bytes == 0) {
    finish(taken.end());
    return;
  }
  const ActivityKind kind = unit == kAccelerator ? ActivityKind::kCompute
                            : unit == kHost      ? ActivityKind::kHost
                            : work.store         ? ActivityKind::kStore
                                                 : ActivityKind::kLoad;
  begin_activity(kind, work.node, work.name, work.bytes);
  if (is_compute(unit)) meter_.compute_started(network_.now());
  units_->open_parts[unit] = (work.cycles > 0 ? 1 : 0) + (work.bytes > 0 ? 1 : 0);
  if (work.cycles > 0) network_.schedule(work.cycles, player_cookie(unit));
  if (work.bytes > 0) own_.local->stream(work.store, work.bytes, [this, unit] { end_part(unit); });
}

void GraphPlayer::on_timer(std::uint64_t unit) { end_part(unit); }

void GraphPlayer::end_part(std::size_t unit) {
  WEFT_CHECK(units_ != nullptr && unit < kUnits && units_->units[unit].running(),
             "a timer ends work that no unit of the NPU does");
  note_event();
  if (--units_->open_parts[unit] > 0) return;
  if (is_compute(unit)) end_compute(unit);
  finish(units_->units[unit].end());
  play();
}

void GraphPlayer::end_compute(std::size_t unit) {
  meter_.compute_ended(network_.now());
  const Cycle took = network_.now() - units_->started[unit];
  const Cycle own = units_->units[unit].running()->own_cycles;
  if (took <= own) return;
  ++statistics_.memory_bound_nodes;
  statistics_.memory_wait_cycles += took - own;
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

}  // namespace weft::npu
