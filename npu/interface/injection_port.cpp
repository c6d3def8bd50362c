// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/injection_port.h"

#include <fmt/format.h>

namespace weft::npu {

InjectionPorts::InjectionPorts(const FabricSpec& fabric, int message_classes, std::uint32_t nodes)
    : vcs_(fabric.router.vcs),
      depth_(fabric.router.buffer_flits),
      rate_(fabric.local.flits_per_cycle),
      unit_rate_(rate_ == Rational{1, 1}),
      latency_(fabric.local.latency_cycles),
      flit_cycles_(fabric.local.flit_cycles()),
      tail_credit_(fabric.router.vc_reuse == VcReuse::kTailCredit),
      class_vcs_(split_vcs(vcs_, message_classes)),
      credits_(static_cast<std::size_t>(nodes) * vcs_, static_cast<std::uint16_t>(depth_)),
      free_(nodes, (1U << vcs_) - 1),
      draining_(tail_credit_ ? nodes : 0),
      last_vc_(nodes, static_cast<std::uint8_t>(vcs_ - 1)),
      last_sent_(unit_rate_ ? nodes : 0),
      links_(unit_rate_ ? 0 : nodes),
      flits_(nodes) {}

void InjectionPorts::credit(std::uint32_t node, VcId vc) {
  auto& credits = credits_[node * vcs_ + index(vc)];
  ++credits;
  WEFT_CHECK(credits <= depth_,
             fmt::format("network interface {} received more credits than the router has slots", node));
  if (tail_credit_ && credits == depth_ && (draining_[node] >> index(vc) & 1) != 0) {
    draining_[node] &= ~(1U << index(vc));
    free_[node] |= 1U << index(vc);
  }
}

int InjectionPorts::take_vc(std::uint32_t node, unsigned message_class) {
  const std::uint32_t candidates = free_[node] & class_vcs_[message_class];
  if (candidates == 0) return -1;
  for (int step = 1; step <= vcs_; ++step) {
    const int vc = (last_vc_[node] + step) % vcs_;
    if ((candidates >> vc & 1) == 0 || !has_credit(node, vc)) continue;
    free_[node] &= ~(1U << vc);
    last_vc_[node] = static_cast<std::uint8_t>(vc);
    return vc;
  }
  return -1;
}

bool InjectionPorts::can_take_vc(std::uint32_t node, unsigned message_class) const {
  std::uint32_t candidates = free_[node] & class_vcs_[message_class];
  for (; candidates != 0; candidates &= candidates - 1) {
    if (has_credit(node, __builtin_ctz(candidates))) return true;
  }
  return false;
}

Cycle InjectionPorts::next_slot(std::uint32_t node, Cycle now) const {
  if (unit_rate_) return last_sent_[node] == now + 1 ? now + 1 : now;
  return links_[node].next_slot(rate_, now);
}

void InjectionPorts::send(std::uint32_t node, int vc, Flit flit, Cycle now, FabricSide& fabric) {
  auto& credits = credits_[node * vcs_ + vc];
  WEFT_CHECK(credits > 0, fmt::format("network interface {} sent a flit without a credit", node));
  --credits;
  ++flits_[node];
  if (unit_rate_) {
    last_sent_[node] = now + 1;
  } else {
    links_[node].send(rate_, now);
  }
  if (flit.tail()) (tail_credit_ ? draining_ : free_)[node] |= 1U << vc;
  fabric.inject(node, VcId(static_cast<std::uint8_t>(vc)), flit, now + flit_cycles_ + latency_);
}

void InjectionPorts::require_empty() const {
  for (std::size_t i = 0; i < credits_.size(); ++i) {
    WEFT_CHECK(credits_[i] == depth_, fmt::format("network interface {} lacks credits at the end", i / vcs_));
  }
  for (std::size_t node = 0; node < free_.size(); ++node) {
    WEFT_CHECK(free_[node] == (1U << vcs_) - 1, fmt::format("network interface {} still holds a VC at the end", node));
  }
}

}  // namespace weft::npu
