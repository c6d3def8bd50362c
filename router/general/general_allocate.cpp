// SPDX-License-Identifier: Apache-2.0
// Who wins in general routers: output VCs, then the switch.
#include "base/rational_math.h"
#include "router/alloc/round_robin.h"
#include "router/general/general_routers.h"

namespace weft::router {

// Returns the input VCs that asked, and those that won.
GeneralRouters::Mask GeneralRouters::allocate_vcs(std::uint32_t router, Cycle now, Mask* winners) {
  Router& state = routers_[router];
  state.vc_freed = false;
  Matching<Mask> matching;
  for_each_bit(state.va_wait, [&](int vc) {
    const InputVc& input = in(router, static_cast<std::uint32_t>(vc));
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
  InputVc& buffer = in(router, input);
  routers_[router].va_wait &= ~(Mask{1} << input);
  free_vcs_[port_index(router, buffer.port)] &= ~(1U << output % vcs_);
  owner(router, output) = static_cast<int>(input);
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
    const std::uint32_t link = state.first_port + port;
    if (links_.is_free(link, at)) {
      open |= Mask{1} << vc;
    } else if (wake && (state.slot_waits >> port & 1) == 0) {
      state.slot_waits |= Mask{1} << port;
      wake_ups_.push(links_.next_free(link, at), {router, port, Wake::kSlot});
    }
  });
  return open;
}

}  // namespace weft::router
