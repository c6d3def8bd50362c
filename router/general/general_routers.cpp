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
      vc_classes_(static_cast<std::uint32_t>(parameters.routing.vc_classes())),
      allocator_(make_allocator<Mask>(parameters.router.allocator, parameters.router.allocator_iterations)),
      links_(vcs_, [this](std::uint32_t vc, bool is_sending) { return vc_name(vc, is_sending); }) {
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
  owners_.resize(all_vcs, kNone);
  free_vcs_.resize(ports, (1U << vcs_) - 1);
  switch_vc_.resize(ports);
  switch_input_.resize(ports);
  switch_output_.resize(ports);
  va_input_.resize(all_vcs);
  va_output_.resize(all_vcs);
  picked_.resize(std::size_t{widest} * widest);
  statistics_.resize(ports);
  waits_.resize(ports);
  add_links(parameters.router);
}

// A flit is on the link when it has passed the switch and its own time is over; a credit counts from credit_delay
// cycles after it is back. What comes from or goes to a network interface is on its way in the interface's own account.
void GeneralRouters::add_links(const RouterSpec& router) {
  const Cycle before = router.switch_alloc_delay - 1 + router.traversal_delay + router.hop_cycles;
  const auto& nodes = parameters_.graph.routers();
  for (std::uint32_t number = 0; number < nodes.size(); ++number) {
    for (const network::RouterPort& port : nodes[number].ports) {
      const Cycle flit = before + port.link.flit_cycles() + port.link.latency_cycles;
      const Cycle credit =
          router.switch_alloc_delay + port.link.latency_cycles + (port.to_npu ? 0 : router.credit_delay);
      links_.add({port.link.flits_per_cycle, flit, credit, depth_}, number, number);
      npus_.resize(npus_.size() + vcs_, port.to_npu ? port.peer : kNoNpu);
    }
  }
  for (std::uint32_t number = 0; number < nodes.size(); ++number) {
    for (std::uint32_t port = 0; port < nodes[number].ports.size(); ++port) {
      const network::RouterPort& spec = port_spec(number, port);
      if (!spec.to_npu) links_.join(port_index(number, port), port_index(spec.peer, spec.peer_port));
    }
  }
  for (const network::Attachment npu : parameters_.graph.npus()) {
    npu_vcs_.push_back(port_index(npu.router, npu.port) * vcs_);
  }
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
  links_.flit_comes(npu_vcs_[node] + index(vc), flit, at);
}

void GeneralRouters::return_credit(std::uint32_t node, VcId vc, Cycle at) {
  links_.credit_comes(npu_vcs_[node] + index(vc), at + parameters_.router.credit_delay);
}

Cycle GeneralRouters::next_work(Cycle now) const {
  if (!to_visit_.empty()) return now + 1;
  const Cycle next = std::min(links_.next_arrival(now), wake_ups_.next_after(now));
  return parameters_.sleep || next == kNever ? next : now + 1;
}

// ---- statistics

double GeneralRouters::flits_after(network::Attachment at, Cycle end) const {
  if (unit_rate_) return 0;
  return links_.flits_after(port_index(at.router, at.port), end);
}

LinkValues GeneralRouters::link_values(network::Attachment at) const {
  const std::uint32_t port = port_index(at.router, at.port);
  return router::link_values(statistics_[port], waits_[port]);
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
  links_.visit_arrivals(now, [this](std::uint32_t router) {
    if (stalls_->watched[router]) stalls_->touched.push_back(router);
  });
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
  const bool open = unit_rate_ || links_.is_free(port_index(router, port), now);
  bool lost = false;
  for (std::uint32_t vc = 0; vc < state.ports * vcs_; ++vc) {
    const InputVc& input = in(router, vc);
    if (flits_in(router, vc) == 0 || input.port != port || input.delayed) continue;
    if (input.output == kNone) {
      lost = lost || (state.va_wait >> vc & 1) != 0;
    } else if (credits(router, static_cast<std::uint32_t>(input.output)) == 0) {
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

std::string GeneralRouters::vc_name(std::uint32_t vc, bool is_sending) const {
  const auto after =
      std::upper_bound(routers_.begin(), routers_.end(), vc,
                       [](std::uint32_t number, const Router& router) { return number < router.first_vc; });
  const auto router = static_cast<std::uint32_t>(after - routers_.begin() - 1);
  const std::uint32_t own = vc - routers_[router].first_vc;
  const network::RouterNode& node = parameters_.graph.routers()[router];
  return fmt::format("{}, {} {}, VC {}", node.name, is_sending ? "output" : "input", node.ports[port_of(own)].name,
                     own % vcs_);
}

std::vector<std::string> GeneralRouters::waiting(std::size_t limit) const {
  std::vector<std::string> all;
  const auto name = [this](std::uint32_t router, std::uint32_t vc) {
    const Packet& packet = (*pool_)[front(router, vc).packet()];
    return fmt::format("{}.{}", index(packet.src), packet.sequence);
  };
  for (std::uint32_t router = 0; router < routers_.size(); ++router) {
    for (std::uint32_t vc = 0; vc < routers_[router].ports * vcs_ && all.size() < limit; ++vc) {
      const InputVc& input = in(router, vc);
      if (flits_in(router, vc) == 0) continue;
      std::string text = fmt::format("{}: packet {} to node {} waits for ", describe(router, vc), name(router, vc),
                                     index((*pool_)[front(router, vc).packet()].dst));
      const std::string& output = port_spec(router, input.port).name;
      if (input.output != kNone) {
        text += fmt::format("a credit of output {}, VC {}", output, static_cast<std::uint32_t>(input.output) % vcs_);
      } else {
        text += fmt::format("a free VC of output {}", output);
        for_each_bit(vc_masks_[input.vc_class] & ~free_vcs_[port_index(router, input.port)], [&](int held) {
          const int holder = owner(router, input.port * vcs_ + static_cast<std::uint32_t>(held));
          if (holder < 0 || flits_in(router, static_cast<std::uint32_t>(holder)) == 0) return;
          text += fmt::format(", held by packet {}", name(router, static_cast<std::uint32_t>(holder)));
        });
      }
      all.push_back(text);
    }
  }
  return all;
}

void GeneralRouters::require_empty() const {
  WEFT_CHECK(inside_ == 0, fmt::format("{} flits are left in the fabric at the end", inside_));
  links_.require_rest();
  for (std::uint32_t router = 0; router < routers_.size(); ++router) {
    for (std::uint32_t vc = 0; vc < routers_[router].ports * vcs_; ++vc) {
      WEFT_CHECK(owner(router, vc) == kNone, "an output VC is still taken at the end: " + describe(router, vc));
    }
  }
}

}  // namespace weft::router
