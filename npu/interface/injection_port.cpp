// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/injection_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "config/fabric_facts.h"

namespace weft::npu {

namespace {

/// VCs of a class for each direction, as bits: they are dealt out round-robin; of fewer than four some serve two.
std::array<std::uint32_t, 4> deal(std::uint32_t vcs) {
  std::array<std::uint32_t, 4> dealt{};
  const int count = __builtin_popcount(vcs);
  for (int i = 0; i < std::max(count, 4); ++i) {
    std::uint32_t nth = vcs;
    for (int skip = i % count; skip > 0; --skip) nth &= nth - 1;
    dealt[static_cast<std::size_t>(i % 4)] |= nth & -nth;
  }
  return dealt;
}

/// The shorter direction along one dimension: positive, negative, or 0 for none; a tie of a torus goes up.
int direction(int from, int to, int size, bool torus) {
  if (!torus || 2 * std::abs(to - from) < size) return to - from;
  return 2 * std::abs(to - from) == size ? 1 : from - to;
}

/// The name of a VC of a link into the fabric, for sentences.
std::string injection_vc_name(std::size_t node, VcId vc) {
  return is_colour(vc) ? fmt::format("network interface {}, colour {}", node, colour_of(vc))
                       : fmt::format("network interface {}, VC {}", node, index(vc));
}

}  // namespace

InjectionPorts::InjectionPorts(const FabricSpec& fabric, int message_classes, std::uint32_t nodes, InjectionVcs policy)
    : vcs_(fabric.router.vcs),
      colours_(fabric.router.colours),
      depth_(static_cast<std::uint32_t>(fabric.router.buffer_flits)),
      rate_(fabric.local.flits_per_cycle),
      latency_(fabric.local.latency_cycles),
      flit_cycles_(fabric.local.flit_cycles()),
      tail_credit_(fabric.router.vc_reuse == VcReuse::kTailCredit),
      class_vcs_(split_vcs(vcs_, message_classes)),
      by_direction_(policy == InjectionVcs::kByDirection),
      size_x_(fabric.size_x),
      size_y_(fabric.size_y),
      torus_(wraps_around(fabric)),
      nodes_(nodes),
      taken_colours_(colours_ > 0 ? nodes : 0),
      colour_credits_(std::size_t{nodes} * static_cast<std::size_t>(colours_), Credits(depth_)) {
  if (by_direction_) {
    for (const std::uint32_t vcs : class_vcs_) direction_vcs_.push_back(deal(vcs));
  }
  for (Port& port : nodes_) {
    port.free = (1U << vcs_) - 1;
    port.last_vc = static_cast<std::uint8_t>(vcs_ - 1);
    for (int vc = 0; vc < vcs_; ++vc) port.credits[vc] = Credits(depth_);
  }
}

void InjectionPorts::credit(std::uint32_t node, VcId vc) {
  Port& port = nodes_[node];
  auto& credits = is_colour(vc) ? colour_credits_[colour_slot(node, vc)] : port.credits[index(vc)];
  credits.give_back(depth_, injection_vc_name, node, vc);
  if (is_colour(vc)) return;
  if (tail_credit_ && credits.left() == depth_ && (port.draining >> index(vc) & 1) != 0) {
    port.draining &= ~(1U << index(vc));
    port.free |= 1U << index(vc);
  }
}

std::uint32_t InjectionPorts::vcs_towards(NodeId from, NodeId to, unsigned message_class) const {
  if (!by_direction_) return class_vcs_[message_class];
  const auto x = [&](NodeId node) { return static_cast<int>(index(node)) % size_x_; };
  const auto y = [&](NodeId node) { return static_cast<int>(index(node)) / size_x_; };
  const auto& vcs = direction_vcs_[message_class];
  const int east = direction(x(from), x(to), size_x_, torus_);
  if (east != 0) return vcs[east > 0 ? 0 : 1];
  const int north = direction(y(from), y(to), size_y_, torus_);
  // What goes to the node itself takes any.
  return north == 0 ? class_vcs_[message_class] : vcs[north > 0 ? 2 : 3];
}

int InjectionPorts::take_vc(std::uint32_t node, std::uint32_t allowed) {
  Port& port = nodes_[node];
  const std::uint32_t candidates = port.free & allowed;
  if (candidates == 0) return -1;
  for (int step = 1; step <= vcs_; ++step) {
    const int vc = (port.last_vc + step) % vcs_;
    if ((candidates >> vc & 1) == 0 || port.credits[vc].left() == 0) continue;
    port.free &= ~(1U << vc);
    port.last_vc = static_cast<std::uint8_t>(vc);
    return vc;
  }
  return -1;
}

VcId InjectionPorts::take_colour(std::uint32_t node, unsigned colour) {
  WEFT_CHECK(can_take_colour(node, colour), "a packet was started at a network interface whose colour is taken");
  taken_colours_[node] |= 1U << colour;
  return colour_vc(static_cast<std::uint8_t>(colour));
}

bool InjectionPorts::can_take_vc(std::uint32_t node, std::uint32_t allowed) const {
  std::uint32_t candidates = nodes_[node].free & allowed;
  for (; candidates != 0; candidates &= candidates - 1) {
    if (nodes_[node].credits[__builtin_ctz(candidates)].left() > 0) return true;
  }
  return false;
}

void InjectionPorts::send(std::uint32_t node, VcId vc, Flit flit, Cycle now, FabricSide& fabric) {
  Port& port = nodes_[node];
  const bool colour = is_colour(vc);
  auto& credits = colour ? colour_credits_[colour_slot(node, vc)] : port.credits[index(vc)];
  credits.take(injection_vc_name, node, vc);
  ++port.flits;
  port.link.send(rate_, now);
  if (colour) {
    if (flit.tail()) taken_colours_[node] &= ~(1U << colour_of(vc));
    // A set-up route takes the latency of the wire and nothing else.
    fabric.inject(node, vc, flit, now + latency_);
    return;
  }
  if (flit.tail()) (tail_credit_ ? port.draining : port.free) |= 1U << index(vc);
  fabric.inject(node, vc, flit, now + flit_cycles_ + latency_);
}

double InjectionPorts::flits_after(std::uint32_t node, Cycle end) const {
  const Port& port = nodes_[node];
  return std::min(static_cast<double>(port.flits), port.link.flits_after(rate_, end));
}

void InjectionPorts::require_empty() const {
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    for (int vc = 0; vc < vcs_; ++vc) {
      nodes_[node].credits[vc].require_home(
          depth_, [node, vc] { return injection_vc_name(node, VcId(static_cast<std::uint8_t>(vc))); });
    }
    for (int colour = 0; colour < colours_; ++colour) {
      const VcId vc = colour_vc(static_cast<std::uint8_t>(colour));
      colour_credits_[colour_slot(static_cast<std::uint32_t>(node), vc)].require_home(
          depth_, [node, vc] { return injection_vc_name(node, vc); });
    }
    WEFT_CHECK(nodes_[node].free == (1U << vcs_) - 1,
               fmt::format("network interface {} still holds a VC at the end", node));
  }
}

}  // namespace weft::npu
