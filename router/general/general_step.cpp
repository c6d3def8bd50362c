// SPDX-License-Identifier: Apache-2.0
// One cycle of general routers: arrivals, routing, allocation, departure. Read from `step` downwards.
#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/rational_math.h"
#include "router/general/general_routers.h"
#include "router/general/stall_watch.h"

namespace weft::router {

void GeneralRouters::step(Cycle now) {
  if (stalls_ != nullptr) find_touched(now);
  receive_credits(now);
  receive_flits(now);
  wake_up(now);
  if (stalls_ != nullptr) note_asking();
  visit_routers(now);
  if (stalls_ != nullptr) report_stalls(now);
}

void GeneralRouters::receive_credits(Cycle now) {
  for (const CreditArrival& arrival : arriving_credits_.at(now)) {
    const std::uint32_t router = arrival.router;
    Router& state = routers_[router];
    OutputBuffer& output = out(router, arrival.vc);
    ++output.credits;
    WEFT_CHECK(output.credits <= depth_, "a router received more credits than the buffer behind the link has slots");
    if (output.owner >= 0) {
      const auto owner = static_cast<std::uint32_t>(output.owner);
      const InputBuffer& input = in(router, owner);
      if (output.credits == 1 && input.flits > 0 && !input.delayed) {
        if (parameters_.statistics) meter(router, port_of(arrival.vc)).unblock(now);
        state.sa_ready |= Mask{1} << owner;
        queue(router);
      }
    } else if (output.owner == kDraining && output.credits == depth_) {
      output.owner = kNone;
      free_vcs_[port_index(router, port_of(arrival.vc))] |= 1U << arrival.vc % vcs_;
      state.vc_freed = true;
      if (state.va_wait != 0) queue(router);
    }
    if (probe_ != nullptr) {
      probe_->credit_returned(now, parameters_.graph.link_of(router, port_of(arrival.vc)),
                              VcId(static_cast<std::uint8_t>(arrival.vc % vcs_)), static_cast<int>(output.credits));
    }
  }
  arriving_credits_.clear(now);
}

void GeneralRouters::receive_flits(Cycle now) {
  for (const FlitArrival& arrival : arriving_flits_.at(now)) arrive(arrival, now);
  arriving_flits_.clear(now);
}

void GeneralRouters::wake_up(Cycle now) {
  for (const WakeUp& wake : wake_ups_.at(now)) {
    Router& state = routers_[wake.router];
    queue(wake.router);
    if (wake.what == Wake::kSlot) {
      state.slot_waits &= ~(Mask{1} << wake.vc);
    } else if (wake.what == Wake::kRouted) {
      state.va_wait |= Mask{1} << wake.vc;
    } else {
      in(wake.router, wake.vc).delayed = false;
      make_ready(wake.router, wake.vc, now);
    }
  }
  wake_ups_.clear(now);
}

void GeneralRouters::visit_routers(Cycle now) {
  if (!parameters_.sleep) {
    for (std::uint32_t router = 0; router < routers_.size(); ++router) queue(router);
  }
  std::swap(visiting_, to_visit_);
  if (parameters_.shuffle != 0) {
    for (std::size_t i = visiting_.size(); i > 1; --i) {
      std::swap(visiting_[i - 1], visiting_[random_bits(parameters_.shuffle, now, i) % i]);
    }
  }
  for (const std::uint32_t router : visiting_) {
    routers_[router].queued = false;
    visit(router, now);
  }
  visiting_.clear();
}

void GeneralRouters::visit(std::uint32_t router, Cycle now) {
  Router& state = routers_[router];
  // Who may ask for the switch is fixed before VC allocation: a VC granted now asks in the next cycle.
  const Mask asking = state.sa_ready;
  sent_ = 0;
  Mask asked = 0;
  Mask winners = 0;
  if (state.va_wait != 0) asked = allocate_vcs(router, now, &winners);
  if (asking != 0) allocate_switch(router, asking, now);
  const Mask waiting = (state.sa_ready & asking & ~sent_) | state.va_wait;
  if ((waiting != 0 || state.lost != 0) && parameters_.statistics) count_lost(router, waiting, now);
  const bool lost_vc = (asked & ~winners) != 0;
  if (lost_vc || (state.vc_freed && state.va_wait != 0) ||
      (state.sa_ready != 0 && with_open_links(router, state.sa_ready, now + 1, true) != 0)) {
    queue(router);
  }
}

// Notes the outputs that something in a VC waits for at the end of a visit, other than for credits. `waiting`: VCs that
// have not got an output VC, or could ask for the switch and have not got it.
void GeneralRouters::count_lost(std::uint32_t router, Mask waiting, Cycle now) {
  Router& state = routers_[router];
  const Mask open = state.va_wait | with_open_links(router, waiting & state.sa_ready, now, false);
  Mask lost = 0;
  for_each_bit(open, [&](int vc) { lost |= Mask{1} << in(router, static_cast<std::uint32_t>(vc)).port; });
  const Mask changed = lost ^ state.lost;
  state.lost = lost;
  for_each_bit(changed, [&](int port) {
    const bool is_lost = (lost >> port & 1) != 0;
    meter(router, static_cast<std::uint32_t>(port))
        .set_waits(now, kVcsLost, static_cast<std::uint8_t>(is_lost ? kVcsLost : 0));
  });
}

// ---- arrival and routing

void GeneralRouters::arrive(const FlitArrival& arrival, Cycle now) {
  const std::uint32_t router = arrival.router;
  InputBuffer& input = in(router, arrival.vc);
  WEFT_CHECK(input.flits < depth_, "a flit arrived at a full buffer: " + describe(router, arrival.vc));
  slot(router, arrival.vc, (input.first + input.flits) % depth_) = arrival.flit;
  if (input.flits++ != 0) return;
  if (input.output == kNone) {
    WEFT_CHECK(arrival.flit.head(), "a body flit arrived without its head: " + describe(router, arrival.vc));
    start_packet(router, arrival.vc, now, 0);
  } else {
    WEFT_CHECK(!arrival.flit.head(), "a head flit arrived inside another packet: " + describe(router, arrival.vc));
    if (!input.delayed) make_ready(router, arrival.vc, now);
  }
}

// The head at the front of `vc` asks for an output VC `wait` cycles from now at the earliest.
void GeneralRouters::start_packet(std::uint32_t router, std::uint32_t vc, Cycle now, Cycle wait) {
  route(router, vc);
  const Cycle delay = parameters_.router.routing_delay;
  if (delay == 0) {
    routers_[router].va_wait |= Mask{1} << vc;
    queue(router);
  } else {
    wake_ups_.push(now + delay + wait, {router, vc, Wake::kRouted});
  }
}

void GeneralRouters::route(std::uint32_t router, std::uint32_t vc) {
  InputBuffer& input = in(router, vc);
  Packet& packet = (*pool_)[front(router, vc).packet()];
  const network::GraphRouting& routing = parameters_.routing;
  if (port_spec(router, port_of(vc)).to_npu) {
    routing.start(packet, random_bits(parameters_.seed, index(packet.src) | std::uint64_t{1} << 40, packet.sequence));
  }
  ++packet.hops;
  const network::Attachment end = parameters_.graph.npus()[index(packet.dst)];
  std::uint32_t vc_class = vc_classes_;  // at its destination it may use every VC of its message class
  input.port = end.port;
  if (end.router != router) {
    const network::Hop hop = routing.next(router, port_of(vc), packet);
    input.port = hop.port;
    vc_class = hop.vc_class;
  }
  input.vc_class = packet.message_class * (vc_classes_ + 1) + vc_class;
}

void GeneralRouters::make_ready(std::uint32_t router, std::uint32_t vc, Cycle now) {
  const InputBuffer& input = in(router, vc);
  if (out(router, static_cast<std::uint32_t>(input.output)).credits > 0) {
    routers_[router].sa_ready |= Mask{1} << vc;
    queue(router);
  } else if (parameters_.statistics) {
    meter(router, input.port).block(now);
  }
}

// ---- allocation

// Returns the input VCs that asked, and those that won.
GeneralRouters::Mask GeneralRouters::allocate_vcs(std::uint32_t router, Cycle now, Mask* winners) {
  Router& state = routers_[router];
  state.vc_freed = false;
  Matching<Mask> matching;
  for_each_bit(state.va_wait, [&](int vc) {
    const InputBuffer& input = in(router, static_cast<std::uint32_t>(vc));
    const std::uint32_t candidates = free_vcs_[port_index(router, input.port)] & vc_masks_[input.vc_class];
    if (candidates == 0) return;
    matching.inputs |= Mask{1} << vc;
    matching.requests[static_cast<std::size_t>(vc)] = Mask{candidates} << input.port * vcs_;
  });
  if (matching.inputs == 0) return 0;
  allocator_->allocate(matching, {&va_input_[state.first_vc], &va_output_[state.first_vc]});
  for_each_bit(matching.granted, [&](int input) {
    take_vc(router, static_cast<std::uint32_t>(input), matching.output[static_cast<std::size_t>(input)], now);
  });
  *winners = matching.granted;
  return matching.inputs;
}

void GeneralRouters::take_vc(std::uint32_t router, std::uint32_t input, std::uint32_t output, Cycle now) {
  InputBuffer& buffer = in(router, input);
  routers_[router].va_wait &= ~(Mask{1} << input);
  free_vcs_[port_index(router, buffer.port)] &= ~(1U << output % vcs_);
  out(router, output).owner = static_cast<int>(input);
  buffer.output = static_cast<int>(output);
  const Cycle delay = parameters_.router.vc_alloc_delay;
  if (delay == 1) {
    make_ready(router, input, now);
  } else {
    buffer.delayed = true;
    wake_ups_.push(now + delay, {router, input, Wake::kAllocated});
  }
}

// Ports wider than one flit per cycle: allocate again among what is left until a round moves nothing.
void GeneralRouters::allocate_switch(std::uint32_t router, Mask ready, Cycle now) {
  const Router& state = routers_[router];
  if (unit_rate_) {
    for (const std::uint32_t vc : match_switch(router, ready)) send(router, vc, now);
    return;
  }
  std::vector<std::uint64_t> left;
  for (std::uint32_t port = 0; port < state.ports; ++port) left.push_back(round_up(rate(router, port)));
  for (;;) {
    const std::vector<std::uint32_t>& granted = match_switch(router, with_open_links(router, ready, now, true));
    if (granted.empty()) return;
    for (const std::uint32_t vc : granted) {
      send(router, vc, now);
      if (--left[port_of(vc)] == 0) ready &= ~(((Mask{1} << vcs_) - 1) << port_of(vc) * vcs_);
    }
    ready &= state.sa_ready;
  }
}

// Returns the input VCs that win the switch.
std::vector<std::uint32_t>& GeneralRouters::match_switch(std::uint32_t router, Mask ready) {
  const Router& state = routers_[router];
  granted_.clear();
  Matching<Mask> matching;
  for (std::uint32_t input = 0; input < state.ports; ++input) {
    Mask vcs = ready >> input * vcs_ & ((Mask{1} << vcs_) - 1);
    if (vcs == 0) continue;
    // Per output, the first VC at or after the input's pointer stands.
    Mask outputs = 0;
    int pointer = switch_vc_[state.first_port + input];
    while (vcs != 0) {
      const int vc = first_at_or_after(vcs, pointer);
      const std::uint32_t output = in(router, input * vcs_ + static_cast<std::uint32_t>(vc)).port;
      if ((outputs >> output & 1) == 0) picked_[input * state.ports + output] = static_cast<std::uint8_t>(vc);
      outputs |= Mask{1} << output;
      vcs &= ~(Mask{1} << vc);
      pointer = vc;
    }
    matching.inputs |= Mask{1} << input;
    matching.requests[input] = outputs;
  }
  if (matching.inputs == 0) return granted_;
  allocator_->allocate(matching, {&switch_input_[state.first_port], &switch_output_[state.first_port]});
  for_each_bit(matching.granted, [&](int granted) {
    const auto input = static_cast<std::uint32_t>(granted);
    const std::uint8_t vc = picked_[input * state.ports + matching.output[input]];
    switch_vc_[state.first_port + input] = static_cast<std::uint8_t>(vc + 1);
    granted_.push_back(input * vcs_ + vc);
  });
  return granted_;
}

// Returns the VCs of `ready` whose link can take a flit in cycle `at`. With `wake` it orders a wake-up for the others.
GeneralRouters::Mask GeneralRouters::with_open_links(std::uint32_t router, Mask ready, Cycle at, bool wake) {
  if (unit_rate_) return ready;
  Router& state = routers_[router];
  Mask open = 0;
  for_each_bit(ready, [&](int vc) {
    const std::uint32_t port = in(router, static_cast<std::uint32_t>(vc)).port;
    const LinkRate& link = link_rates_[state.first_port + port];
    if (link.can_send(rate(router, port), at)) {
      open |= Mask{1} << vc;
    } else if (wake && (state.slot_waits >> port & 1) == 0) {
      state.slot_waits |= Mask{1} << port;
      wake_ups_.push(link.next_slot(rate(router, port), at), {router, port, Wake::kSlot});
    }
  });
  return open;
}

// ---- departure

void GeneralRouters::send(std::uint32_t router, std::uint32_t vc, Cycle now) {
  Router& state = routers_[router];
  InputBuffer& input = in(router, vc);
  const auto output = static_cast<std::uint32_t>(input.output);
  const Flit flit = front(router, vc);
  input.first = (input.first + 1) % depth_;
  --input.flits;
  std::uint32_t& credits = out(router, output).credits;
  WEFT_CHECK(credits > 0, "a flit was sent without a credit: " + describe(router, vc));
  --credits;
  ++moved_;
  sent_ |= Mask{1} << vc;
  if (parameters_.statistics) meter(router, input.port).count_send(now);
  put_on_link(router, output, flit, now);
  return_upstream(router, vc, now);
  if (flit.tail()) {
    end_packet(router, vc, now);
  } else if (input.flits == 0) {
    state.sa_ready &= ~(Mask{1} << vc);
  } else if (credits == 0) {
    state.sa_ready &= ~(Mask{1} << vc);
    if (parameters_.statistics) meter(router, input.port).block(now + 1);
  }
}

void GeneralRouters::put_on_link(std::uint32_t router, std::uint32_t output, Flit flit, Cycle now) {
  const std::uint32_t port = port_of(output);
  const network::RouterPort& spec = port_spec(router, port);
  const VcId vc{static_cast<std::uint8_t>(output % vcs_)};
  if (!unit_rate_) link_rates_[port_index(router, port)].send(spec.link.flits_per_cycle, now);
  if (probe_ != nullptr) {
    const Packet& packet = (*pool_)[flit.packet()];
    probe_->flit_sent(now, parameters_.graph.link_of(router, port), vc, {packet.src, packet.sequence}, flit.head(),
                      flit.tail(), static_cast<int>(out(router, output).credits));
  }
  if (spec.to_npu) {
    --inside_;
    local_->eject(spec.peer, vc, flit, now + flit_delay(spec.link));
  } else {
    arriving_flits_.push(now + flit_delay(spec.link), {spec.peer, spec.peer_port * vcs_ + index(vc), flit});
  }
}

void GeneralRouters::return_upstream(std::uint32_t router, std::uint32_t input, Cycle now) {
  const network::RouterPort& spec = port_spec(router, port_of(input));
  const Cycle at = now + credit_travel(spec.link);
  if (spec.to_npu) {
    local_->credit(spec.peer, VcId(static_cast<std::uint8_t>(input % vcs_)), at);
  } else {
    arriving_credits_.push(at + parameters_.router.credit_delay, {spec.peer, spec.peer_port * vcs_ + input % vcs_});
  }
}

void GeneralRouters::end_packet(std::uint32_t router, std::uint32_t vc, Cycle now) {
  Router& state = routers_[router];
  InputBuffer& input = in(router, vc);
  const auto output = static_cast<std::uint32_t>(input.output);
  state.sa_ready &= ~(Mask{1} << vc);
  input.output = kNone;
  if (parameters_.router.vc_reuse == VcReuse::kTailCredit) {
    out(router, output).owner = kDraining;
  } else {
    out(router, output).owner = kNone;
    free_vcs_[port_index(router, port_of(output))] |= 1U << output % vcs_;
    state.vc_freed = true;
  }
  if (input.flits > 0) {
    WEFT_CHECK(front(router, vc).head(), "a packet went on after its tail: " + describe(router, vc));
    start_packet(router, vc, now, 1);
  }
}

void GeneralRouters::queue(std::uint32_t router) {
  if (routers_[router].queued) return;
  routers_[router].queued = true;
  to_visit_.push_back(router);
}

}  // namespace weft::router
