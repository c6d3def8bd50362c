// SPDX-License-Identifier: Apache-2.0
// One cycle of general routers: arrivals, routing, allocation, departure. Read from `step` downwards.
#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "router/general/general_routers.h"
#include "router/general/stall_watch.h"

namespace weft::router {

void GeneralRouters::step(Cycle now) {
  if (stalls_ != nullptr) find_touched(now);
  receive(now);
  wake_up(now);
  if (stalls_ != nullptr) note_asking();
  visit_routers(now);
  if (stalls_ != nullptr) report_stalls(now);
}

void GeneralRouters::receive(Cycle now) {
  const auto receive_credit = [this, now](std::uint32_t router, std::uint32_t number) {
    Router& state = routers_[router];
    const std::uint32_t vc = number - state.first_vc;
    const std::uint32_t left = links_.credits(number);
    int& holder = owners_[number];
    if (holder >= 0) {
      const auto input = static_cast<std::uint32_t>(holder);
      if (left == 1 && flits_in(router, input) > 0 && !in(router, input).delayed) {
        if (parameters_.statistics) meter(router, port_of(vc)).unblock(now);
        state.sa_ready |= Mask{1} << input;
        queue(router);
      }
    } else if (holder == kDraining && left == depth_) {
      holder = kNone;
      free_vcs_[port_index(router, port_of(vc))] |= 1U << vc % vcs_;
      state.vc_freed = true;
      if (state.va_wait != 0) queue(router);
    }
    if (probe_ != nullptr) {
      probe_->credit_returned(now, parameters_.graph.link_of(router, port_of(vc)), vc_on_link(vc),
                              static_cast<int>(left));
    }
  };
  links_.deliver(now, receive_credit, [this, now](std::uint32_t router, std::uint32_t number) {
    if (links_.waiting(number) == 1) come_to_front(router, number - routers_[router].first_vc, now);
  });
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

// A flit has come into the empty buffer of `vc`.
void GeneralRouters::come_to_front(std::uint32_t router, std::uint32_t vc, Cycle now) {
  const InputVc& input = in(router, vc);
  const bool head = front(router, vc).head();
  if (input.output == kNone) {
    WEFT_CHECK(head, "a body flit arrived without its head: " + describe(router, vc));
    start_packet(router, vc, now, 0);
  } else {
    WEFT_CHECK(!head, "a head flit arrived inside another packet: " + describe(router, vc));
    if (!input.delayed) make_ready(router, vc, now);
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
  InputVc& input = in(router, vc);
  Packet& packet = (*pool_)[front(router, vc).packet()];
  const network::GraphRouting& routing = parameters_.routing;
  if (port_spec(router, port_of(vc)).to_npu) {
    const std::uint64_t random =
        random_bits(parameters_.seed, index(packet.src) | std::uint64_t{1} << 40, packet.sequence);
    choices_.add(routing.start(packet, random));
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
  const InputVc& input = in(router, vc);
  if (credits(router, static_cast<std::uint32_t>(input.output)) > 0) {
    routers_[router].sa_ready |= Mask{1} << vc;
    queue(router);
  } else if (parameters_.statistics) {
    meter(router, input.port).block(now);
  }
}

// ---- departure

void GeneralRouters::send(std::uint32_t router, std::uint32_t vc, Cycle now) {
  Router& state = routers_[router];
  const InputVc& input = in(router, vc);
  const auto output = static_cast<std::uint32_t>(input.output);
  const std::uint32_t from = state.first_vc + vc;
  const std::uint32_t to = state.first_vc + output;
  const Flit flit = links_.take(from);
  ++moved_;
  sent_ |= Mask{1} << vc;
  if (parameters_.statistics) meter(router, input.port).count_send(now);
  put_on_link(router, to, flit, now);
  return_upstream(from, now);
  if (flit.tail()) {
    end_packet(router, vc, now);
  } else if (links_.empty(from)) {
    state.sa_ready &= ~(Mask{1} << vc);
  } else if (links_.credits(to) == 0) {
    state.sa_ready &= ~(Mask{1} << vc);
    if (parameters_.statistics) meter(router, input.port).block(now + 1);
  }
}

// `output` is a number among all VCs.
void GeneralRouters::put_on_link(std::uint32_t router, std::uint32_t output, Flit flit, Cycle now) {
  const std::uint32_t npu = npus_[output];
  if (npu == kNoNpu) {
    links_.send(output, flit, now);
  } else {
    --inside_;
    local_->eject(npu, vc_on_link(output), flit, links_.send_out(output, now));
  }
  if (probe_ != nullptr) {
    const Packet& packet = (*pool_)[flit.packet()];
    const std::uint32_t port = port_of(output - routers_[router].first_vc);
    probe_->flit_sent(now, parameters_.graph.link_of(router, port), vc_on_link(output), {packet.src, packet.sequence},
                      flit.head(), flit.tail(), static_cast<int>(links_.credits(output)));
  }
}

// `input` is a number among all VCs.
void GeneralRouters::return_upstream(std::uint32_t input, Cycle now) {
  const std::uint32_t npu = npus_[input];
  if (npu == kNoNpu) {
    links_.give_back(input, now);
  } else {
    local_->credit(npu, vc_on_link(input), links_.give_back_out(input, now));
  }
}

void GeneralRouters::end_packet(std::uint32_t router, std::uint32_t vc, Cycle now) {
  Router& state = routers_[router];
  InputVc& input = in(router, vc);
  const auto output = static_cast<std::uint32_t>(input.output);
  state.sa_ready &= ~(Mask{1} << vc);
  input.output = kNone;
  if (parameters_.router.vc_reuse == VcReuse::kTailCredit) {
    owner(router, output) = kDraining;
  } else {
    owner(router, output) = kNone;
    free_vcs_[port_index(router, port_of(output))] |= 1U << output % vcs_;
    state.vc_freed = true;
  }
  if (flits_in(router, vc) > 0) {
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
