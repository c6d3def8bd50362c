// SPDX-License-Identifier: Apache-2.0
// The state of a region in a checkpoint.
#pragma once

#include <cstdint>

#include "base/checkpoint.h"
#include "router/region_impl.h"

namespace weft::router {

/// Writes a packet that is being copied into `checkpoint`, or takes it from there.
inline void keep(Checkpoint& checkpoint, Fork& fork) {
  checkpoint.values(fork.input, fork.packet, fork.flits, fork.released);
  std::size_t copies = fork.branches.size();
  checkpoint.values(copies);
  if (checkpoint.loads()) {
    fork.branches.clear();
    for (std::size_t i = 0; i < copies; ++i) fork.branches.push_back({});
  }
  for (Fork::Branch& branch : fork.branches)
    checkpoint.values(branch.port, branch.vc, branch.packet, branch.sent, branch.from, branch.blocked);
}

template <int Cap>
void RegionImpl<Cap>::keep(Checkpoint& checkpoint) {
  if (probe_ != nullptr || stalls_ != nullptr) Checkpoint::refuse("somebody watches the routers");
  checkpoint.section("routers");
  checkpoint.values(inside_, moved_, choices_);
  checkpoint.all(state_, [&](State& state) { keep(checkpoint, state); });
  arriving_flits_.keep(checkpoint, [&](FlitArrival& arrival) { checkpoint.values(arrival.to, arrival.flit); });
  arriving_credits_.keep(checkpoint, [&](CreditArrival& credit) { checkpoint.values(credit.to); });
  wake_ups_.keep(checkpoint, [&](WakeUp& wake) { checkpoint.values(wake.router, wake.vc, wake.what); });
  checkpoint.list(to_visit_);
  checkpoint.all(statistics_, [&](PortStatistics& port) { port.keep(checkpoint); });
  checkpoint.all(waits_, [&](WaitCycles& waits) { waits.keep(checkpoint); });
  checkpoint.all(link_rates_, [&](LinkRate& link) { link.keep(checkpoint); });
  checkpoint.hashed(border_packets_, [&](PacketIndex& packet) { checkpoint.values(packet); });
  checkpoint.all(forks_, [&](Forks& forks) {
    checkpoint.values(forks.next, forks.lost);
    checkpoint.each(forks.list, [&](Fork& fork) { router::keep(checkpoint, fork); });
  });
  if (colours_ != nullptr) colours_->keep(checkpoint);
}

template <int Cap>
void RegionImpl<Cap>::keep(Checkpoint& checkpoint, State& state) {
  checkpoint.values(state.va_wait, state.sa_ready, state.free_vcs, state.queued, state.vc_freed, state.slot_waits,
                    state.lost, state.pointers, state.speculative, state.va_input, state.va_output);
  const auto router = static_cast<std::uint32_t>(&state - state_.data());
  for (int vc = 0; vc < kVcs; ++vc) {
    InputVc& in = state.in[vc];
    checkpoint.values(in.first, in.flits, in.output, in.port, in.vc_class, in.delayed);
    state.out[vc].credits.keep(checkpoint);
    checkpoint.values(state.out[vc].owner);
    for (unsigned i = 0; i < in.flits; ++i) checkpoint.values(slot(router, vc, in.slot(i, depth_)));
  }
}

}  // namespace weft::router
