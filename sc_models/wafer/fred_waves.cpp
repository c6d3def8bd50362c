// SPDX-License-Identifier: Apache-2.0
#include "wafer/fred_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "switch/fabric/topology.h"
#include "wafer/fred_wafer.h"
#include "wafer/uswitch_waves.h"

namespace weft::wafer {
namespace {

const std::vector<std::string>& circuit_names() {
  static const std::vector<std::string> names{"mp", "pp", "dp", "control"};
  return names;
}

void set_credits(waves::LinkWave& wave, std::uint32_t data, std::uint32_t control) {
  wave.vcs = kCircuits;
  wave.vc_names = circuit_names();
  wave.vc_credits.assign(kCircuits, static_cast<int>(data));
  wave.vc_credits[static_cast<std::size_t>(Circuit::kControl)] = static_cast<int>(control);
  wave.credits = static_cast<int>(std::max(data, control));
}

waves::LinkWave interface_wave(const fred::FredTopology& topology, std::uint32_t node, int plane) {
  const fred::Chiplet& l1 = topology.chiplets()[topology.chiplet({0, topology.group_of(node), 0, plane})];
  waves::LinkWave wave;
  wave.from = fred_node_name(topology, node);
  wave.name = fmt::format("{}.out.plane[{}]", wave.from, plane);
  wave.to = l1.name;
  wave.stalls = true;
  set_credits(wave, l1.spec.buffer_flits, l1.spec.control_buffer_flits);
  return wave;
}

waves::LinkWave port_wave(const fred::FredTopology& topology, std::uint32_t chiplet, std::uint32_t port) {
  const fred::Chiplet& from = topology.chiplets()[chiplet];
  const fred::PortPeer& peer = from.peers[port];
  waves::LinkWave wave;
  if (peer.kind == fred::PortPeer::kNothing) return wave;
  wave.name = fred_link_name(topology, chiplet, port);
  wave.from = from.name;
  const bool to_node = peer.kind == fred::PortPeer::kNode;
  wave.to = to_node ? fred_node_name(topology, peer.node) : topology.chiplets()[peer.chiplet].name;
  set_credits(wave, from.spec.credits_of(port, 0), from.spec.control_output_credits);
  return wave;
}

}  // namespace

waves::RecorderSetup fred_recorder_setup(const Config& config) {
  const auto packet_flits = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, (config.npu.packet_bytes + config.fabric.flit_bytes - 1) / config.fabric.flit_bytes));
  const auto topology = std::make_shared<const fred::FredTopology>(config.fabric, packet_flits);
  waves::RecorderSetup setup;
  setup.clocks = {{"clock", config.clock}};
  setup.links = topology->links();
  setup.link = [topology](LinkId link) {
    const auto planes = static_cast<std::uint32_t>(topology->planes());
    const std::uint32_t interfaces = topology->nodes() * planes;
    if (index(link) < interfaces) {
      return interface_wave(*topology, index(link) / planes, static_cast<int>(index(link) % planes));
    }
    const auto [chiplet, port] = topology->port_of_link(link);
    waves::LinkWave wave = port_wave(*topology, chiplet, port);
    wave.stalls = true;
    return wave;
  };
  setup.nodes = topology->nodes() + topology->chiplets().size();
  setup.npu = [topology](NodeId node) {
    const std::uint32_t nodes = topology->nodes();
    if (index(node) < nodes) return waves::NpuWave{fred_node_name(*topology, index(node)), 0};
    return waves::NpuWave{"fabric." + topology->chiplets()[index(node) - nodes].name, 0, true};
  };
  setup.switches = topology->chiplets().size();
  setup.fabric_switch = [topology, config](std::size_t chiplet) {
    return inside_of(config, topology->chiplets()[chiplet]);
  };
  return setup;
}

}  // namespace weft::wafer
