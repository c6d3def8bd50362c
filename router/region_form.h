// SPDX-License-Identifier: Apache-2.0
// The state of a region for comparing it with itself a period before.
#pragma once

#include <cstdint>

#include "base/state_form.h"
#include "router/border_form.h"
#include "router/region_impl.h"

namespace weft::router {

template <int Cap>
void RegionImpl<Cap>::put_state(StateForm& form) {
  if (probe_ != nullptr || stalls_ != nullptr) return form.refuse("somebody watches the routers");
  choices_.put_state(form);
  form.same(inside_);
  form.grows(moved_);
  if (colours_ != nullptr) colours_->put_state(form);
  for (std::uint32_t router = 0; router < state_.size() && !form.failed(); ++router) put_state(form, router);
  if (form.failed()) return;
  const auto port_of = [](const FlitArrival& arrival) { return arrival.to / Cap; };
  arriving_flits_.put_state(form, port_of, [&](const FlitArrival& arrival) {
    form.same(arrival.to);
    form.flit(*pool_, arrival.flit);
  });
  const auto to = [](const CreditArrival& credit) { return credit.to; };
  arriving_credits_.put_state(form, to, [&](const CreditArrival& credit) { form.same(credit.to); });
  const auto number_of = [](const WakeUp& wake) {
    return std::uint64_t{wake.router} << 16 | std::uint64_t{wake.vc} << 8 | static_cast<std::uint64_t>(wake.what);
  };
  wake_ups_.put_state(form, number_of, [&](const WakeUp& wake) { form.same(number_of(wake)); });
  form.unordered(to_visit_);
  if (statistics_on_) {
    for (PortStatistics& port : statistics_) port.put_state(form);
    for (WaitCycles& waits : waits_) waits.put_state(form);
  }
  for (LinkRate& link : link_rates_) link.put_state(form);
  put_packets(form, *pool_, border_packets_);
}

template <int Cap>
void RegionImpl<Cap>::put_state(StateForm& form, std::uint32_t router) {
  const State& state = state_[router];
  const auto put_mask = [&](Mask mask) {
    form.same(static_cast<std::uint64_t>(mask));
    if constexpr (sizeof(Mask) > sizeof(std::uint64_t)) form.same(static_cast<std::uint64_t>(mask >> 64));
  };
  const auto put_pointers = [&](const SwitchPointers& pointers) {
    for (int port = 0; port < kMeshPorts; ++port) {
      form.same(std::uint64_t{pointers.vc[port]} << 16 | std::uint64_t{pointers.input[port]} << 8 |
                pointers.output[port]);
    }
  };
  put_mask(state.va_wait);
  put_mask(state.sa_ready);
  for (const std::uint32_t free : state.free_vcs) form.same(free);
  form.same(std::uint64_t{state.queued} << 24 | std::uint64_t{state.vc_freed} << 16 |
            std::uint64_t{state.slot_waits} << 8 | state.lost);
  put_pointers(state.pointers);
  put_pointers(state.speculative);
  for (int vc = 0; vc < kVcs; ++vc) {
    if (vc % Cap >= vcs_) continue;
    const InputVc& in = state.in[vc];
    form.same(std::uint64_t{state.va_input[vc]} << 8 | state.va_output[vc]);
    form.same(std::uint64_t{in.flits} << 32 | std::uint64_t{in.output} << 24 | std::uint64_t{in.port} << 16 |
              std::uint64_t{in.vc_class} << 8 | std::uint64_t{in.delayed});
    form.same(std::uint64_t{state.out[vc].credits.left()} << 8 | state.out[vc].owner);
    for (unsigned i = 0; i < in.flits; ++i) form.flit(*pool_, slot(router, vc, in.slot(i, depth_)));
  }
  put_forks(form, router);
}

// A copy whose tail has been sent may have arrived, so that its descriptor is that of another packet by now.
template <int Cap>
void RegionImpl<Cap>::put_forks(StateForm& form, std::uint32_t router) {
  if (!copies(router)) return form.same(0);
  Forks& forks = forks_[router];
  form.same(forks.list.size() << 16 | std::uint64_t{forks.next} << 8 | forks.lost);
  for (Fork& fork : forks.list) {
    form.same(std::uint64_t{fork.released} << 32 | std::uint64_t{fork.flits} << 8 | fork.input);
    form.packet(*pool_, fork.packet);
    form.same(fork.branches.size());
    for (Fork::Branch& branch : fork.branches) {
      form.same(std::uint64_t{branch.sent} << 32 | std::uint64_t{branch.vc} << 16 | std::uint64_t{branch.port} << 8 |
                std::uint64_t{branch.blocked});
      form.time_ahead(branch.from);
      if (branch.sent < fork.flits) form.packet(*pool_, branch.packet);
    }
  }
}

}  // namespace weft::router
