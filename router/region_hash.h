// SPDX-License-Identifier: Apache-2.0
// The hash of all state of a region that influences behaviour, relative to now.
#pragma once

#include "base/random.h"
#include "router/packet_hash.h"
#include "router/region_impl.h"

namespace weft::router {

template <int Cap>
std::uint64_t RegionImpl<Cap>::state_hash(Cycle now) const {
  const auto flit_hash = [&](Flit flit) { return detail::flit_hash(*pool_, flit); };
  std::uint64_t sum = 0;
  for (std::uint32_t router = 0; router < state_.size(); ++router) {
    const State& state = state_[router];
    const NodeId node = grid_.node({state.x, state.y});
    std::uint64_t hash = mix64(index(node));
    const auto add = [&](std::uint64_t value) { hash = mix64(hash ^ value) + 0x9e3779b97f4a7c15ULL; };
    for (int vc = 0; vc < kVcs; ++vc) {
      const InputVc& in = state.in[vc];
      add(in.flits);
      add(in.output);
      if (in.flits > 0) add(std::uint64_t{in.port} << 8 | in.vc_class);
      for (unsigned i = 0; i < in.flits; ++i) {
        add(flit_hash(flits_[(std::size_t{router} * kVcs + vc) * depth_ + in.slot(i, depth_)]));
      }
      add(std::uint64_t{state.out[vc].credits.left()} << 8 | state.out[vc].owner);
      add(std::uint64_t{state.va_input[vc]} << 8 | state.va_output[vc]);
    }
    for (int port = 0; port < kMeshPorts; ++port) {
      add(std::uint64_t{state.pointers.vc[port]} << 16 | state.pointers.input[port] << 8 | state.pointers.output[port]);
      if (!unit_rate_) add(link_rates_[router * kMeshPorts + port].state(rate(port), now));
    }
    if (copies(router)) {
      add(forks_[router].next);
      for (const Fork& fork : forks_[router].list) {
        add(std::uint64_t{fork.input} << 32 | fork.released);
        for (const Fork::Branch& branch : fork.branches) {
          add(std::uint64_t{branch.sent} << 8 | branch.vc);
          add(branch.from > now ? branch.from - now : 0);
        }
      }
    }
    add(static_cast<std::uint64_t>(state.va_wait));
    add(static_cast<std::uint64_t>(state.sa_ready));
    sum += hash;
  }
  // Events of one cycle have no order.
  const auto global = [&](std::uint32_t router) { return index(grid_.node({state_[router].x, state_[router].y})); };
  arriving_flits_.for_each(now, [&](Cycle ahead, const FlitArrival& arrival) {
    const std::uint64_t where = global(arrival.to >> kVcBits) << 8 | (arrival.to & 127);
    sum += mix64(ahead * 0x100000001b3ULL ^ mix64(where) ^ flit_hash(arrival.flit));
  });
  arriving_credits_.for_each(now, [&](Cycle ahead, const CreditArrival& arrival) {
    sum += mix64(ahead * 0x1000193ULL ^ mix64((global(arrival.to >> kVcBits) << 8 | (arrival.to & 127)) + 0xc0ffee));
  });
  wake_ups_.for_each(now, [&](Cycle ahead, const WakeUp& wake) {
    if (wake.what != Wake::kSlot) sum += mix64(ahead * 31 + mix64(global(wake.router) << 8 | wake.vc) + 0xdead);
  });
  if (colours_ != nullptr) sum += colours_->state_hash(now);
  return sum;
}

}  // namespace weft::router
