// SPDX-License-Identifier: Apache-2.0
// A RouterGraph with its routing function, as a network.
#pragma once

#include <memory>
#include <string>

#include "config/config.h"
#include "network/graph_routing.h"
#include "network/network.h"
#include "network/router_graph.h"

namespace weft::network {

/// Rows are all links in the order of their numbers.
class GraphNetwork final : public Network {
 public:
  /// For a `fabric.kind` of network/kinds. Throws InputError for what cannot be built.
  explicit GraphNetwork(const Config& config);

  const RouterGraph& graph() const { return graph_; }
  const GraphRouting& routing() const { return *routing_; }

  std::size_t endpoints() const override { return graph_.npus().size(); }
  std::size_t nodes() const override { return endpoints(); }
  Node node(NodeId node) const override;
  std::size_t links() const override { return graph_.links(); }
  Link link(LinkId link) const override;
  std::size_t link_rows() const override { return links(); }
  LinkRow link_row(std::size_t number) const override;
  LinkSource row_source(std::size_t number) const override;
  std::string summary() const override;

 private:
  FabricSpec fabric_;
  RouterGraph graph_;
  std::unique_ptr<GraphRouting> routing_;
};

}  // namespace weft::network
