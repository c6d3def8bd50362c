// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/switch_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "base/error.h"
#include "base/rational_math.h"

namespace weft::npu {
namespace {

/// Rate of the link between an NPU and one plane.
PacketRateSpec npu_plane_rate(const FabricSpec& fabric) {
  const auto rate = checked_divide(fabric.local.flits_per_cycle, {static_cast<std::uint64_t>(fabric.fred.planes), 1});
  if (!rate) throw InputError("fabric.local.bandwidth: the rate of one plane needs more than 64 bits");
  return {*rate, fabric.flit_bytes, fabric.fred.header_bytes};
}

/// Rate of the link between an I/O controller and one plane.
PacketRateSpec io_plane_rate(const FabricSpec& fabric) {
  return {fabric.fred.io_rate, fabric.flit_bytes, fabric.fred.header_bytes};
}

/// The name of a VC of a link into a plane, for sentences.
std::string name(std::size_t node, VcId vc) {
  return fmt::format("network interface {}, plane {}, traffic class {}", node, plane_of(vc),
                     static_cast<int>(traffic_class_of(vc)));
}

}  // namespace

SwitchPorts::SwitchPorts(const FabricSpec& fabric, const std::vector<NodeId>& nodes)
    : per_node_(static_cast<std::uint32_t>(fabric.fred.planes)),
      data_depth_(static_cast<std::uint32_t>(fabric.fred.levels.empty() ? 0 : fabric.fred.levels.front().buffer_flits)),
      control_depth_(static_cast<std::uint32_t>(fabric.fred.control_buffer_flits)),
      latency_(fabric.local.latency_cycles),
      npu_rate_(npu_plane_rate(fabric)),
      io_rate_(io_plane_rate(fabric)),
      ports_(nodes.size() * per_node_) {
  for (const NodeId node : nodes) is_npu_.push_back(weft::index(node) < static_cast<std::uint32_t>(fabric.nodes()));
  for (Port& port : ports_) {
    for (int c = 0; c < kTrafficClasses; ++c) port.credits[c] = CreditCount<std::uint32_t>(depth(TrafficClass(c)));
  }
}

void SwitchPorts::credit(std::uint32_t node, VcId vc) {
  const TrafficClass traffic_class = traffic_class_of(vc);
  port(node, port_of(vc)).credits[index(traffic_class)].give_back(depth(traffic_class), [node, vc] {
    return name(node, vc);
  });
}

void SwitchPorts::send(std::uint32_t node, VcId vc, Flit flit, Cycle now, FabricSide& fabric) {
  Port& at = port(node, port_of(vc));
  WEFT_CHECK(at.taken, "a flit was sent on a link that is not its packet's: " + name(node, vc));
  at.credits[index(traffic_class_of(vc))].take([node, vc] { return name(node, vc); });
  ++at.flits;
  at.last_sent = now;
  at.rate.send(rate(node), now, flit.tail());
  if (flit.tail()) at.taken = false;
  fabric.inject(node, vc, flit, now + rate(node).flit_cycles() + latency_);
}

std::uint64_t SwitchPorts::flits(std::uint32_t node) const {
  std::uint64_t sum = 0;
  for (std::uint32_t number = 0; number < per_node_; ++number) sum += port(node, number).flits;
  return sum;
}

double SwitchPorts::flits_after(std::uint32_t node, Cycle end) const {
  double sum = 0;
  for (std::uint32_t number = 0; number < per_node_; ++number) {
    const Port& at = port(node, number);
    sum += rate(node).flits_after(at.flits, at.last_sent, end);
  }
  return sum;
}

// Several ports may bring a node flits in one cycle, and links that repair losses bring a whole packet. The order must
// not depend on which part of the fabric was stepped first.
void SwitchPorts::put_in_order(std::vector<Arrival>& arrivals) const {
  std::sort(arrivals.begin(), arrivals.end(), [](const Arrival& a, const Arrival& b) {
    const bool a_behind = !a.flit.head();
    const bool b_behind = !b.flit.head();
    const bool a_last = a.flit.tail();
    const bool b_last = b.flit.tail();
    return std::tie(a.node, a.vc, a_behind, a_last) < std::tie(b.node, b.vc, b_behind, b_last);
  });
}

void SwitchPorts::require_empty() const {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::size_t node = i / per_node_;
    const std::size_t plane = i % per_node_;
    for (int c = 0; c < kTrafficClasses; ++c) {
      ports_[i].credits[c].require_home(depth(TrafficClass(c)), [node, plane, c] {
        return name(node, plane_vc(static_cast<int>(plane), TrafficClass(static_cast<std::uint8_t>(c))));
      });
    }
    WEFT_CHECK(!ports_[i].taken,
               fmt::format("network interface {} still holds its link to plane {} at the end", node, plane));
  }
}

}  // namespace weft::npu
