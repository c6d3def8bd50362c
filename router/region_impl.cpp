// SPDX-License-Identifier: Apache-2.0
// Set-up, borders, reports and checks of a region.
#include "router/region_impl.h"

#include <fmt/format.h>

#include "base/random.h"
#include "base/vc_split.h"
#include "router/region_fork.h"
#include "router/region_form.h"
#include "router/region_hash.h"
#include "router/region_keep.h"
#include "router/region_step.h"

namespace weft::router {

// ---- set-up

template <int Cap>
RegionImpl<Cap>::RegionImpl(const RegionParameters& parameters)
    : grid_(parameters.fabric),
      rectangle_(parameters.rectangle),
      vcs_(parameters.fabric.router.vcs),
      depth_(static_cast<unsigned>(parameters.fabric.router.buffer_flits)),
      seed_(parameters.seed),
      statistics_on_(parameters.statistics),
      sleep_(parameters.sleep),
      routing_(make_routing(parameters.fabric.routing, grid_)),
      adaptive_(routing_->adaptive()),
      allocator_(
          make_allocator<Mask>(parameters.fabric.router.allocator, parameters.fabric.router.allocator_iterations)),
      flits_(std::size_t{static_cast<unsigned>(rectangle_.width)} * static_cast<unsigned>(rectangle_.height) * kVcs *
             depth_),
      shuffle_(parameters.shuffle) {
  if (!parameters.may_deadlock) require_deadlock_freedom(parameters.fabric, parameters.message_classes);
  const std::size_t count = static_cast<std::size_t>(rectangle_.width) * rectangle_.height;
  if (count >= std::size_t{1} << (32 - kVcBits)) {
    throw InputError(fmt::format("fabric.size: a region of {} routers is too large; at most {}", count,
                                 (std::size_t{1} << (32 - kVcBits)) - 1));
  }
  set_delays(parameters);
  set_vc_masks(parameters.message_classes);
  large_ = count >= kFetchFrom;
  very_large_ = count >= 8 * kFetchFrom;
  state_.resize(count);
  statistics_.resize(count * kMeshPorts);
  waits_.resize(count * kMeshPorts);
  if (!unit_rate_) link_rates_.resize(count * kMeshPorts);
  wire(rectangle_);
  set_trees(parameters);
  if (parameters.colours != nullptr && !parameters.colours->empty()) {
    colours_ = std::make_unique<ColourPlane>(parameters, grid_);
  }
}

template <int Cap>
void RegionImpl<Cap>::set_delays(const RegionParameters& parameters) {
  const FabricSpec& fabric = parameters.fabric;
  const RouterSpec& router = fabric.router;
  routing_delay_ = router.routing_delay;
  turn_cycles_ = router.turn_cycles;
  vc_alloc_delay_ = router.vc_alloc_delay;
  credit_delay_ = router.credit_delay;
  tail_credit_ = router.vc_reuse == VcReuse::kTailCredit;
  speculative_ = router.speculative;
  const LinkSpec* const links[kKinds] = {&fabric.link, &fabric.link_along_y(), &fabric.local};
  unit_rate_ = true;
  for (int kind = 0; kind < kKinds; ++kind) {
    const LinkSpec& link = *links[kind];
    const Cycle allocation = router.switch_alloc_delay - 1;
    rates_[kind] = link.flits_per_cycle;
    if (rates_[kind] != Rational{1, 1}) unit_rate_ = false;
    flit_delay_[kind] =
        allocation + router.traversal_delay + link.flit_cycles() + link.latency_cycles + router.hop_cycles;
    credit_travel_[kind] = allocation + 1 + link.latency_cycles;
    port_flits_[kind] = static_cast<int>((rates_[kind].num + rates_[kind].den - 1) / rates_[kind].den);
  }
}

template <int Cap>
void RegionImpl<Cap>::set_vc_masks(int message_classes) {
  vc_classes_ = routing_->vc_classes();
  for (const std::uint32_t all : split_vcs(vcs_, message_classes)) {
    for (const std::uint32_t set : split_vcs(__builtin_popcount(all), vc_classes_, lowest_bit(all))) {
      vc_masks_.push_back(set != 0 ? set : all);
    }
    vc_masks_.push_back(all);
  }
}

template <int Cap>
void RegionImpl<Cap>::wire(const Rectangle& rectangle) {
  for (std::uint32_t router = 0; router < state_.size(); ++router) {
    State& state = state_[router];
    const Coordinates here{rectangle.x + static_cast<int>(router) % rectangle.width,
                           rectangle.y + static_cast<int>(router) / rectangle.width};
    state.x = static_cast<std::uint16_t>(here.x);
    state.y = static_cast<std::uint16_t>(here.y);
    for (std::uint8_t port = 0; port < kMeshPorts; ++port) {
      Coordinates there = here;
      const bool exists = PortId{port} == kLocal || grid_.neighbour(here, PortId{port}, &there);
      if (!exists) continue;
      state.free_vcs[port] = (1U << vcs_) - 1;
      for (int vc = 0; vc < vcs_; ++vc) state.out[port * Cap + vc].credits = CreditCount<std::uint16_t>(depth_);
      if (PortId{port} == kLocal) continue;
      const bool inside = there.x >= rectangle.x && there.x < rectangle.x + rectangle.width && there.y >= rectangle.y &&
                          there.y < rectangle.y + rectangle.height;
      state.neighbour[port] = inside ? router_at(there) : kBorder;
    }
  }
}

template <int Cap>
void RegionImpl<Cap>::connect(LocalSide* local, BorderSide* border, PacketPool* pool, FabricProbe* probe) {
  local_ = local;
  border_ = border;
  pool_ = pool;
  probe_ = probe;
  watch_stalls();
  connect_colours();
}

template <int Cap>
void RegionImpl<Cap>::set_packet_data(PacketData* data) {
  data_ = data;
  connect_colours();
}

template <int Cap>
void RegionImpl<Cap>::connect_colours() {
  if (colours_ == nullptr) return;
  colours_->connect({local_, border_, pool_, probe_, data_, &inside_, &moved_,
                     statistics_on_ ? statistics_.data() : nullptr, waits_.data()});
}

template <int Cap>
std::uint32_t RegionImpl<Cap>::router_at(Coordinates at) const {
  return static_cast<std::uint32_t>((at.y - rectangle_.y) * rectangle_.width + at.x - rectangle_.x);
}

// ---- local ports and borders

template <int Cap>
void RegionImpl<Cap>::inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
  ++inside_;
  if (is_colour(vc)) return colours_->receive(node, kLocal, vc, flit, at);
  arriving_flits_.push(at, {node << kVcBits | static_cast<VcAddress>(index(kLocal) * Cap + index(vc)), flit});
}

template <int Cap>
void RegionImpl<Cap>::return_credit(std::uint32_t node, VcId vc, Cycle at) {
  if (is_colour(vc)) return colours_->receive_credit(node, kLocal, vc, at);
  arriving_credits_.push(at + credit_delay_,
                         {node << kVcBits | static_cast<VcAddress>(index(kLocal) * Cap + index(vc))});
}

template <int Cap>
void RegionImpl<Cap>::send_over_border(std::uint32_t router, int output, Flit flit, Cycle now) {
  FlitTransfer transfer;
  transfer.vc = VcId(static_cast<std::uint8_t>(output % Cap));
  transfer.head = flit.head();
  transfer.tail = flit.tail();
  if (flit.head()) transfer.packet = (*pool_)[flit.packet()];
  if (flit.tail()) pool_->release(flit.packet());
  --inside_;
  border_->send_flit(router * kMeshPorts + static_cast<std::uint32_t>(output / Cap), transfer,
                     now + flit_delay_[kind(output / Cap)]);
}

template <int Cap>
void RegionImpl<Cap>::receive_flit(std::uint32_t port, const FlitTransfer& flit, Cycle now, Cycle at) {
  const std::uint32_t router = port / kMeshPorts;
  if (is_colour(flit.vc)) {
    colours_->receive_flit(router, PortId{static_cast<std::uint8_t>(port % kMeshPorts)}, flit, now, at);
    return;
  }
  const auto to = router << kVcBits | static_cast<VcAddress>(port % kMeshPorts * Cap + index(flit.vc));
  if (flit.head) {
    const PacketIndex packet = pool_->allocate();
    (*pool_)[packet] = flit.packet;
    WEFT_CHECK(border_packets_.emplace(to, packet).second, "a head flit crossed a border inside another packet");
  }
  const auto entry = border_packets_.find(to);
  WEFT_CHECK(entry != border_packets_.end(), "a body flit crossed a border without its head");
  ++inside_;
  arriving_flits_.push_checked(now, at, {to, Flit(entry->second, flit.head, flit.tail)});
  if (flit.tail) border_packets_.erase(entry);
}

template <int Cap>
void RegionImpl<Cap>::receive_credit(std::uint32_t port, VcId vc, Cycle now, Cycle at) {
  if (is_colour(vc)) {
    colours_->receive_credit(port / kMeshPorts, PortId{static_cast<std::uint8_t>(port % kMeshPorts)}, vc, at);
    return;
  }
  const auto to = port / kMeshPorts << kVcBits | static_cast<VcAddress>(port % kMeshPorts * Cap + index(vc));
  arriving_credits_.push_checked(now, at + credit_delay_, {to});
}

// ---- time

template <int Cap>
Cycle RegionImpl<Cap>::next_work(Cycle now) const {
  if (!to_visit_.empty()) return now + 1;
  const Cycle colours = colours_ != nullptr ? colours_->next_work(now) : kNever;
  const Cycle next = std::min(
      {arriving_flits_.next_after(now), arriving_credits_.next_after(now), wake_ups_.next_after(now), colours});
  return sleep_ || next == kNever ? next : now + 1;
}

template <int Cap>
void RegionImpl<Cap>::shuffle_visits(Cycle now) {
  for (std::size_t i = visiting_.size(); i > 1; --i) {
    std::swap(visiting_[i - 1], visiting_[random_bits(shuffle_, now, i) % i]);
  }
}

template <int Cap>
OutputSpace RegionImpl<Cap>::output_space(const State& state) const {
  OutputSpace space{};
  for (int port = 0; port < kMeshPorts; ++port) {
    for (int vc = 0; vc < vcs_; ++vc) space[port] += state.out[port * Cap + vc].credits.left();
  }
  return space;
}

// ---- observation

template <int Cap>
void RegionImpl<Cap>::report_flit(std::uint32_t router, int output, Flit flit, Cycle now) {
  const State& state = state_[router];
  const Packet& packet = (*pool_)[flit.packet()];
  const PortId port{static_cast<std::uint8_t>(output / Cap)};
  probe_->flit_sent(now, output_link(grid_.node({state.x, state.y}), port),
                    VcId(static_cast<std::uint8_t>(output % Cap)), {packet.src, packet.sequence}, flit.head(),
                    flit.tail(), state.out[output].credits.left());
}

template <int Cap>
void RegionImpl<Cap>::report_credit(std::uint32_t router, int output, Cycle now) {
  const State& state = state_[router];
  const PortId port{static_cast<std::uint8_t>(output / Cap)};
  probe_->credit_returned(now, output_link(grid_.node({state.x, state.y}), port),
                          VcId(static_cast<std::uint8_t>(output % Cap)), state.out[output].credits.left());
}

template <int Cap>
LinkValues RegionImpl<Cap>::link_values(std::uint32_t router, PortId port) const {
  const std::size_t at = std::size_t{router} * kMeshPorts + index(port);
  return router::link_values(statistics_[at], waits_[at]);
}

template <int Cap>
void RegionImpl<Cap>::finish_statistics(Cycle now) {
  for (std::size_t i = 0; i < statistics_.size(); ++i) PortMeter(statistics_[i], waits_[i]).count_to(now);
}

template <int Cap>
std::string RegionImpl<Cap>::describe(std::uint32_t router, int vc) const {
  const State& state = state_[router];
  return fmt::format("router [{},{}], input {}, VC {}", state.x, state.y,
                     port_name(PortId{static_cast<std::uint8_t>(vc / Cap)}), vc % Cap);
}

template <int Cap>
std::string RegionImpl<Cap>::output_name(std::uint32_t router, int vc) const {
  const State& state = state_[router];
  return fmt::format("router [{},{}], output {}, VC {}", state.x, state.y,
                     port_name(PortId{static_cast<std::uint8_t>(vc / Cap)}), vc % Cap);
}

template <int Cap>
Waiting RegionImpl<Cap>::describe_waiting(std::uint32_t router, int vc) const {
  const State& state = state_[router];
  const InputVc& in = state.in[vc];
  const Packet& packet = (*pool_)[front(router, vc).packet()];
  Waiting waiting;
  waiting.router = grid_.node({state.x, state.y});
  waiting.in = PortId{static_cast<std::uint8_t>(vc / Cap)};
  waiting.vc = VcId{static_cast<std::uint8_t>(vc % Cap)};
  waiting.packet = {packet.src, packet.sequence};
  waiting.dst = packet.dst;
  waiting.out = PortId{in.port};
  if (in.output == kForked) {
    waiting.reason = forked_reason(router, vc);
    return waiting;
  }
  if (in.output != kNoVc) {
    waiting.out_vc = in.output % Cap;
    return waiting;
  }
  for_each_bit(vc_masks_[in.vc_class] & ~state.free_vcs[in.port], [&](int held) {
    const std::uint8_t owner = state.out[in.port * Cap + held].owner;
    if (owner >= kVcs || state.in[owner].flits == 0) return;
    const Packet& holder = (*pool_)[front(router, owner).packet()];
    waiting.holders.push_back({holder.src, holder.sequence});
  });
  return waiting;
}

// What the copies of a packet wait for: the end of the sentence "waits for ...".
template <int Cap>
std::string RegionImpl<Cap>::forked_reason(std::uint32_t router, int vc) const {
  std::string text;
  for (const Fork& fork : forks_.at(router).list) {
    if (fork.input != vc) continue;
    for (const Fork::Branch& branch : fork.branches) {
      if (branch.sent == fork.flits) continue;
      const char* const name = port_name(PortId{branch.port});
      text += text.empty() ? "" : " and ";
      text += branch.vc == kNoVc ? fmt::format("a free VC of output {}", name)
                                 : fmt::format("a credit of output {}, VC {}", name, branch.vc % Cap);
    }
  }
  return text;
}

template <int Cap>
std::vector<Waiting> RegionImpl<Cap>::waiting(std::size_t limit) const {
  std::vector<Waiting> all;
  for (std::uint32_t router = 0; router < state_.size(); ++router) {
    for (int vc = 0; vc < kVcs && all.size() < limit; ++vc) {
      if (state_[router].in[vc].flits > 0) all.push_back(describe_waiting(router, vc));
    }
  }
  if (colours_ != nullptr) colours_->add_waiting(limit, all);
  return all;
}

template <int Cap>
void RegionImpl<Cap>::require_empty() const {
  WEFT_CHECK(inside_ == 0, fmt::format("{} flits are left in the fabric at the end", inside_));
  WEFT_CHECK(arriving_flits_.empty(), "flits are left on links at the end");
  WEFT_CHECK(arriving_credits_.empty(), "credits are left on links at the end");
  if (colours_ != nullptr) colours_->require_empty();
  for (std::uint32_t router = 0; router < state_.size(); ++router) {
    const State& state = state_[router];
    WEFT_CHECK(!copies(router), "packets are still being copied at the end");
    for (int vc = 0; vc < kVcs; ++vc) {
      WEFT_CHECK(state.in[vc].flits == 0, "a buffer is not empty at the end: " + describe(router, vc));
      const bool exists = vc % Cap < vcs_ && (vc / Cap == index(kLocal) || state.neighbour[vc / Cap] != kNoRouter);
      state.out[vc].credits.require_home(exists ? depth_ : 0, [&] { return output_name(router, vc); });
      WEFT_CHECK(state.out[vc].owner == kNoVc, "an output VC is still taken at the end: " + describe(router, vc));
    }
  }
}

template <int Cap>
std::size_t RegionImpl<Cap>::bytes() const {
  return sizeof(State) + std::size_t{kVcs} * depth_ * sizeof(Flit) +
         kMeshPorts * (sizeof(PortStatistics) + sizeof(WaitCycles)) + (unit_rate_ ? 0 : kMeshPorts * sizeof(LinkRate));
}

// ---- creation

std::unique_ptr<Region> Region::create(const RegionParameters& parameters) {
  const int vcs = parameters.fabric.router.vcs;
  if (vcs <= 4) return std::make_unique<RegionImpl<4>>(parameters);
  if (vcs <= 8) return std::make_unique<RegionImpl<8>>(parameters);
  if (vcs <= 12) return std::make_unique<RegionImpl<12>>(parameters);
  if (vcs <= 25) return std::make_unique<RegionImpl<25>>(parameters);
  throw InputError(fmt::format("fabric.router.vcs: {} VCs; a router has 1 to 25", vcs));
}

}  // namespace weft::router
