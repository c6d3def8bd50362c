// SPDX-License-Identifier: Apache-2.0
// One cycle of a region: arrivals, routing, departure. Read from `step` downwards; in the middle a flit goes through
// region_allocate.h.
#pragma once

#include <algorithm>
#include <utility>

#include "base/prefetch.h"
#include "base/random.h"
#include "router/region_allocate.h"
#include "router/region_impl.h"
#include "router/region_stalls.h"

namespace weft::router {

template <int Cap>
void RegionImpl<Cap>::step(Cycle now) {
  if (colours_ != nullptr) colours_->step(now);
  if (stalls_ != nullptr) find_touched(now);
  receive_credits(now);
  receive_flits(now);
  if (!wake_ups_.empty()) wake_up(now);
  if (stalls_ != nullptr) note_asking();
  visit_routers(now);
  if (stalls_ != nullptr) report_stalls(now);
}

template <int Cap>
void RegionImpl<Cap>::receive_flits(Cycle now) {
  const auto& arrivals = arriving_flits_.at(now);
  const std::size_t count = arrivals.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (large_ && i + kFetchAhead < count) {
      const std::uint32_t ahead = arrivals[i + kFetchAhead].to;
      fetch_line(&state_[ahead >> kVcBits]);
      fetch_line(&state_[ahead >> kVcBits].in[ahead & ((1U << kVcBits) - 1)]);
      fetch_line(&slot(ahead >> kVcBits, static_cast<int>(ahead & ((1U << kVcBits) - 1)), 0));
      const Flit flit = arrivals[i + kFetchAhead].flit;
      if (very_large_ && flit.head()) fetch_line(&(*pool_)[flit.packet()]);
    }
    const FlitArrival& arrival = arrivals[i];
    arrive(arrival.to >> kVcBits, static_cast<int>(arrival.to & ((1U << kVcBits) - 1)), arrival.flit, now);
  }
  arriving_flits_.clear(now);
}

template <int Cap>
void RegionImpl<Cap>::receive_credits(Cycle now) {
  const auto& arrivals = arriving_credits_.at(now);
  const std::size_t count = arrivals.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (large_ && i + kFetchAhead < count) {
      const std::uint32_t ahead = arrivals[i + kFetchAhead].to;
      fetch_line(&state_[ahead >> kVcBits].out[ahead & ((1U << kVcBits) - 1)]);
    }
    const std::uint32_t router = arrivals[i].to >> kVcBits;
    const int vc = static_cast<int>(arrivals[i].to & ((1U << kVcBits) - 1));
    State& state = state_[router];
    OutputVc& out = state.out[vc];
    out.credits.give_back(depth_, &RegionImpl::output_name, this, router, vc);
    if (out.owner < kVcs) {
      const InputVc& in = state.in[out.owner];
      if (in.output == kForked) {
        queue(router);
      } else if (out.credits.left() == 1 && in.flits > 0 && !in.delayed) {
        if (statistics_on_) meter(router, vc / Cap).unblock(now);
        state.sa_ready |= Mask{1} << out.owner;
        queue(router);
      }
    } else if (out.owner == kDrainingVc && out.credits.left() == depth_) {
      out.owner = kNoVc;
      state.free_vcs[vc / Cap] |= 1U << (vc % Cap);
      state.vc_freed = true;
      if (state.va_wait != 0) queue(router);
    }
    if (probe_ != nullptr) report_credit(router, vc, now);
  }
  arriving_credits_.clear(now);
}

template <int Cap>
void RegionImpl<Cap>::wake_up(Cycle now) {
  for (const WakeUp& wake : wake_ups_.at(now)) {
    State& state = state_[wake.router];
    queue(wake.router);
    if (wake.what == Wake::kSlot) {
      state.slot_waits = static_cast<std::uint8_t>(state.slot_waits & ~(1U << wake.vc));
    } else if (wake.what == Wake::kRouted) {
      state.va_wait |= Mask{1} << wake.vc;
    } else {
      state.in[wake.vc].delayed = false;
      make_ready(wake.router, wake.vc, now);
    }
  }
  wake_ups_.clear(now);
}

// Everything that a visit may touch; large fabrics spend their time waiting for memory.
template <int Cap>
void RegionImpl<Cap>::fetch(std::uint32_t router) const {
  fetch_lines(&state_[router], sizeof(State));
  fetch_lines(&statistics_[std::size_t{router} * kMeshPorts], kMeshPorts * sizeof(PortStatistics));
  if (very_large_) fetch_lines(&waits_[std::size_t{router} * kMeshPorts], kMeshPorts * sizeof(WaitCycles));
}

// The flits that may leave, in a router whose state is there.
template <int Cap>
void RegionImpl<Cap>::fetch_flits(std::uint32_t router) {
  const State& state = state_[router];
  for (Mask ready = state.sa_ready; ready != 0; ready &= ready - 1) {
    const int vc = lowest_bit(ready);
    fetch_line(&slot(router, vc, state.in[vc].first));
  }
}

template <int Cap>
void RegionImpl<Cap>::visit_routers(Cycle now) {
  if (!sleep_) {
    for (std::uint32_t router = 0; router < state_.size(); ++router) queue(router);
  }
  std::swap(visiting_, to_visit_);
  if (shuffle_ != 0) shuffle_visits(now);
  const std::size_t count = visiting_.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (large_ && i + kFetchAhead < count) fetch(visiting_[i + kFetchAhead]);
    if (very_large_ && i + kFetchThird < count) fetch_flits(visiting_[i + kFetchThird]);
    state_[visiting_[i]].queued = false;
    visit(visiting_[i], now);
  }
  visiting_.clear();
}

template <int Cap>
void RegionImpl<Cap>::visit(std::uint32_t router, Cycle now) {
  State& state = state_[router];
  // Who may ask for the switch is fixed before VC allocation: a VC granted now asks in the next cycle.
  const Mask asking = state.sa_ready;
  sent_ = 0;
  unsigned claimed = colours_ != nullptr ? colours_->claimed(router) : 0;
  if (copies(router)) claimed = serve_forks(router, claimed, now);
  const Mask ready = claimed == 0 ? state.sa_ready : without_claimed(state, state.sa_ready, claimed);
  Mask asked = 0;
  Mask winners = 0;
  if (state.va_wait != 0) asked = allocate_vcs(router, &winners, now);
  if (speculative_ && asked != 0) {
    allocate_switch_speculatively(router, ready, asked, winners, claimed, now);
  } else if (ready != 0) {
    allocate_switch(router, ready, now);
  }
  const Mask waiting = (state.sa_ready & asking & ~sent_) | state.va_wait;
  if ((waiting != 0 || state.lost != 0 || lost_copies(router) != 0) && statistics_on_) count_lost(router, waiting, now);
  const bool lost_vc = (asked & ~winners) != 0;
  if (lost_vc || (state.vc_freed && state.va_wait != 0) ||
      (state.sa_ready != 0 && (unit_rate_ || with_open_links(router, state.sa_ready, now + 1) != 0))) {
    queue(router);
  }
}

// Notes the outputs that something in a VC waits for at the end of a visit, other than for credits. `waiting`: VCs that
// have not got an output VC, or could ask for the switch and have not got it. Those that have got it are looked at
// again in the next cycle.
template <int Cap>
void RegionImpl<Cap>::count_lost(std::uint32_t router, Mask waiting, Cycle now) {
  State& state = state_[router];
  if (!unit_rate_) waiting = state.va_wait | on_open_links(router, waiting & state.sa_ready, now);
  std::uint32_t lost = lost_copies(router);
  for_each_bit(waiting, [&](int vc) { lost |= 1U << state.in[vc].port; });
  const std::uint32_t changed = lost ^ state.lost;
  if (changed == 0) return;
  state.lost = static_cast<std::uint8_t>(lost);
  for_each_bit(changed, [&](int port) {
    meter(router, port).set_waits(now, kVcsLost, static_cast<std::uint8_t>((lost >> port & 1) * kVcsLost));
  });
}

// Set-up routes and copies go first on a link that they share with others.
template <int Cap>
typename RegionImpl<Cap>::Mask RegionImpl<Cap>::without_claimed(const State& state, Mask ready,
                                                                unsigned claimed) const {
  Mask open = 0;
  for_each_bit(ready, [&](int vc) {
    if ((claimed >> state.in[vc].port & 1) == 0) open |= Mask{1} << vc;
  });
  return open;
}

// ---- arrival and routing

template <int Cap>
void RegionImpl<Cap>::arrive(std::uint32_t router, int vc, Flit flit, Cycle now) {
  InputVc& in = state_[router].in[vc];
  slot(router, vc, in.push(depth_, 0, &RegionImpl::describe, this, router, vc)) = flit;
  if (in.output == kForked) queue(router);
  if (in.flits != 1) return;
  if (in.output == kForked) return;
  if (in.output == kNoVc) {
    WEFT_CHECK(flit.head(), "a body flit arrived without its head: " + describe(router, vc));
    start_packet(router, vc, now, 0);
  } else {
    WEFT_CHECK(!flit.head(), "a head flit arrived inside another packet: " + describe(router, vc));
    if (!in.delayed) make_ready(router, vc, now);
  }
}

template <int Cap>
void RegionImpl<Cap>::make_ready(std::uint32_t router, int vc, Cycle now) {
  State& state = state_[router];
  const InputVc& in = state.in[vc];
  if (state.out[in.output].credits.left() > 0) {
    state.sa_ready |= Mask{1} << vc;
    queue(router);
  } else {
    if (statistics_on_) meter(router, in.port).block(now);
  }
}

// The head at the front of `vc` asks for an output VC `wait` cycles from now at the earliest.
template <int Cap>
void RegionImpl<Cap>::start_packet(std::uint32_t router, int vc, Cycle now, Cycle wait) {
  route(router, vc);
  if (!trees_.empty() && start_fork(router, vc, now + wait)) return;
  State& state = state_[router];
  Cycle delay = routing_delay_;
  if (turn_cycles_ != 0 && is_turn(PortId(static_cast<std::uint8_t>(vc / Cap)), PortId(state.in[vc].port))) {
    delay += turn_cycles_;
  }
  if (delay == 0) {
    state.va_wait |= Mask{1} << vc;
    queue(router);
  } else {
    wake_ups_.push(now + delay + wait, {router, static_cast<std::uint8_t>(vc), Wake::kRouted});
  }
}

template <int Cap>
void RegionImpl<Cap>::route(std::uint32_t router, int vc) {
  State& state = state_[router];
  InputVc& in = state.in[vc];
  Packet& packet = (*pool_)[front(router, vc).packet()];
  const Coordinates here{state.x, state.y};
  const PortId from{static_cast<std::uint8_t>(vc / Cap)};
  if (from == kLocal) {
    const Coordinates to = grid_.coordinates(packet.dst);
    packet.dst_x = static_cast<std::uint16_t>(to.x);
    packet.dst_y = static_cast<std::uint16_t>(to.y);
    const std::uint64_t random = random_bits(seed_, index(packet.src) | std::uint64_t{1} << 40, packet.sequence);
    choices_.add(routing_->start(packet, here, random));
  }
  ++packet.hops;
  RouteChoice choice{kLocal, kAnyVcClass};
  if (packet.follows_route) {
    // There is one output only. Trees along x first go like the packets of VC set 0; others are in a message class of
    // their own.
    choice = {PortId{static_cast<std::uint8_t>(lowest_bit(std::uint32_t{tree_outputs(router, packet)}))}, 0};
  } else if (here.x != packet.dst_x || here.y != packet.dst_y) {
    OutputSpace space{};
    if (adaptive_) space = output_space(state);
    choice = routing_->route(here, from, packet, space);
  }
  in.port = index(choice.port);
  const int vc_class = choice.vc_class == kAnyVcClass ? vc_classes_ : choice.vc_class;
  in.vc_class = static_cast<std::uint8_t>(packet.message_class * (vc_classes_ + 1) + vc_class);
}

// ---- departure

template <int Cap>
void RegionImpl<Cap>::send(std::uint32_t router, int input, Cycle now) {
  State& state = state_[router];
  InputVc& in = state.in[input];
  const int output = in.output;
  OutputVc& out = state.out[output];
  const Flit flit = slot(router, input, in.pop(depth_, &RegionImpl::describe, this, router, input));
  out.credits.take(&RegionImpl::output_name, this, router, output);
  ++moved_;
  sent_ |= Mask{1} << input;
  if (statistics_on_) meter(router, in.port).count_send(now);
  put_on_link(router, output, flit, now);
  return_upstream(router, input, now);
  if (flit.tail()) {
    end_packet(router, input, output, now);
  } else if (in.flits == 0) {
    state.sa_ready &= ~(Mask{1} << input);
  } else if (out.credits.left() == 0) {
    state.sa_ready &= ~(Mask{1} << input);
    if (statistics_on_) meter(router, in.port).block(now + 1);
  }
}

template <int Cap>
void RegionImpl<Cap>::put_on_link(std::uint32_t router, int output, Flit flit, Cycle now) {
  const auto port = static_cast<int>(static_cast<unsigned>(output) / Cap);
  const auto vc = static_cast<int>(static_cast<unsigned>(output) % Cap);
  if (!unit_rate_) link_rates_[router * kMeshPorts + port].send(rate(port), now);
  if (probe_ != nullptr) report_flit(router, output, flit, now);
  if (port == index(kLocal)) {
    --inside_;
    local_->eject(router, VcId(static_cast<std::uint8_t>(vc)), flit, now + flit_delay_[kind(port)]);
    return;
  }
  const std::uint32_t next = state_[router].neighbour[port];
  if (next < kBorder) {
    arriving_flits_.push(now + flit_delay_[kind(port)],
                         {next << kVcBits | static_cast<VcAddress>((port ^ 1) * Cap + vc), flit});
  } else {
    send_over_border(router, output, flit, now);
  }
}

template <int Cap>
void RegionImpl<Cap>::return_upstream(std::uint32_t router, int input, Cycle now) {
  const auto port = static_cast<int>(static_cast<unsigned>(input) / Cap);
  const auto vc = static_cast<int>(static_cast<unsigned>(input) % Cap);
  if (port == index(kLocal)) {
    local_->credit(router, VcId(static_cast<std::uint8_t>(vc)), now + credit_travel_[kind(port)]);
    return;
  }
  const std::uint32_t previous = state_[router].neighbour[port];
  if (previous < kBorder) {
    arriving_credits_.push(now + credit_travel_[kind(port)] + credit_delay_,
                           {previous << kVcBits | static_cast<VcAddress>((port ^ 1) * Cap + vc)});
  } else {
    border_->send_credit(router * kMeshPorts + static_cast<std::uint32_t>(port), VcId(static_cast<std::uint8_t>(vc)),
                         now + credit_travel_[kind(port)]);
  }
}

template <int Cap>
void RegionImpl<Cap>::end_packet(std::uint32_t router, int input, int output, Cycle now) {
  State& state = state_[router];
  InputVc& in = state.in[input];
  state.sa_ready &= ~(Mask{1} << input);
  in.output = kNoVc;
  if (tail_credit_) {
    state.out[output].owner = kDrainingVc;
  } else {
    state.out[output].owner = kNoVc;
    state.free_vcs[output / Cap] |= 1U << (output % Cap);
    state.vc_freed = true;
  }
  if (in.flits > 0) {
    WEFT_CHECK(front(router, input).head(), "a packet went on after its tail: " + describe(router, input));
    start_packet(router, input, now, 1);
  }
}

// ---- bookkeeping

template <int Cap>
void RegionImpl<Cap>::queue(std::uint32_t router) {
  State& state = state_[router];
  if (state.queued) return;
  state.queued = true;
  to_visit_.push_back(router);
}

}  // namespace weft::router
