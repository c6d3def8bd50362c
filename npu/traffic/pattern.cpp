// SPDX-License-Identifier: Apache-2.0
#include "npu/traffic/pattern.h"

#include <fmt/format.h>

#include "base/error.h"
#include "npu/traffic/permutation_file.h"

namespace weft::npu {
namespace {

/// Every node, the source included, with the same probability.
class Uniform final : public TrafficPattern {
 public:
  explicit Uniform(int nodes) : nodes_(static_cast<std::uint64_t>(nodes)) {}
  NodeId destination(NodeId, RandomStream& random) const override {
    return NodeId(static_cast<std::uint32_t>(random.below(nodes_)));
  }

 private:
  std::uint64_t nodes_;
};

/// Every listed node with the same probability.
class Hotspot final : public TrafficPattern {
 public:
  explicit Hotspot(std::vector<NodeId> hotspots) : hotspots_(std::move(hotspots)) {}
  NodeId destination(NodeId, RandomStream& random) const override { return hotspots_[random.below(hotspots_.size())]; }

 private:
  std::vector<NodeId> hotspots_;
};

/// One fixed destination per source.
class Fixed final : public TrafficPattern {
 public:
  explicit Fixed(std::vector<NodeId> to) : to_(std::move(to)) {}
  NodeId destination(NodeId src, RandomStream&) const override { return to_[index(src)]; }

 private:
  std::vector<NodeId> to_;
};

template <typename Map>
std::unique_ptr<TrafficPattern> by_coordinates(int size_x, int size_y, Map map) {
  std::vector<NodeId> to;
  for (int y = 0; y < size_y; ++y) {
    for (int x = 0; x < size_x; ++x) {
      const auto [to_x, to_y] = map(x, y);
      to.push_back(NodeId(static_cast<std::uint32_t>(to_y * size_x + to_x)));
    }
  }
  return std::make_unique<Fixed>(std::move(to));
}

using Pair = std::pair<int, int>;

}  // namespace

std::vector<std::string> pattern_names() {
  return {"uniform", "transpose", "bitcomp", "neighbor", "tornado", "hotspot", "permutation"};
}

std::unique_ptr<TrafficPattern> make_pattern(const TrafficWorkload& traffic, int size_x, int size_y) {
  const std::string& name = traffic.pattern;
  if (name == "uniform") return std::make_unique<Uniform>(size_x * size_y);
  if (name == "hotspot") {
    if (traffic.hotspots.empty()) {
      throw InputError("workload.traffic.hotspots: pattern 'hotspot' needs a list of nodes");
    }
    return std::make_unique<Hotspot>(traffic.hotspots);
  }
  if (name == "permutation") {
    return std::make_unique<Fixed>(read_permutation(traffic.file, static_cast<std::uint32_t>(size_x * size_y)));
  }
  if (name == "transpose") {
    if (size_x != size_y) {
      throw InputError(fmt::format(
          "workload.traffic.pattern: 'transpose' needs a square fabric; fabric.size is {} x {}", size_x, size_y));
    }
    return by_coordinates(size_x, size_y, [](int x, int y) { return Pair{y, x}; });
  }
  if (name == "bitcomp") {
    return by_coordinates(size_x, size_y, [=](int x, int y) { return Pair{size_x - 1 - x, size_y - 1 - y}; });
  }
  if (name == "neighbor") {
    return by_coordinates(size_x, size_y, [=](int x, int y) { return Pair{(x + 1) % size_x, (y + 1) % size_y}; });
  }
  if (name == "tornado") {
    return by_coordinates(size_x, size_y, [=](int x, int y) {
      return Pair{(x + (size_x + 1) / 2 - 1) % size_x, (y + (size_y + 1) / 2 - 1) % size_y};
    });
  }
  throw InputError(
      fmt::format("workload.traffic.pattern: no pattern '{}'; known: {}", name, fmt::join(pattern_names(), ", ")));
}

}  // namespace weft::npu
