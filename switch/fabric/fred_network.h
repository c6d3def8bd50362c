// SPDX-License-Identifier: Apache-2.0
// A fabric of FRED switches as nodes and links with names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "network/network.h"
#include "switch/fabric/topology.h"

namespace weft::fred {

/// Links: those of network interfaces by node and plane (`npu[3].out.plane[2]`), then the ports of all chiplets
/// (`fabric.l1[2].plane[0].port[3]`). VCs are the traffic classes mp, pp, dp and control. Each chiplet is a switch.
class FredNetwork final : public network::Network {
 public:
  /// Throws InputError for a fabric that cannot be built.
  explicit FredNetwork(const Config& config);

  const FredTopology& topology() const { return topology_; }

  std::size_t endpoints() const override { return topology_.nodes(); }
  std::size_t nodes() const override { return endpoints() + topology_.chiplets().size(); }
  network::Node node(NodeId node) const override;
  std::size_t links() const override { return topology_.links(); }
  network::Link link(LinkId link) const override;
  std::size_t link_rows() const override { return rows_.size(); }
  network::LinkRow link_row(std::size_t number) const override;
  network::LinkSource row_source(std::size_t number) const override { return rows_[number]; }
  std::string summary() const override;

 private:
  std::string endpoint_name(std::uint32_t node) const;
  std::string peer_name(const PortPeer& peer) const;
  network::Link interface_link(std::uint32_t node, int plane) const;
  network::Link port_link(std::uint32_t chiplet, std::uint32_t port) const;

  FabricSpec fabric_;
  FredTopology topology_;
  std::vector<network::LinkSource> rows_;
};

/// Name of the link out of a chiplet's port.
std::string port_link_name(const Chiplet& chiplet, std::uint32_t port);

}  // namespace weft::fred
