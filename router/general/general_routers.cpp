// SPDX-License-Identifier: Apache-2.0
// Set-up, local ports, reports and checks of general routers.
#include "router/general/general_routers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/vc_split.h"
#include "router/general/stall_watch.h"

namespace weft::router {

GeneralRouters::GeneralRouters(const GeneralParameters& parameters)
    : parameters_(parameters),
      vcs_(static_cast<std::uint32_t>(parameters.router.vcs)),
      depth_(static_cast<std::uint32_t>(parameters.router.buffer_flits)),
      flit_cycles_before_(parameters.router.switch_alloc_delay - 1 + parameters.router.traversal_delay +
                          parameters.router.hop_cycles),
      credit_cycles_before_(parameters.router.switch_alloc_delay),
      vc_classes_(static_cast<std::uint32_t>(parameters.routing.vc_classes())),
      allocator_(make_allocator<Mask>(parameters.router.allocator, parameters.router.allocator_iterations)) {
  for (const std::uint32_t all : split_vcs(parameters.router.vcs, parameters.message_classes)) {
    const int first = all == 0 ? 0 : lowest_bit(all);
    for (const std::uint32_t set : split_vcs(__builtin_popcount(all), static_cast<int>(vc_classes_), first)) {
      vc_masks_.push_back(set != 0 ? set : all);
    }
    vc_masks_.push_back(all);
  }
  std::uint32_t ports = 0;
  std::uint32_t widest = 0;
  for (const network::RouterNode& node : parameters.graph.routers()) {
    Router router;
    router.ports = static_cast<std::uint32_t>(node.ports.size());
    router.first_port = ports;
    router.first_vc = ports * vcs_;
    ports += router.ports;
    widest = std::max(widest, router.ports);
    routers_.push_back(router);
    for (const network::RouterPort& port : node.ports)
      unit_rate_ = unit_rate_ && port.link.flits_per_cycle == Rational{1, 1};
  }
  WEFT_CHECK(widest * vcs_ <= kMaxAgents, fmt::format("{} VCs at {} ports are too many for a router", vcs_, widest));
  const std::size_t all_vcs = std::size_t{ports} * vcs_;
  inputs_.resize(all_vcs);
  outputs_.resize(all_vcs, OutputBuffer{depth_, kNone});
  flits_.resize(all_vcs * depth_);
  free_vcs_.resize(ports, (1U << vcs_) - 1);
  link_rates_.resize(ports);
  switch_vc_.resize(ports);
  switch_input_.resize(ports);
  switch_output_.resize(ports);
  va_input_.resize(all_vcs);
  va_output_.resize(all_vcs);
  picked_.resize(std::size_t{widest} * widest);
  statistics_.resize(ports);
  waits_.resize(ports);
}

GeneralRouters::~GeneralRouters() = default;

void GeneralRouters::connect(LocalSide* local, PacketPool* pool, FabricProbe* probe) {
  local_ = local;
  pool_ = pool;
  probe_ = probe;
  watch_stalls();
}

void GeneralRouters::inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) {
  ++inside_;
  const network::Attachment to = parameters_.graph.npus()[node];
  arriving_flits_.push(at, {to.router, to.port * vcs_ + index(vc), flit});
}

void GeneralRouters::return_credit(std::uint32_t node, VcId vc, Cycle at) {
  const network::Attachment to = parameters_.graph.npus()[node];
  arriving_credits_.push(at + parameters_.router.credit_delay, {to.router, to.port * vcs_ + index(vc)});
}

Cycle GeneralRouters::next_work(Cycle now) const {
  if (!to_visit_.empty()) return now + 1;
  const Cycle next =
      std::min({arriving_flits_.next_after(now), arriving_credits_.next_after(now), wake_ups_.next_after(now)});
  return parameters_.sleep || next == kNever ? next : now + 1;
}

// ---- statistics

double GeneralRouters::flits_after(network::Attachment at, Cycle end) const {
  if (unit_rate_) return 0;
  return link_rates_[port_index(at.router, at.port)].flits_after(rate(at.router, at.port), end);
}

LinkValues GeneralRouters::link_values(network::Attachment at) const {
  const std::uint32_t port = port_index(at.router, at.port);
  return stall_values(statistics_[port].stall_cycles, waits_[port].lost_arbitration, waits_[port].waiting_operand);
}

void GeneralRouters::finish_statistics(Cycle now) {
  for (std::size_t i = 0; i < statistics_.size(); ++i) PortMeter(statistics_[i], waits_[i]).count_to(now);
}

// ---- waves

void GeneralRouters::watch_stalls() {
  stalls_.reset();
  if (probe_ == nullptr) return;
  auto watch = std::make_unique<StallWatch>();
  bool any = false;
  for (std::uint32_t router = 0; router < routers_.size(); ++router) {
    bool watched = false;
    for (std::uint32_t port = 0; port < routers_[router].ports; ++port) {
      const bool wanted = probe_->wants_stalls(parameters_.graph.link_of(router, port));
      watch->wanted.push_back(wanted);
      watched = watched || wanted;
    }
    watch->watched.push_back(watched);
    any = any || watched;
  }
  if (!any) return;
  watch->reported.assign(watch->wanted.size(), StallReason::kNone);
  stalls_ = std::move(watch);
}

// Notes the routers to which flits or credits come. The others are on the list of visits once all that has arrived.
void GeneralRouters::find_touched(Cycle now) {
  stalls_->touched.clear();
  const auto touch = [this](std::uint32_t router) {
    if (stalls_->watched[router]) stalls_->touched.push_back(router);
  };
  for (const FlitArrival& arrival : arriving_flits_.at(now)) touch(arrival.router);
  for (const CreditArrival& arrival : arriving_credits_.at(now)) touch(arrival.router);
}

void GeneralRouters::note_asking() {
  std::vector<std::uint32_t>& touched = stalls_->touched;
  for (const std::uint32_t router : to_visit_) {
    if (stalls_->watched[router]) touched.push_back(router);
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  stalls_->asking.clear();
  for (const std::uint32_t router : touched) stalls_->asking.push_back(routers_[router].sa_ready);
}

void GeneralRouters::report_stalls(Cycle now) {
  for (std::size_t i = 0; i < stalls_->touched.size(); ++i) {
    const std::uint32_t router = stalls_->touched[i];
    for (std::uint32_t port = 0; port < routers_[router].ports; ++port) {
      if (!stalls_->wanted[port_index(router, port)]) continue;
      const StallReason reason = stall_of(router, port, stalls_->asking[i], now);
      StallReason& reported = stalls_->reported[port_index(router, port)];
      if (reason == reported) continue;
      reported = reason;
      probe_->link_stalled(now, parameters_.graph.link_of(router, port), reason);
    }
  }
}

// Says at the end of a cycle why the output carries nothing. `asking` are the VCs that could ask for the switch in this
// cycle; one that was granted in it asks in the next one.
StallReason GeneralRouters::stall_of(std::uint32_t router, std::uint32_t port, Mask asking, Cycle now) const {
  const Router& state = routers_[router];
  const bool open = unit_rate_ || link_rates_[port_index(router, port)].can_send(rate(router, port), now);
  bool lost = false;
  for (std::uint32_t vc = 0; vc < state.ports * vcs_; ++vc) {
    const InputBuffer& input = in(router, vc);
    if (input.flits == 0 || input.port != port || input.delayed) continue;
    if (input.output == kNone) {
      lost = lost || (state.va_wait >> vc & 1) != 0;
    } else if (out(router, static_cast<std::uint32_t>(input.output)).credits == 0) {
      return StallReason::kNoCredit;
    } else {
      lost = lost || (open && (state.sa_ready & asking & Mask{1} << vc) != 0);
    }
  }
  return lost ? StallReason::kLostArbitration : StallReason::kNone;
}

// ---- reports and checks

std::string GeneralRouters::describe(std::uint32_t router, std::uint32_t vc) const {
  const network::RouterNode& node = parameters_.graph.routers()[router];
  return fmt::format("{}, input {}, VC {}", node.name, node.ports[port_of(vc)].name, vc % vcs_);
}

std::vector<std::string> GeneralRouters::waiting(std::size_t limit) const {
  std::vector<std::string> all;
  const auto name = [this](std::uint32_t router, std::uint32_t vc) {
    const Packet& packet = (*pool_)[front(router, vc).packet()];
    return fmt::format("{}.{}", index(packet.src), packet.sequence);
  };
  for (std::uint32_t router = 0; router < routers_.size(); ++router) {
    for (std::uint32_t vc = 0; vc < routers_[router].ports * vcs_ && all.size() < limit; ++vc) {
      const InputBuffer& input = in(router, vc);
      if (input.flits == 0) continue;
      std::string text = fmt::format("{}: packet {} to node {} waits for ", describe(router, vc), name(router, vc),
                                     index((*pool_)[front(router, vc).packet()].dst));
      const std::string& output = port_spec(router, input.port).name;
      if (input.output != kNone) {
        text += fmt::format("a credit of output {}, VC {}", output, static_cast<std::uint32_t>(input.output) % vcs_);
      } else {
        text += fmt::format("a free VC of output {}", output);
        for_each_bit(vc_masks_[input.vc_class] & ~free_vcs_[port_index(router, input.port)], [&](int held) {
          const int owner = out(router, input.port * vcs_ + static_cast<std::uint32_t>(held)).owner;
          if (owner < 0 || in(router, static_cast<std::uint32_t>(owner)).flits == 0) return;
          text += fmt::format(", held by packet {}", name(router, static_cast<std::uint32_t>(owner)));
        });
      }
      all.push_back(text);
    }
  }
  return all;
}

void GeneralRouters::require_empty() const {
  WEFT_CHECK(inside_ == 0, fmt::format("{} flits are left in the fabric at the end", inside_));
  WEFT_CHECK(arriving_flits_.empty(), "flits are left on links at the end");
  WEFT_CHECK(arriving_credits_.empty(), "credits are left on links at the end");
  for (std::uint32_t router = 0; router < routers_.size(); ++router) {
    for (std::uint32_t vc = 0; vc < routers_[router].ports * vcs_; ++vc) {
      WEFT_CHECK(in(router, vc).flits == 0, "a buffer is not empty at the end: " + describe(router, vc));
      WEFT_CHECK(out(router, vc).credits == depth_, "credits are missing at the end: " + describe(router, vc));
      WEFT_CHECK(out(router, vc).owner == kNone, "an output VC is still taken at the end: " + describe(router, vc));
    }
  }
}

}  // namespace weft::router
