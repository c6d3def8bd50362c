// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/wafer_colours.h"

#include <cstdlib>
#include <unordered_map>

namespace weft::npu {
namespace {

struct Coordinates {
  int x;
  int y;
};

Coordinates coordinates_of(NodeId node, int size_x) {
  const auto number = static_cast<int>(node);
  return {number % size_x, number / size_x};
}

/// The colours that one stream has taken at each router.
class Taken {
 public:
  explicit Taken(int size_x) : size_x_(size_x) {}

  std::uint32_t on_route(NodeId from, NodeId to) {
    std::uint32_t all = 0;
    each_router(from, to, [&](int router) {
      const auto found = colours_.find(router);
      if (found != colours_.end()) all |= found->second;
    });
    return all;
  }
  void take(NodeId from, NodeId to, int colour) {
    each_router(from, to, [&](int router) { colours_[router] |= 1u << colour; });
  }

 private:
  template <typename Visit>
  void each_router(NodeId from, NodeId to, Visit visit) const {
    Coordinates at = coordinates_of(from, size_x_);
    const Coordinates end = coordinates_of(to, size_x_);
    visit(at.y * size_x_ + at.x);
    while (at.x != end.x || at.y != end.y) {
      if (at.x != end.x) {
        at.x += at.x < end.x ? 1 : -1;
      } else {
        at.y += at.y < end.y ? 1 : -1;
      }
      visit(at.y * size_x_ + at.x);
    }
  }

  int size_x_;
  std::unordered_map<int, std::uint32_t> colours_;
};

}  // namespace

std::optional<std::vector<std::uint8_t>> list_colours(const RootedLine& line, const std::vector<NodeId>& nodes,
                                                      int size_x, int most) {
  std::vector<std::uint8_t> colours(line.size(), 0);
  std::vector<std::uint32_t> ends;  // last senders of streams whose receivers have their colours
  const auto open = [&](std::uint32_t position, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) ends.push_back(line.child(position, k));
  };
  open(line.root(), line.child_count(line.root()));
  while (!ends.empty()) {
    std::uint32_t at = ends.back();
    ends.pop_back();
    Taken taken(size_x);
    taken.take(nodes[at], nodes[line.parent(at)], colours[line.parent(at)]);
    // Back along the stream: from each node to its last child.
    while (line.child_count(at) > 0) {
      const std::uint32_t last = line.child(at, line.child_count(at) - 1);
      const std::uint32_t used = taken.on_route(nodes[last], nodes[at]);
      int colour = 0;
      while ((used >> colour & 1) != 0) ++colour;
      if (colour >= most) return std::nullopt;
      colours[at] = static_cast<std::uint8_t>(colour);
      taken.take(nodes[last], nodes[at], colour);
      open(at, line.child_count(at) - 1);
      at = last;
    }
  }
  return colours;
}

bool ring_suits_colours(const std::vector<std::uint32_t>& order, const std::vector<NodeId>& nodes, int size_x) {
  if (size_x <= 0) return false;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const Coordinates a = coordinates_of(nodes[order[i]], size_x);
    const Coordinates b = coordinates_of(nodes[order[i + 1]], size_x);
    if (std::abs(a.x - b.x) + std::abs(a.y - b.y) != 1) return false;
  }
  return true;
}

}  // namespace weft::npu
