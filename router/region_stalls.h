// SPDX-License-Identifier: Apache-2.0
// Why links carry nothing, for waves. Only routers in which something happens are looked at, and only if a probe wants
// their links.
#pragma once

#include <algorithm>

#include "router/region_impl.h"

namespace weft::router {

template <int Cap>
void RegionImpl<Cap>::watch_stalls() {
  stalls_.reset();
  if (probe_ == nullptr) return;
  auto watch = std::make_unique<StallWatch>();
  watch->ports.assign(state_.size(), 0);
  bool any = false;
  for (std::uint32_t router = 0; router < state_.size(); ++router) {
    const NodeId node = grid_.node({state_[router].x, state_[router].y});
    for (std::uint8_t port = 0; port < kMeshPorts; ++port) {
      const bool exists = PortId{port} == kLocal || state_[router].neighbour[port] != kNoRouter;
      if (!exists || !probe_->wants_stalls(output_link(node, PortId{port}))) continue;
      watch->ports[router] = static_cast<std::uint8_t>(watch->ports[router] | 1U << port);
      any = true;
    }
  }
  if (!any) return;
  watch->reported.assign(state_.size() * kMeshPorts, StallReason::kNone);
  stalls_ = std::move(watch);
}

/// Finds the routers to which flits or credits come. The others are on the list of visits once all that has arrived.
template <int Cap>
void RegionImpl<Cap>::find_touched(Cycle now) {
  stalls_->touched.clear();
  const auto touch = [this](std::uint32_t to) {
    if (stalls_->ports[to >> kVcBits] != 0) stalls_->touched.push_back(to >> kVcBits);
  };
  for (const FlitArrival& arrival : arriving_flits_.at(now)) touch(arrival.to);
  for (const CreditArrival& credit : arriving_credits_.at(now)) touch(credit.to);
}

template <int Cap>
void RegionImpl<Cap>::note_asking() {
  std::vector<std::uint32_t>& touched = stalls_->touched;
  for (const std::uint32_t router : to_visit_) {
    if (stalls_->ports[router] != 0) touched.push_back(router);
  }
  if (colours_ != nullptr) {
    for (const std::uint32_t router : colours_->visited()) {
      if (stalls_->ports[router] != 0) touched.push_back(router);
    }
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  stalls_->asking.clear();
  for (const std::uint32_t router : touched) stalls_->asking.push_back(state_[router].sa_ready);
}

template <int Cap>
void RegionImpl<Cap>::report_stalls(Cycle now) {
  for (std::size_t i = 0; i < stalls_->touched.size(); ++i) {
    const std::uint32_t router = stalls_->touched[i];
    const NodeId node = grid_.node({state_[router].x, state_[router].y});
    for (std::uint8_t port = 0; port < kMeshPorts; ++port) {
      if ((stalls_->ports[router] >> port & 1) == 0) continue;
      const StallReason reason = stall_of(router, port, stalls_->asking[i], now);
      StallReason& reported = stalls_->reported[router * kMeshPorts + port];
      if (reason == reported) continue;
      reported = reason;
      probe_->link_stalled(now, output_link(node, PortId{port}), reason);
    }
  }
}

/// At the end of a cycle. `asking`: who could ask for the switch in it; a VC granted in it asks in the next one.
template <int Cap>
StallReason RegionImpl<Cap>::stall_of(std::uint32_t router, int port, Mask asking, Cycle now) const {
  const State& state = state_[router];
  const bool open =
      unit_rate_ || link_rates_[router * kMeshPorts + static_cast<std::uint32_t>(port)].can_send(rate(port), now);
  const unsigned colours = colours_ != nullptr ? colours_->waits(router, port) : 0U;
  if ((colours & kColoursHeld) != 0) return StallReason::kNoCredit;
  bool lost = (colours & kColoursLost) != 0;
  if (copies(router)) {
    lost = lost || (forks_[router].lost >> port & 1) != 0;
    for (const Fork& fork : forks_[router].list) {
      for (const Fork::Branch& branch : fork.branches) {
        if (branch.blocked && branch.port == port) return StallReason::kNoCredit;
      }
    }
  }
  for (int vc = 0; vc < kVcs; ++vc) {
    const InputVc& in = state.in[vc];
    if (in.flits == 0 || in.port != port || in.delayed || in.output == kForked) continue;
    if (in.output == kNoVc) {
      lost = lost || (state.va_wait >> vc & 1) != 0;
    } else if (state.out[in.output].credits.left() == 0) {
      return StallReason::kNoCredit;
    } else {
      lost = lost || (open && (state.sa_ready & asking & Mask{1} << vc) != 0);
    }
  }
  if (lost) return StallReason::kLostArbitration;
  return (colours & kColoursMerging) != 0 ? StallReason::kWaitingOperand : StallReason::kNone;
}

}  // namespace weft::router
