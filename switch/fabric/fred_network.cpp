// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/fred_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "base/fabric_flows.h"
#include "network/names.h"

namespace weft::fred {
namespace {

std::uint32_t packet_flits(const Config& config) {
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, (config.npu.packet_bytes + config.fabric.flit_bytes - 1) / config.fabric.flit_bytes));
}

/// VCs of a link: one per traffic class, that for control with a buffer of its own.
void set_traffic_classes(network::Link& link, std::uint32_t data, std::uint32_t control) {
  link.vcs = kTrafficClasses;
  link.vc_names = {"mp", "pp", "dp", "control"};
  link.buffer_flits.assign(kTrafficClasses, static_cast<int>(data));
  link.buffer_flits[static_cast<std::size_t>(TrafficClass::kControl)] = static_cast<int>(control);
}

}  // namespace

FredNetwork::FredNetwork(const Config& config)
    : fabric_(config.fabric), topology_(config.fabric, packet_flits(config)) {
  for (std::uint32_t node = 0; node < topology_.nodes(); ++node) rows_.push_back({true, node, 0});
  for (std::uint32_t chiplet = 0; chiplet < topology_.chiplets().size(); ++chiplet) {
    const auto& peers = topology_.chiplets()[chiplet].peers;
    for (std::uint32_t port = 0; port < peers.size(); ++port) {
      if (peers[port].kind != PortPeer::kNothing) rows_.push_back({false, chiplet, port});
    }
  }
}

std::string FredNetwork::endpoint_name(std::uint32_t node) const {
  return node < topology_.npus() ? network::npu_name(node) : network::io_name(node - topology_.npus());
}

std::string FredNetwork::peer_name(const PortPeer& peer) const {
  return peer.kind == PortPeer::kNode ? endpoint_name(peer.node) : topology_.chiplets()[peer.chiplet].name;
}

network::Node FredNetwork::node(NodeId node) const {
  const std::uint32_t number = index(node);
  if (number >= topology_.nodes()) {
    return {network::NodeKind::kSwitch, network::in_fabric(topology_.chiplets()[number - topology_.nodes()].name), 0, 0,
            0};
  }
  const bool npu = number < topology_.npus();
  return {npu ? network::NodeKind::kNpu : network::NodeKind::kIoController, endpoint_name(number),
          topology_.port_of(number), static_cast<std::uint32_t>(topology_.group_of(number)), network::kFabricClock};
}

network::Link FredNetwork::interface_link(std::uint32_t node, int plane) const {
  const Chiplet& l1 = topology_.chiplets()[topology_.chiplet({0, topology_.group_of(node), 0, plane})];
  network::Link link;
  link.from = endpoint_name(node);
  link.name = network::out_link_name(link.from, plane);
  link.to = l1.name;
  link.parts.plane = plane;
  link.flits_per_cycle = l1.spec.port_specs[topology_.port_of(node)].in_rate;
  set_traffic_classes(link, l1.spec.buffer_flits, l1.spec.control_buffer_flits);
  return link;
}

network::Link FredNetwork::port_link(std::uint32_t chiplet, std::uint32_t port) const {
  const Chiplet& from = topology_.chiplets()[chiplet];
  const PortPeer& peer = from.peers[port];
  network::Link link;
  if (peer.kind == PortPeer::kNothing) return link;
  link.name = port_link_name(from, port);
  link.from = from.name;
  link.to = peer_name(peer);
  link.parts.plane = from.coordinates.plane;
  link.flits_per_cycle = from.spec.port_specs[port].out_rate.flits_per_cycle;
  set_traffic_classes(link, from.spec.credits_of(port, 0), from.spec.control_output_credits);
  return link;
}

network::Link FredNetwork::link(LinkId link) const {
  const auto planes = static_cast<std::uint32_t>(topology_.planes());
  if (index(link) < topology_.nodes() * planes) {
    return interface_link(index(link) / planes, static_cast<int>(index(link) % planes));
  }
  const auto [chiplet, port] = topology_.port_of_link(link);
  return port_link(chiplet, port);
}

network::LinkRow FredNetwork::link_row(std::size_t number) const {
  const network::LinkSource source = rows_[number];
  if (!source.interface) {
    network::Link only = port_link(source.owner, source.port);
    const bool at_endpoint = topology_.chiplets()[source.owner].peers[source.port].kind == PortPeer::kNode;
    return {std::move(only.name), std::move(only.from), std::move(only.to), only.flits_per_cycle, at_endpoint};
  }
  const std::string from = endpoint_name(source.owner);
  const Rational io{fabric_.io.rate.num * static_cast<std::uint64_t>(topology_.planes()), fabric_.io.rate.den};
  return {network::out_link_name(from), from, network::switch_name({1, topology_.group_of(source.owner)}),
          source.owner < topology_.npus() ? fabric_.local.flits_per_cycle : io, true};
}

std::string FredNetwork::summary() const {
  return fmt::format("{} NPUs, fred, {}, {}", fabric_.nodes(), counted(fabric_.fred.levels.size(), "level"),
                     counted(fabric_.fred.planes, "plane"));
}

std::string port_link_name(const Chiplet& chiplet, std::uint32_t port) {
  return network::link_name(chiplet.name, network::numbered_port("port", port));
}

}  // namespace weft::fred
