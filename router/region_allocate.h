// SPDX-License-Identifier: Apache-2.0
// VC allocation and switch allocation of a router.
#pragma once

#include "router/region_impl.h"

namespace weft::router {

// ---- VC allocation

// Returns the input VCs that asked, and those that won.
template <int Cap>
typename RegionImpl<Cap>::Mask RegionImpl<Cap>::allocate_vcs(std::uint32_t router, Mask* winners, Cycle now) {
  State& state = state_[router];
  state.vc_freed = false;
  Matching<Mask> matching;
  for_each_bit(state.va_wait, [&](int vc) {
    const InputVc& in = state.in[vc];
    const std::uint32_t candidates = state.free_vcs[in.port] & vc_masks_[in.vc_class];
    if (candidates == 0) return;
    matching.inputs |= Mask{1} << vc;
    matching.requests[vc] = static_cast<Mask>(candidates) << (in.port * Cap);
  });
  if (matching.inputs == 0) return 0;
  if ((matching.inputs & (matching.inputs - 1)) == 0) {
    const int input = lowest_bit(matching.inputs);
    const int output = first_at_or_after(matching.requests[input], state.va_input[input]);
    state.va_input[input] = static_cast<std::uint8_t>(output + 1);
    state.va_output[output] = static_cast<std::uint8_t>(input + 1);
    take_vc(router, input, output, now);
    *winners = matching.inputs;
    return matching.inputs;
  }
  allocator_->allocate(matching, {state.va_input, state.va_output});
  for_each_bit(matching.granted, [&](int input) { take_vc(router, input, matching.output[input], now); });
  *winners = matching.granted;
  return matching.inputs;
}

template <int Cap>
void RegionImpl<Cap>::take_vc(std::uint32_t router, int input, int output, Cycle now) {
  State& state = state_[router];
  InputVc& in = state.in[input];
  state.va_wait &= ~(Mask{1} << input);
  state.free_vcs[in.port] &= ~(1U << (output % Cap));
  state.out[output].owner = static_cast<std::uint8_t>(input);
  in.output = static_cast<std::uint8_t>(output);
  if (vc_alloc_delay_ == 1) {
    make_ready(router, input, now);
  } else {
    in.delayed = true;
    wake_ups_.push(now + vc_alloc_delay_, {router, static_cast<std::uint8_t>(input), Wake::kAllocated});
  }
}

// ---- switch allocation

template <int Cap>
void RegionImpl<Cap>::allocate_switch(std::uint32_t router, Mask ready, Cycle now) {
  State& state = state_[router];
  if (unit_rate_) {
    const SwitchGrants grants = grant_switch(state, ready);
    for (int i = 0; i < grants.count; ++i) send(router, grants.input_vc[i], now);
    return;
  }
  allocate_switch_by_rounds(router, ready, now);
}

// Ports wider than one flit per cycle: allocates again among what is left until a round moves nothing.
template <int Cap>
void RegionImpl<Cap>::allocate_switch_by_rounds(std::uint32_t router, Mask ready, Cycle now) {
  State& state = state_[router];
  SwitchRequests requests;
  request_switch(state, ready, &requests);
  int left[kMeshPorts];
  for (int port = 0; port < kMeshPorts; ++port) left[port] = port_flits_[kind(port)];
  for (;;) {
    requests.ports = open_ports(router, requests.ports, now);
    Mask open = 0;
    for_each_bit(requests.ports, [&](int port) { open |= requests.towards[port]; });
    open &= ready;
    if (open == 0) return;
    const bool single = (open & (open - 1)) == 0;
    const SwitchGrants grants = single ? grant_switch(state, open) : match_switch(requests, open, state.pointers);
    for (int i = 0; i < grants.count; ++i) {
      const int vc = grants.input_vc[i];
      send(router, vc, now);
      if (--left[vc / Cap] == 0) ready &= ~(kPortMask << (vc / Cap * Cap));
    }
    // A VC that has sent a tail asks for the switch again in a later cycle at the earliest.
    ready &= state.sa_ready;
    for_each_bit(requests.ports, [&](int port) {
      if ((requests.towards[port] & ready) == 0) requests.ports &= ~(1U << port);
    });
  }
}

// Most often a single VC asks. It gets what it asks for, and the pointers move as every allocator moves them.
template <int Cap>
typename RegionImpl<Cap>::SwitchGrants RegionImpl<Cap>::grant_switch(State& state, Mask ready) const {
  if ((ready & (ready - 1)) != 0) return match_switch(state, ready, state.pointers);
  const int vc = lowest_bit(ready);
  const int in = vc / Cap;
  const int out = state.in[vc].port;
  state.pointers.vc[in] = static_cast<std::uint8_t>(vc % Cap + 1);
  state.pointers.input[in] = static_cast<std::uint8_t>(out + 1);
  state.pointers.output[out] = static_cast<std::uint8_t>(in + 1);
  SwitchGrants grants;
  grants.input_vc[grants.count++] = static_cast<std::uint8_t>(vc);
  return grants;
}

template <int Cap>
typename RegionImpl<Cap>::SwitchGrants RegionImpl<Cap>::match_switch(const State& state, Mask ready,
                                                                     SwitchPointers& pointers) const {
  SwitchRequests requests;
  request_switch(state, ready, &requests);
  return match_switch(requests, ready, pointers);
}

// Enters the VCs of `ready` by the output ports that they ask for.
template <int Cap>
void RegionImpl<Cap>::request_switch(const State& state, Mask ready, SwitchRequests* requests) const {
  for_each_bit(ready, [&](int vc) {
    const int port = state.in[vc].port;
    requests->towards[port] |= Mask{1} << vc;
    requests->ports |= 1U << port;
  });
}

// Matches inputs and outputs for the VCs of `ready`. Of an input's VCs for one output the first at or after the
// input's pointer stands.
template <int Cap>
typename RegionImpl<Cap>::SwitchGrants RegionImpl<Cap>::match_switch(const SwitchRequests& requests, Mask ready,
                                                                     SwitchPointers& pointers) const {
  SwitchGrants grants;
  Matching<Mask> matching;
  for_each_bit(requests.ports, [&](int port) {
    Mask vcs = requests.towards[port] & ready;
    while (vcs != 0) {
      const int in = lowest_bit(vcs) / Cap;
      if ((matching.inputs >> in & 1) == 0) matching.requests[in] = 0;
      matching.inputs |= Mask{1} << in;
      matching.requests[in] |= Mask{1} << port;
      vcs &= ~(kPortMask << (in * Cap));
    }
  });
  if (matching.inputs == 0) return grants;
  allocator_->allocate(matching, {pointers.input, pointers.output});
  for_each_bit(matching.granted, [&](int in) {
    const Mask vcs = (requests.towards[matching.output[in]] & ready) >> (in * Cap) & kPortMask;
    const int vc = first_at_or_after(vcs, pointers.vc[in]);
    pointers.vc[in] = static_cast<std::uint8_t>(vc + 1);
    grants.input_vc[grants.count++] = static_cast<std::uint8_t>(in * Cap + vc);
  });
  return grants;
}

// Heads ask for the switch in the cycle in which they ask for a VC. Certain requests go first; a speculative grant
// counts only where they left input and output free, the VC was won and has a credit.
template <int Cap>
void RegionImpl<Cap>::allocate_switch_speculatively(std::uint32_t router, Mask ready, Mask asked, Mask winners,
                                                    unsigned claimed, Cycle now) {
  State& state = state_[router];
  const SwitchGrants hopeful = match_switch(state, asked, state.speculative);
  Mask taken_inputs = 0;
  unsigned taken_outputs = claimed;
  if (ready != 0) {
    const SwitchGrants certain = match_switch(state, with_open_links(router, ready, now), state.pointers);
    for (int i = 0; i < certain.count; ++i) {
      taken_inputs |= kPortMask << (certain.input_vc[i] / Cap * Cap);
      taken_outputs |= 1U << state.in[certain.input_vc[i]].port;
      send(router, certain.input_vc[i], now);
    }
  }
  for (int i = 0; i < hopeful.count; ++i) {
    const int vc = hopeful.input_vc[i];
    const Mask bit = Mask{1} << vc;
    const int port = state.in[vc].port;
    if ((bit & winners & state.sa_ready & ~taken_inputs) == 0 || (taken_outputs >> port & 1) != 0) continue;
    if (with_open_links(router, bit, now) != 0) send(router, vc, now);
  }
}

// Returns those of the output ports `asked` whose link can take a flit in cycle `at`, and orders a wake-up for the
// others.
template <int Cap>
unsigned RegionImpl<Cap>::open_ports(std::uint32_t router, unsigned asked, Cycle at) {
  State& state = state_[router];
  asked &= ~unsigned{state.slot_waits};  // what waits for its slot is closed until the wake-up
  for_each_bit(asked, [&](int port) {
    const LinkRate& link = link_rates_[router * kMeshPorts + static_cast<unsigned>(port)];
    if (link.can_send(rate(port), at)) return;
    asked &= ~(1U << port);
    state.slot_waits = static_cast<std::uint8_t>(state.slot_waits | 1U << port);
    wake_ups_.push(link.next_slot(rate(port), at), {router, static_cast<std::uint8_t>(port), Wake::kSlot});
  });
  return asked;
}

// Returns the VCs of `ready` whose link can take a flit in cycle `at`, and orders a wake-up for the others.
template <int Cap>
typename RegionImpl<Cap>::Mask RegionImpl<Cap>::with_open_links(std::uint32_t router, Mask ready, Cycle at) {
  if (unit_rate_) return ready;
  const State& state = state_[router];
  unsigned asked = 0;
  for_each_bit(ready, [&](int vc) { asked |= 1U << state.in[vc].port; });
  const unsigned ports = open_ports(router, asked, at);
  Mask open = 0;
  for_each_bit(ready, [&](int vc) {
    if ((ports >> state.in[vc].port & 1) != 0) open |= Mask{1} << vc;
  });
  return open;
}

// Returns the VCs of `ready` whose link can take a flit in cycle `at`.
template <int Cap>
typename RegionImpl<Cap>::Mask RegionImpl<Cap>::on_open_links(std::uint32_t router, Mask ready, Cycle at) const {
  Mask open = 0;
  for_each_bit(ready, [&](int vc) {
    const int port = state_[router].in[vc].port;
    if (link_rates_[router * kMeshPorts + port].can_send(rate(port), at)) open |= Mask{1} << vc;
  });
  return open;
}

}  // namespace weft::router
