// SPDX-License-Identifier: Apache-2.0
#include "npu/interface/switch_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

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
  return {fabric.io.rate, fabric.flit_bytes, fabric.fred.header_bytes};
}

/// The name of a VC of a link into a plane, for sentences.
std::string plane_vc_name(std::size_t node, VcId vc) {
  return fmt::format("network interface {}, plane {}, traffic class {}", node, plane_of(vc),
                     static_cast<int>(traffic_class_of(vc)));
}

}  // namespace

SwitchPorts::SwitchPorts(const FabricSpec& fabric, const std::vector<NodeId>& nodes)
    : per_node_(static_cast<std::uint32_t>(fabric.fred.planes)),
      data_depth_(static_cast<std::uint32_t>(fabric.fred.levels.empty() ? 0 : fabric.fred.levels.front().buffer_flits)),
      control_depth_(static_cast<std::uint32_t>(fabric.fred.control_buffer_flits)),
      latency_(fabric.local.latency_cycles),
      ports_(nodes.size() * per_node_) {
  for (const PacketRateSpec& rate : {npu_plane_rate(fabric), io_plane_rate(fabric)})
    link_kinds_.push_back({rate, rate.flit_cycles() + latency_});
  WEFT_CHECK(nodes.size() < std::size_t{1} << 22, "more network interfaces than put_in_order can number");
  for (const NodeId node : nodes) {
    const bool is_npu = weft::index(node) < static_cast<std::uint32_t>(fabric.nodes());
    kind_of_.push_back(is_npu ? kNpuLink : kIoLink);
  }
  for (Port& port : ports_) {
    for (int c = 0; c < kTrafficClasses; ++c) port.credits[c] = CreditCount<std::uint32_t>(depth(TrafficClass(c)));
  }
}

void SwitchPorts::credits_back(std::uint32_t node, VcId vc, std::uint32_t count) {
  const TrafficClass traffic_class = traffic_class_of(vc);
  port(node, port_of(vc)).credits[index(traffic_class)].give_back_all(count, depth(traffic_class), [node, vc] {
    return plane_vc_name(node, vc);
  });
}

const FlitTrain& SwitchPorts::send_all(std::uint32_t node, VcId vc, std::uint32_t flits, Cycle now) {
  Port& at = port(node, port_of(vc));
  at.credits[index(traffic_class_of(vc))].take_all(flits, [node, vc] { return plane_vc_name(node, vc); });
  settle(at, now);
  WEFT_CHECK(at.leaving.empty(), "a packet was sent on a link before the tail of another: " + plane_vc_name(node, vc));
  at.leaving = FlitTrain(link_kind(node).rate, &at.rate, now, flits, 1);
  return at.leaving;
}

void SwitchPorts::settle(Cycle end) {
  for (Port& each : ports_) settle(each, end);
}

void SwitchPorts::settle(Port& port, Cycle end) {
  while (!port.leaving.empty() && port.leaving.next() <= end) {
    const FlitRow row = port.leaving.pop_row(end);
    port.last_sent = row.last();
    port.flits += row.flits;
  }
}

void SwitchPorts::send(std::uint32_t node, VcId vc, Flit flit, Cycle now, FabricSide& fabric) {
  Port& at = port(node, port_of(vc));
  WEFT_CHECK(at.taken, "a flit was sent on a link that is not its packet's: " + plane_vc_name(node, vc));
  at.credits[index(traffic_class_of(vc))].take(plane_vc_name, node, vc);
  ++at.flits;
  at.last_sent = now;
  const LinkKind& link = link_kind(node);
  at.rate.send(link.rate, now, flit.tail());
  if (flit.tail()) at.taken = false;
  fabric.inject(node, vc, flit, now + link.travel);
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
    sum += link_kind(node).rate.flits_after(at.flits, at.last_sent, end);
  }
  return sum;
}

// Several ports may bring a node flits in one cycle, and links that repair losses bring a whole packet. The order must
// not depend on which part of the fabric was stepped first. What is sorted are numbers that hold all of an arrival.
void SwitchPorts::put_in_order(EventList<Arrival>& arrivals) const {
  if (arrivals.size() < 2) return;
  in_order_.clear();
  for (const Arrival& arrival : arrivals) {
    const std::uint64_t in_packet = std::uint64_t{!arrival.flit.head()} << 1 | std::uint64_t{arrival.flit.tail()};
    const std::uint64_t port_and_class = std::uint64_t{arrival.node} << 10 | std::uint64_t{arrival.vc} << 2 | in_packet;
    in_order_.push_back(port_and_class << 32 | arrival.flit.packet());
  }
  std::sort(in_order_.begin(), in_order_.end());
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const std::uint64_t number = in_order_[i];
    const auto packet = static_cast<PacketIndex>(number);
    arrivals[i] = {static_cast<std::uint32_t>(number >> 42),
                   Flit(packet, (number >> 33 & 1) == 0, (number >> 32 & 1) != 0),
                   static_cast<std::uint8_t>(number >> 34)};
  }
}

void SwitchPorts::require_empty() const {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const std::size_t node = i / per_node_;
    const std::size_t plane = i % per_node_;
    for (int c = 0; c < kTrafficClasses; ++c) {
      ports_[i].credits[c].require_home(depth(TrafficClass(c)), [node, plane, c] {
        return plane_vc_name(node, plane_vc(static_cast<int>(plane), TrafficClass(static_cast<std::uint8_t>(c))));
      });
    }
    WEFT_CHECK(!ports_[i].taken,
               fmt::format("network interface {} still holds its link to plane {} at the end", node, plane));
  }
}

}  // namespace weft::npu
