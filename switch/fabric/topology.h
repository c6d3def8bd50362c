// SPDX-License-Identifier: Apache-2.0
// The fabric of FRED switches as a description: chiplets, their ports, and the links between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "switch/network/switch_spec.h"

namespace weft::fred {

/// Where a chiplet belongs. All planes are alike; at higher levels a logical switch is several slices per plane, each
/// of which takes some uplinks of every child.
struct ChipletCoordinates {
  int level = 0;
  int group = 0;
  int slice = 0;
  int plane = 0;
};

/// Other end of a chiplet's port.
struct PortPeer {
  enum Kind : std::uint8_t { kNothing, kNode, kChiplet };
  Kind kind = kNothing;
  std::uint32_t node = 0;     ///< NPUs first, then I/O controllers
  std::uint32_t chiplet = 0;  ///< with `port` of it
  std::uint8_t port = 0;
  Cycle latency = 1;      ///< latency of the wire
  Cycle flit_cycles = 1;  ///< from a flit's first to its last bit
};

struct Chiplet {
  ChipletCoordinates coordinates;
  std::string name;  ///< "l1[2].plane[0]", "l2[0].slice[1].plane[3]"
  int down_ports = 0;
  int uplinks = 0;  ///< ports down_ports .. down_ports + uplinks - 1
  SwitchSpec spec;
  std::vector<PortPeer> peers;  ///< by port
};

/// What all chiplets of a level have in common.
struct LevelShape {
  int groups = 1;
  int children = 1;         ///< children of each logical switch; at level 0 NPUs
  int slices = 1;           ///< chiplets of a logical switch in one plane
  int links_per_child = 1;  ///< ports of a chiplet towards each child
  int uplinks = 0;          ///< uplinks of each chiplet
};

/// Reads a resolved configuration of kind fred. Ports of a chiplet: towards the children (child c, link j at
/// c x links_per_child + j), uplinks, I/O controllers, unused ones.
class FredTopology {
 public:
  /// Throws InputError where the numbers do not fit each other.
  explicit FredTopology(const FabricSpec& fabric, std::uint32_t packet_flits);

  const std::vector<Chiplet>& chiplets() const { return chiplets_; }
  const std::vector<LevelShape>& levels() const { return levels_; }
  int planes() const { return planes_; }
  std::uint32_t npus() const { return npus_; }
  std::uint32_t nodes() const { return npus_ + io_; }

  std::uint32_t chiplet(ChipletCoordinates coordinates) const;
  /// Chiplets of one plane: their numbers are multiples of planes() plus the plane.
  std::uint32_t position(std::uint32_t chiplet) const { return chiplet / static_cast<std::uint32_t>(planes_); }
  std::uint32_t positions() const { return static_cast<std::uint32_t>(chiplets_.size()) / planes_count(); }
  std::uint32_t chiplet_at(std::uint32_t position, int plane) const {
    return position * planes_count() + static_cast<std::uint32_t>(plane);
  }
  /// The name that the chiplets at a position of all planes have in common: "l1[2]".
  std::string position_name(std::uint32_t position) const {
    return name_of(chiplets_[chiplet_at(position, 0)].coordinates, -1);
  }
  /// Links by number, for probes: plane_link() of all nodes, then the ports of all chiplets.
  LinkId link_of(std::uint32_t chiplet, std::uint32_t port) const {
    return LinkId{nodes() * planes_count() + first_port_[chiplet] + port};
  }
  /// Chiplet and port of such a link.
  std::pair<std::uint32_t, std::uint32_t> port_of_link(LinkId link) const {
    const std::uint32_t port = index(link) - nodes() * planes_count();
    const auto after = std::upper_bound(first_port_.begin(), first_port_.end(), port);
    return {static_cast<std::uint32_t>(after - first_port_.begin() - 1), port - *(after - 1)};
  }
  std::size_t links() const { return std::size_t{nodes()} * planes_count() + ports_; }
  /// L1 switch of a node, and its port there.
  int group_of(std::uint32_t node) const { return node_group_[node]; }
  std::uint8_t port_of(std::uint32_t node) const { return node_port_[node]; }
  /// Uplinks that carry as much as one NPU's link to a plane: more of them do not speed up a flow.
  std::uint32_t uplinks_for_full_rate() const { return uplinks_for_full_rate_; }
  /// The same for the link of a node, which may be an I/O controller's.
  std::uint32_t uplinks_for(std::uint32_t node) const {
    return node < npus_ ? uplinks_for_full_rate_ : uplinks_for_io_;
  }
  /// Number of the uplink, among those of one chiplet of level `level`, that unicasts to `node` take where one uplink
  /// carries as much as an NPU's link: the number of the node's port modulo the uplinks ("d-mod-k" of fat trees), so
  /// that nodes below one switch are reached over different uplinks. Nothing where a unicast may take any uplink.
  std::optional<std::uint32_t> uplink_to(int level, std::uint32_t node) const;
  /// Group of the level-`level` switch above (or at) L1 switch `group`.
  int group_at(int level, int group) const;

 private:
  std::uint32_t planes_count() const { return static_cast<std::uint32_t>(planes_); }
  std::string name_of(const ChipletCoordinates& coordinates, int plane) const;
  void shape_levels(const FabricSpec& fabric);
  void attach_nodes(const FabricSpec& fabric);
  void add_chiplets(const FabricSpec& fabric, std::uint32_t packet_flits);
  void join_nodes(const FabricSpec& fabric);
  void join_levels(const FredSpec& fred);

  int planes_;
  std::uint32_t npus_;
  std::uint32_t io_;
  std::uint32_t uplinks_for_full_rate_ = 1;
  std::uint32_t uplinks_for_io_ = 1;
  std::vector<LevelShape> levels_;
  std::vector<std::uint32_t> first_of_level_;
  std::vector<Chiplet> chiplets_;          ///< by level, group, slice, plane
  std::vector<std::uint32_t> first_port_;  ///< by chiplet, among the ports of all
  std::uint32_t ports_ = 0;
  std::vector<int> node_group_;
  std::vector<std::uint8_t> node_port_;
};

}  // namespace weft::fred
