// SPDX-License-Identifier: Apache-2.0
// Where I/O controllers of a mesh sit, and how many of their streams pass each link, counted over the trees, against
// counts by hand: a link carries the streams whose trees reach what lies behind it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "config/load.h"
#include "router/grid_names.h"
#include "sc_models/io_sites.h"
#include "sc_models/multicast_trees.h"

namespace weft::sc_models {
namespace {

using testing::ElementsAre;

Config mesh(int width, int height, int controllers, const std::string& routing) {
  return load_config_text(
      "fabric: {router: {multicast: true, buffer_flits: 128}}\nnpu: {message_classes: 2}\nworkload: {io: {size: 1 "
      "KiB}}\n",
      "mesh.yaml",
      {"fabric.size=[" + std::to_string(width) + ", " + std::to_string(height) + "]",
       "io.controllers=" + std::to_string(controllers), "io.routing=" + routing});
}

/// Streams on each link, by node and port.
std::map<std::pair<std::uint32_t, int>, int> streams_on_links(const Config& config) {
  const MulticastPlan plan = multicast_plan_of(config);
  std::map<std::pair<std::uint32_t, int>, int> streams;
  for (const BorderSite& site : border_io_sites(config.fabric)) {
    for (const MulticastBranch& branch : plan.trees.at({site.node, site.message_class})) {
      for (int port = 0; port < router::kMeshPorts; ++port) {
        if ((branch.outputs >> port & 1) != 0) ++streams[{index(branch.node), port}];
      }
    }
  }
  return streams;
}

/// The same, by hand, with a controller at each of the 2 (W + H) sites.
int expected(const Config& config, std::uint32_t node, PortId port) {
  const int width = config.fabric.size_x;
  const int height = config.fabric.size_y;
  const int x = static_cast<int>(node) % width;
  const int y = static_cast<int>(node) / width;
  if (port == router::kLocal) return 2 * (width + height);
  const bool along_x = port == router::kEast || port == router::kWest;
  // Columns (rows) behind the link's sender, its own included; 0 where the link does not exist.
  const int behind = port == router::kEast    ? x + 1
                     : port == router::kWest  ? width - x
                     : port == router::kNorth ? y + 1
                                              : height - y;
  if (behind == (along_x ? width : height)) return 0;
  const bool edge_first = config.fabric.io.routing == IoRouting::kEdgeFirst;
  // Straight in: one from the side. Those along the other dimension first come from two sides, from each column (row).
  if (edge_first) return 1 + 2 * behind;
  if (!along_x) return width + 2 * behind;  // bottom or top: all its streams turn into all columns
  return 1 + (y == 0 ? behind : 0) + (y == height - 1 ? behind : 0);
}

TEST(IoTrees, each_link_carries_the_streams_counted_by_hand) {
  for (int width = 1; width <= 6; ++width) {
    for (int height = 1; height <= 5; ++height) {
      for (const char* routing : {"edge_first", "xy"}) {
        const Config config = mesh(width, height, 2 * (width + height), routing);
        auto streams = streams_on_links(config);
        for (std::uint32_t node = 0; node < static_cast<std::uint32_t>(width * height); ++node) {
          for (std::uint8_t port = 0; port < router::kMeshPorts; ++port) {
            EXPECT_EQ((streams[{node, port}]), expected(config, node, PortId{port}))
                << width << " x " << height << ", " << routing << ", node " << node << ", port " << int{port};
          }
        }
      }
    }
  }
}

/// Streams on the busiest link between routers.
int most(const Config& config) {
  int most = 0;
  for (const auto& [link, streams] : streams_on_links(config)) {
    if (link.second != index(router::kLocal)) most = std::max(most, streams);
  }
  return most;
}

TEST(IoTrees, hot_spot_of_the_paper) {
  for (int n = 2; n <= 8; ++n) {
    EXPECT_EQ(most(mesh(n, n, 4 * n, "edge_first")), 2 * n - 1) << n;
    EXPECT_EQ(most(mesh(n, n, 4 * n, "xy")), 3 * n - 2) << n;
  }
  EXPECT_EQ(most(mesh(5, 4, 18, "edge_first")), 9);
  EXPECT_EQ(most(mesh(5, 4, 18, "xy")), 11);
}

TEST(IoTrees, each_reaches_every_node_once) {
  const Config config = mesh(5, 4, 18, "edge_first");
  for (const auto& [name, branches] : multicast_plan_of(config).trees) {
    std::set<std::uint32_t> nodes;
    std::size_t links = 0;
    for (const MulticastBranch& branch : branches) {
      nodes.insert(index(branch.node));
      EXPECT_TRUE((branch.outputs >> index(router::kLocal) & 1) != 0);
      links += static_cast<std::size_t>(__builtin_popcount(branch.outputs)) - 1;
    }
    EXPECT_EQ(nodes.size(), 20U);
    EXPECT_EQ(links, 19U);  // a tree
  }
}

TEST(BorderSites, left_right_bottom_top) {
  const auto places_of = [](const Config& config) {
    std::vector<std::uint32_t> nodes;
    for (const BorderSite& site : border_io_sites(config.fabric)) nodes.push_back(index(site.node));
    return nodes;
  };
  EXPECT_THAT(places_of(mesh(3, 2, 10, "edge_first")), ElementsAre(0, 3, 2, 5, 0, 1, 2, 3, 4, 5));
  EXPECT_THAT(places_of(mesh(3, 2, 3, "edge_first")), ElementsAre(0, 3, 2));
  EXPECT_THAT(places_of(mesh(1, 1, 4, "xy")), ElementsAre(0, 0, 0, 0));
}

TEST(BorderSites, streams_along_y_first_have_a_message_class_of_their_own) {
  for (const BorderSite& site : border_io_sites(mesh(3, 2, 10, "edge_first").fabric)) {
    const bool horizontal = site.side == Side::kLeft || site.side == Side::kRight;
    EXPECT_EQ(site.x_first, horizontal);
    EXPECT_EQ(site.message_class, horizontal ? 0 : 1);
  }
  for (const BorderSite& site : border_io_sites(mesh(3, 2, 10, "xy").fabric)) {
    EXPECT_TRUE(site.x_first);
    EXPECT_EQ(site.message_class, 0);
  }
}

}  // namespace
}  // namespace weft::sc_models
