// SPDX-License-Identifier: Apache-2.0
#include "npu/player/npu.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/position_of.h"
#include "config/chunks.h"
#include "npu/player/point_to_point.h"

namespace weft::npu {

Npu::Npu(const NpuSetup& setup, RankId rank, std::unique_ptr<TraceFeeder> feeder, NetworkInterface& network,
         LocalMemory* local)
    : setup_(setup),
      rank_(rank),
      network_(network),
      engine_(network, setup.cost, setup.player.spec->packet_bytes, *setup.programs, *this),
      memory_(setup.memory == nullptr
                  ? nullptr
                  : setup.memory->make(rank, network, [this](std::uint64_t handle) { memory_done(handle); })),
      tap_(setup.episodes == nullptr
               ? nullptr
               : std::make_unique<PlayerTap>(*setup.episodes, rank, network, static_cast<CollectiveStarter&>(*this),
                                             memory_.get())),
      player_(setup.player, {rank, tap_ == nullptr ? memory_.get() : tap_->memory(), local}, std::move(feeder),
              tap_ == nullptr ? network : tap_->network(),
              tap_ == nullptr ? static_cast<CollectiveStarter&>(*this) : tap_->collectives()) {
  network.attach(*this);
  if (tap_ != nullptr) tap_->use(player_, [this] { return !engine_.idle(); });
  engine_.set_activity_probe(tap_ == nullptr ? setup.player.activities : tap_->chunks());
}

void Npu::on_data(const Delivery& delivery) {
  if (owner_of(delivery.tag) == kPlayerOwner) {
    note_message(delivery);
    player_.on_data(delivery, without_owner(delivery.tag));
  } else if (owner_of(delivery.tag) == kAnnouncementOwner) {
    note_message(delivery);
    player_.on_announcement(without_owner(delivery.tag));
  } else if (owner_of(delivery.tag) == kMemoryOwner) {
    memory_->on_data(delivery);
  } else {
    engine_.on_data(delivery);
  }
}

void Npu::note_message(const Delivery& delivery) {
  if (tap_ == nullptr || !delivery.last) return;
  const auto sender = position_of(setup_.player.spec->placement, delivery.src);
  WEFT_CHECK(sender.has_value(), "a message comes from a node without a rank");
  tap_->came(delivery, RankId{static_cast<std::uint32_t>(*sender)});
}

void Npu::memory_done(std::uint64_t handle) {
  if (tap_ != nullptr) tap_->memory_done(handle);
  player_.memory_done(handle);
}

void Npu::on_sent(MessageId id) {
  if (tap_ != nullptr) tap_->sent(id);
  if (player_.on_sent(id)) return;
  WEFT_CHECK(engine_.on_sent(id), fmt::format("rank {}: a message was sent that nobody has queued", index(rank())));
}

void Npu::on_timer(std::uint64_t cookie) {
  if (owner_of(cookie) == kPlayerOwner) {
    if (tap_ != nullptr) tap_->timer_ends(cookie);
    player_.on_timer(without_owner(cookie));
  } else if (owner_of(cookie) == kMemoryOwner) {
    memory_->on_timer(without_owner(cookie));
  } else {
    engine_.on_timer(cookie);
  }
}

// A computation, or an access to memory, ends when it ends.
bool Npu::timer_stays(std::uint64_t cookie) const { return owner_of(cookie) == kPlayerOwner; }

bool Npu::timer_streams(std::uint64_t cookie) const {
  return owner_of(cookie) != kPlayerOwner && owner_of(cookie) != kMemoryOwner && engine_.timer_streams(cookie);
}

void Npu::put_state(StateForm& form) {
  player_.put_state(form);
  if (memory_ != nullptr && !form.failed()) memory_->put_state(form);
  if (!form.failed()) engine_.put_state(form);
}

void Npu::put_timer(StateForm& form, std::uint64_t cookie) {
  if (owner_of(cookie) == kMemoryOwner) return form.refuse("loads and stores of NPUs do not take part yet");
  form.same(owner_of(cookie));
  owner_of(cookie) == kPlayerOwner ? form.same(cookie) : engine_.put_timer(form, cookie);
}

void Npu::put_message(StateForm& form, MessageId id) {
  if (player_.put_message(form, id)) return;
  if (memory_ == nullptr || !memory_->put_message(form, id)) engine_.put_message(form, id);
}

std::uint32_t Npu::root_index(const CollectiveOrder& order) const {
  if (!setup_.root) return 0;
  const auto found = position_of(*order.members, *setup_.root);
  WEFT_CHECK(found.has_value(), "the root of a collective is not in its group");
  return static_cast<std::uint32_t>(*found);
}

std::string Npu::algorithm_of(const CollectiveOrder& order) {
  return setup_.programs->plan(order.kind, *setup_.player.comm_groups->at(order.group), root_index(order), order.bytes)
      ->algorithm;
}

bool Npu::goes_in_order(std::uint32_t group, CollectiveKind kind) {
  try {
    return setup_.programs->have_flows(kind, *setup_.player.comm_groups->at(group), 0);
  } catch (const InputError&) {
    return false;  // said again, with the node's name, when it starts
  }
}

void Npu::start(const CollectiveOrder& order) {
  const CollectiveSpec& spec = *setup_.collective;
  CollectiveRequest request;
  request.handle = order.handle;
  request.name = order.name;
  request.group = setup_.player.comm_groups->at(order.group);
  request.my_index = order.my_index;
  request.signature = order.signature;
  request.instance = order.instance;
  request.kind = order.kind;
  request.bytes = order.bytes;
  request.root = root_index(order);
  request.op = spec.op;
  request.dtype = spec.dtype;
  // Nothing is not worth cutting.
  request.chunks =
      order.kind == CollectiveKind::kBarrier ? 1 : static_cast<std::uint32_t>(chunks_of(spec, order.bytes));
  request.active_chunks = static_cast<std::uint32_t>(spec.active_chunks);
  request.priority = static_cast<std::uint8_t>(std::min<std::uint32_t>(order.priority, 255));
  request.data = spec.data;
  if (setup_.values != nullptr && order.kind != CollectiveKind::kBarrier) {
    ValueJob job{{order.group, order.signature, order.instance},
                 order.name,
                 setup_.programs->get(order.kind, *request.group, request.root, order.bytes),
                 order.bytes};
    require_memory_for_values(job.program->shape(), job.bytes);
    request.input = setup_.values->input(job, order.my_index);
    open_values_.emplace(order.handle, OpenValues{std::move(job), order.my_index});
  }
  if (state_listener_ != nullptr) report_begin(request);
  engine_.start(request);
  if (state_listener_ != nullptr) report_state();
}

void Npu::on_collective_done(const CollectiveDone& done) {
  const auto found = open_values_.find(done.handle);
  if (found != open_values_.end()) {
    setup_.values->result(found->second.job, found->second.member, done.result);
    open_values_.erase(found);
  }
  if (tap_ != nullptr) tap_->collective_done(done.handle);
  player_.collective_done(done.handle);
}

std::vector<std::string> Npu::waiting_for() const { return player_.waiting_for(); }

NodeActivity Npu::activity() const {
  NodeActivity activity = engine_.activity();
  const std::string compute = player_.state();
  if (!compute.empty()) activity.text += (activity.text.empty() ? "" : " | ") + compute;
  return activity;
}

void Npu::set_state_listener(std::function<void(Cycle, const NodeActivity&)> listener) {
  state_listener_ = std::make_unique<StateListener>(StateListener{std::move(listener), {}});
  engine_.set_state_listener([this](const std::string&) { report_state(); });
  player_.set_state_listener([this] { report_state(); });
}

// One that begins while another is under way would not be seen in the activity, which names the oldest.
void Npu::report_begin(const CollectiveRequest& request) {
  NodeActivity& last = state_listener_->last;
  last = activity();
  last.collective = request.name;
  last.group = request.group->name;
  last.instance = request.instance;
  state_listener_->tell(network_.now(), last);
}

void Npu::report_state() {
  NodeActivity now_doing = activity();
  if (now_doing == state_listener_->last) return;
  state_listener_->last = std::move(now_doing);
  state_listener_->tell(network_.now(), state_listener_->last);
}

}  // namespace weft::npu
