// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/ring_order.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace weft::npu {
namespace {

struct Point {
  int x;
  int y;
};

Point point_of(NodeId node, int size_x) {
  return {static_cast<int>(index(node)) % size_x, static_cast<int>(index(node)) / size_x};
}

// Rows 0..height-1 of a rectangle to and fro without column 0, then back along column 0. height must be even.
std::vector<Point> comb_cycle(int width, int height) {
  std::vector<Point> cycle;
  for (int y = 0; y < height; ++y) {
    for (int i = 1; i < width; ++i) cycle.push_back({y % 2 == 0 ? i : width - i, y});
  }
  for (int y = height - 1; y >= 0; --y) cycle.push_back({0, y});
  return cycle;
}

// Both sides odd: as comb_cycle for all but the last two rows, which are done column by column; from there to the
// foot of column 0 is the only step of two hops.
std::vector<Point> odd_cycle(int width, int height) {
  std::vector<Point> cycle;
  for (int y = 0; y < height - 2; ++y) {
    for (int i = 1; i < width; ++i) cycle.push_back({y % 2 == 0 ? i : width - i, y});
  }
  for (int x = width - 1; x >= 1; --x) {
    const bool down = (width - 1 - x) % 2 == 0;
    cycle.push_back({x, down ? height - 2 : height - 1});
    cycle.push_back({x, down ? height - 1 : height - 2});
  }
  for (int y = height - 1; y >= 0; --y) cycle.push_back({0, y});
  return cycle;
}

// Full torus, both sides odd, width <= height: each row is walked round once, `width` more rows one way than the
// other, so that the walk closes (each row shifts the start of the next by one column).
std::vector<Point> odd_torus_cycle(int width, int height) {
  std::vector<Point> cycle;
  const int forward_rows = (height + width) / 2;
  int start = 0;
  for (int y = 0; y < height; ++y) {
    const int step = y < forward_rows ? 1 : width - 1;
    for (int i = 0; i < width; ++i) cycle.push_back({(start + i * step) % width, y});
    start = cycle.back().x;
  }
  return cycle;
}

std::vector<Point> transposed(std::vector<Point> points) {
  for (Point& point : points) std::swap(point.x, point.y);
  return points;
}

std::vector<Point> rectangle_cycle(int width, int height, bool full_torus) {
  if (height % 2 == 0) return comb_cycle(width, height);
  if (width % 2 == 0) return transposed(comb_cycle(height, width));
  if (full_torus) {
    return width <= height ? odd_torus_cycle(width, height) : transposed(odd_torus_cycle(height, width));
  }
  return odd_cycle(width, height);
}

std::vector<std::uint32_t> grid_ring(const Grid& grid, int size_x, int size_y, bool torus) {
  const int width = static_cast<int>(grid.columns());
  const int height = static_cast<int>(grid.rows());
  const bool full_x = torus && width == size_x;
  const bool full_y = torus && height == size_y;
  std::vector<std::uint32_t> order;
  if (width == 1 || height == 1) {
    for (const std::uint32_t i : line_ring(static_cast<std::uint32_t>(width * height), height == 1 ? full_x : full_y)) {
      order.push_back(grid.ranks[i]);
    }
    return order;
  }
  for (const Point p : rectangle_cycle(width, height, full_x && full_y)) {
    order.push_back(grid.ranks[static_cast<std::size_t>(p.y) * grid.columns() + static_cast<std::size_t>(p.x)]);
  }
  return order;
}

std::vector<std::uint32_t> nearest_neighbour(const std::vector<Point>& points, int size_x, int size_y, bool torus) {
  const auto distance = [&](Point a, Point b) {
    int dx = std::abs(a.x - b.x);
    int dy = std::abs(a.y - b.y);
    if (torus) {
      dx = std::min(dx, size_x - dx);
      dy = std::min(dy, size_y - dy);
    }
    return dx + dy;
  };
  std::vector<std::uint32_t> order{0};
  std::vector<bool> used(points.size(), false);
  used[0] = true;
  while (order.size() < points.size()) {
    std::uint32_t best = 0;
    int best_distance = std::numeric_limits<int>::max();
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      if (used[i]) continue;
      const int d = distance(points[order.back()], points[i]);
      if (d < best_distance) {
        best_distance = d;
        best = i;
      }
    }
    used[best] = true;
    order.push_back(best);
  }
  return order;
}

std::vector<std::uint32_t> to_and_fro(const std::vector<Point>& points) {
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (points[a].y != points[b].y) return points[a].y < points[b].y;
    return points[a].y % 2 == 0 ? points[a].x < points[b].x : points[a].x > points[b].x;
  });
  return order;
}

bool without_gap(const std::vector<int>& values) {
  return values.empty() || values.back() - values.front() + 1 == static_cast<int>(values.size());
}

constexpr std::size_t kNearestNeighbourLimit = 4096;  // its cost is quadratic

}  // namespace

std::vector<std::uint32_t> line_ring(std::uint32_t length, bool closed) {
  std::vector<std::uint32_t> order(length);
  std::iota(order.begin(), order.end(), 0u);
  if (closed) return order;
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uint32_t evens = (length + 1) / 2;
    order[i] = i < evens ? 2 * i : 2 * (length - 1 - i) + 1;
  }
  return order;
}

Grid find_grid(const std::vector<NodeId>& nodes, int size_x) {
  std::set<int> xs;
  std::set<int> ys;
  for (const NodeId node : nodes) {
    xs.insert(point_of(node, size_x).x);
    ys.insert(point_of(node, size_x).y);
  }
  Grid grid;
  if (xs.size() * ys.size() != nodes.size()) return grid;
  grid.xs.assign(xs.begin(), xs.end());
  grid.ys.assign(ys.begin(), ys.end());
  std::vector<std::uint32_t> ranks(nodes.size(), ~std::uint32_t{0});
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const Point p = point_of(nodes[i], size_x);
    const auto column = std::lower_bound(grid.xs.begin(), grid.xs.end(), p.x) - grid.xs.begin();
    const auto row = std::lower_bound(grid.ys.begin(), grid.ys.end(), p.y) - grid.ys.begin();
    std::uint32_t& rank = ranks[static_cast<std::size_t>(row) * grid.xs.size() + static_cast<std::size_t>(column)];
    if (rank != ~std::uint32_t{0}) return grid;  // a node twice: then another crossing is missing
    rank = i;
  }
  grid.ranks = std::move(ranks);
  grid.adjacent = without_gap(grid.xs) && without_gap(grid.ys);
  return grid;
}

std::vector<std::uint32_t> switch_ring_order(const std::vector<NodeId>& nodes, int below) {
  std::map<int, std::vector<std::uint32_t>> members;  // by switch
  std::vector<int> switches;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const int here = static_cast<int>(index(nodes[i])) / below;
    if (members.count(here) == 0) switches.push_back(here);
    members[here].push_back(i);
  }
  std::vector<std::uint32_t> order;
  for (const int each : switches) order.insert(order.end(), members[each].begin(), members[each].end());
  return order;
}

std::vector<std::uint32_t> ring_order(const std::vector<NodeId>& nodes, int size_x, int size_y, bool torus) {
  std::vector<std::uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  if (nodes.size() < 3 || size_x <= 0) return order;
  const Grid grid = find_grid(nodes, size_x);
  if (!grid.ranks.empty() && grid.adjacent) {
    order = grid_ring(grid, size_x, size_y, torus);
  } else {
    std::vector<Point> points;
    points.reserve(nodes.size());
    for (const NodeId node : nodes) points.push_back(point_of(node, size_x));
    order =
        nodes.size() <= kNearestNeighbourLimit ? nearest_neighbour(points, size_x, size_y, torus) : to_and_fro(points);
  }
  std::rotate(order.begin(), std::find(order.begin(), order.end(), 0u), order.end());
  return order;
}

}  // namespace weft::npu
