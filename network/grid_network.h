// SPDX-License-Identifier: Apache-2.0
// Mesh and torus: a router per NPU, in rows and columns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/config.h"
#include "network/grid.h"
#include "network/network.h"

namespace weft::network {

/// Links are numbered as in base/region_ports.h: six per node, those beyond an edge stand for none.
class GridNetwork final : public Network {
 public:
  explicit GridNetwork(const Config& config);

  const Grid& grid() const { return grid_; }

  std::size_t endpoints() const override { return static_cast<std::size_t>(grid_.nodes()); }
  std::size_t nodes() const override { return endpoints(); }
  Node node(NodeId node) const override;
  std::size_t links() const override;
  Link link(LinkId link) const override;
  std::size_t link_rows() const override { return links_.size(); }
  LinkRow link_row(std::size_t number) const override;
  LinkSource row_source(std::size_t number) const override;
  std::string summary() const override;

 private:
  const LinkSpec& spec_of(std::uint32_t slot) const;

  FabricSpec fabric_;
  bool npus_have_a_clock_;
  Grid grid_;
  std::vector<LinkId> links_;  ///< those that exist
};

/// Name of the link, or "" if there is none.
std::string link_name(const Grid& grid, LinkId link);

}  // namespace weft::network
