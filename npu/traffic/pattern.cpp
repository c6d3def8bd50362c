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

using Made = std::unique_ptr<TrafficPattern>;

Made make_uniform(const TrafficWorkload&, int size_x, int size_y) { return std::make_unique<Uniform>(size_x * size_y); }
Made make_transpose(const TrafficWorkload&, int size_x, int size_y) {
  if (size_x != size_y) {
    throw InputError(fmt::format("workload.traffic.pattern: 'transpose' needs a square fabric; fabric.size is {} x {}",
                                 size_x, size_y));
  }
  return by_coordinates(size_x, size_y, [](int x, int y) { return Pair{y, x}; });
}
Made make_bitcomp(const TrafficWorkload&, int size_x, int size_y) {
  return by_coordinates(size_x, size_y, [=](int x, int y) { return Pair{size_x - 1 - x, size_y - 1 - y}; });
}
Made make_neighbor(const TrafficWorkload&, int size_x, int size_y) {
  return by_coordinates(size_x, size_y, [=](int x, int y) { return Pair{(x + 1) % size_x, (y + 1) % size_y}; });
}
Made make_tornado(const TrafficWorkload&, int size_x, int size_y) {
  return by_coordinates(size_x, size_y, [=](int x, int y) {
    return Pair{(x + (size_x + 1) / 2 - 1) % size_x, (y + (size_y + 1) / 2 - 1) % size_y};
  });
}
Made make_hotspot(const TrafficWorkload& traffic, int, int) {
  if (traffic.hotspots.empty()) {
    throw InputError("workload.traffic.hotspots: pattern 'hotspot' needs a list of nodes");
  }
  return std::make_unique<Hotspot>(traffic.hotspots);
}
Made make_permutation(const TrafficWorkload& traffic, int size_x, int size_y) {
  return std::make_unique<Fixed>(read_permutation(traffic.file, static_cast<std::uint32_t>(size_x * size_y)));
}

const PatternPolicy kUniform{{"uniform", "any node, the source included"}, make_uniform};
const PatternPolicy kTranspose{{"transpose", "(x,y) to (y,x)"}, make_transpose};
const PatternPolicy kBitcomp{{"bitcomp", "(X-1-x, Y-1-y)"}, make_bitcomp};
const PatternPolicy kNeighbor{{"neighbor", "(x+1, y+1) around"}, make_neighbor};
const PatternPolicy kTornado{{"tornado", "(x, y) + ceil(size / 2) - 1 around"}, make_tornado};
const PatternPolicy kHotspot{{"hotspot", "the listed nodes"}, make_hotspot};
const PatternPolicy kPermutation{{"permutation", "from a file"}, make_permutation};

}  // namespace

const PolicyList<PatternPolicy>& pattern_policies() {
  static const PolicyList<PatternPolicy> list(
      "workload.traffic.pattern: no pattern",
      {&kUniform, &kTranspose, &kBitcomp, &kNeighbor, &kTornado, &kHotspot, &kPermutation});
  return list;
}

std::unique_ptr<TrafficPattern> make_pattern(const TrafficWorkload& traffic, int size_x, int size_y) {
  return pattern_policies().at(traffic.pattern).make(traffic, size_x, size_y);
}

}  // namespace weft::npu
