// SPDX-License-Identifier: Apache-2.0
// A fabric as estimates see it: how far packets go, and how many parts there are. It asks the routing functions and
// flows that a run uses, and builds no state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/fabric_flows.h"
#include "config/config.h"
#include "network/network.h"
#include "switch/fabric/memory_need.h"

namespace weft::sc_models {

/// What the state of a fabric is made of.
struct FabricParts {
  double routers = 0;
  double router_ports = 0;
  int vcs = 0;  ///< that each of these ports has room for
  double chiplets = 0;
  double chiplet_ports = 0;
  double rtl_ports = 0;       ///< ports of chiplets in RTL
  double chiplet_buffer = 0;  ///< flits that the inputs of chiplets have room for
};

/// What a flit and a packet cost a run at a router or chiplet, and what a flit costs more whose packet goes to one
/// receiver, in ns of one core.
struct HopCost {
  double flit_hop;
  double packet_hop;
  double unicast_hop;
};

/// One fabric. The default answers are those of fabrics of routers without flows.
class FabricSketch {
 public:
  explicit FabricSketch(std::shared_ptr<const network::Network> network) : network_(std::move(network)) {}
  virtual ~FabricSketch() = default;
  const network::Network& network() const { return *network_; }
  /// What packets pass, for people.
  virtual const char* hop_name() const { return "routers"; }
  /// As measured; runs/estimate/cost_table.h says how.
  virtual HopCost hop_cost() const = 0;
  /// What it is built of, in lines for people; the first one goes on behind the network's summary.
  virtual std::string text(const Config& config) const;
  virtual FabricParts parts() const = 0;
  /// How many routers or chiplets a packet from one endpoint to another passes. `random` makes its choices;
  /// what depends on the traffic is taken as if there were none.
  virtual std::uint32_t hops(NodeId from, NodeId to, std::uint64_t random) const = 0;
  /// About as many hops as the longest route has.
  virtual std::uint32_t longest() const = 0;

  /// As Fabric::flows.
  virtual FlowDirectory* flows() { return nullptr; }
  /// What the stored settings of all flows that were asked for need; none = the fabric stores no settings.
  virtual std::optional<fred::MemoryNeed> setting_need() const { return std::nullopt; }
  /// How many outputs of switches a packet of this flow leaves, on average over its stripes.
  virtual double flow_outputs(std::uint32_t flow) const;
  /// At how many endpoints its data come out.
  virtual double flow_receivers(std::uint32_t flow) const;

 private:
  std::shared_ptr<const network::Network> network_;
};

/// The sketch of a network that has been built from `config`.
using NetworkPointer = std::shared_ptr<const network::Network>;
std::unique_ptr<FabricSketch> sketch_of_grid(const NetworkPointer& network, const Config& config);
std::unique_ptr<FabricSketch> sketch_of_graph(const NetworkPointer& network, const Config& config);
std::unique_ptr<FabricSketch> sketch_of_switches(const NetworkPointer& network, const Config& config);

}  // namespace weft::sc_models
