// SPDX-License-Identifier: Apache-2.0
// Algorithm `hierarchical_2d`, for groups that are every crossing of some rows and columns of a mesh or torus. The data
// is two halves that use the dimensions in opposite order and run round the rings in opposite directions, so that
// both dimensions and both directions of every wire work at once:
// all_reduce: half 0 is reduce-scattered in x, all-reduced in y, all-gathered in x; half 1 the same with x and y
// exchanged. reduce_scatter and all_gather: one dimension, then the other. broadcast and reduce: along the root's
// line, and from it across. Each line is a ring as in line_ring(); broadcast and reduce go along it both ways.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/error.h"
#include "npu/program/registry.h"
#include "npu/program/ring_order.h"
#include "npu/program/tree.h"

namespace weft::npu {
namespace {

constexpr std::uint32_t kHalves = 2;

Grid grid_of(const ProgramRequest& request) {
  std::vector<NodeId> nodes = request.nodes;
  for (std::uint32_t i = static_cast<std::uint32_t>(nodes.size()); i < request.ranks; ++i) nodes.push_back(NodeId{i});
  if (request.size_x <= 0) {
    throw InputError("algorithm hierarchical_2d needs to know the size of the mesh that the group is on");
  }
  Grid grid = find_grid(nodes, request.size_x);
  if (grid.ranks.empty()) {
    throw InputError(
        fmt::format("algorithm hierarchical_2d needs a group that fills every crossing of some rows and columns of "
                    "the fabric; these {} ranks do not",
                    request.ranks));
  }
  return grid;
}

/// Ranks by place in the grid, dimension 0 = x, 1 = y.
class Plane {
 public:
  explicit Plane(const ProgramRequest& request) : grid_(grid_of(request)) {
    place_.resize(grid_.ranks.size());
    for (std::uint32_t i = 0; i < grid_.ranks.size(); ++i) {
      place_[grid_.ranks[i]] = {i % grid_.columns(), i / grid_.columns()};
    }
  }
  std::uint32_t size(std::uint32_t dimension) const { return dimension == 0 ? grid_.columns() : grid_.rows(); }
  std::uint32_t coordinate(std::uint32_t rank, std::uint32_t dimension) const { return place_[rank][dimension]; }
  std::uint32_t rank(std::uint32_t x, std::uint32_t y) const { return grid_.ranks[y * grid_.columns() + x]; }
  /// The rank at `coordinate` of `dimension` in the line of `rank` along it.
  std::uint32_t on_line(std::uint32_t rank_on, std::uint32_t dimension, std::uint32_t coordinate) const {
    return dimension == 0 ? rank(coordinate, place_[rank_on][1]) : rank(place_[rank_on][0], coordinate);
  }
  bool row_major() const {
    for (std::uint32_t i = 0; i < grid_.ranks.size(); ++i) {
      if (grid_.ranks[i] != i) return false;
    }
    return true;
  }
  const Grid& grid() const { return grid_; }

 private:
  Grid grid_;
  std::vector<std::array<std::uint32_t, 2>> place_;
};

/// The rings of all lines along one dimension, in one direction. Positions are taken modulo the length.
class LineRing {
 public:
  LineRing(std::uint32_t length, bool closed, bool backwards) : order_(line_ring(length, closed)), position_(length) {
    if (backwards) std::reverse(order_.begin(), order_.end());
    for (std::uint32_t i = 0; i < length; ++i) position_[order_[i]] = i;
  }
  std::int64_t position(std::uint32_t coordinate) const { return position_[coordinate]; }
  std::uint32_t coordinate(std::int64_t position) const {
    const auto n = static_cast<std::int64_t>(order_.size());
    return order_[static_cast<std::size_t>(((position % n) + n) % n)];
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;
};

/// all_reduce, reduce_scatter, all_gather. Both halves take the same number of steps; step k of half h is instruction
/// 4k + 2h (send) and 4k + 2h + 1 (receive), and has the tag 2k + h.
class PlaneSteps final : public Program {
 public:
  explicit PlaneSteps(const ProgramRequest& request)
      : Program({request.kind, request.ranks, request.root,
                 request.kind == CollectiveKind::kAllReduce ? kHalves * request.ranks : kHalves, 0, true}),
        plane_(request) {
    const bool whole_x = request.torus && plane_.size(0) == static_cast<std::uint32_t>(request.size_x);
    const bool whole_y = request.torus && plane_.size(1) == static_cast<std::uint32_t>(request.size_y);
    for (const bool backwards : {false, true}) {
      rings_.push_back({LineRing(plane_.size(0), whole_x, backwards), LineRing(plane_.size(1), whole_y, backwards)});
    }
    if (request.kind != CollectiveKind::kAllReduce && !plane_.row_major()) {
      throw InputError(fmt::format(
          "{} by hierarchical_2d needs the group's ranks in the order of their places, row by row from the lowest node",
          kind_name(request.kind)));
    }
  }

  std::uint32_t length(std::uint32_t /*rank*/) const override { return 2 * kHalves * steps(); }

  Instruction at(std::uint32_t rank, std::uint32_t index) const override {
    const std::uint32_t half = index / 2 % kHalves;
    const std::uint32_t step = index / (2 * kHalves);
    const Phase phase = phase_of(half, step);
    const LineRing& ring = rings_[half][phase.dimension];
    const std::int64_t p = ring.position(plane_.coordinate(rank, phase.dimension));
    const std::int64_t sent = phase.scatter ? p - 1 - phase.step : p - phase.step;
    const auto neighbour = [&](std::int64_t place) {
      return plane_.on_line(rank, phase.dimension, ring.coordinate(place));
    };
    Instruction result;
    result.hints.queue = static_cast<std::uint8_t>(phase.dimension);
    if (index % 2 == 0) {
      result.op = Op::kSend;
      result.to = {neighbour(p + 1)};
      result.send_tag = kHalves * step + half;
      result.src = slice(rank, half, phase, ring.coordinate(sent));
      if (step > 0) result.deps = {receive_index(half, step - 1)};
      return result;
    }
    result.op = phase.scatter ? Op::kRecvReduce : Op::kRecv;
    result.from = neighbour(p - 1);
    result.recv_tag = kHalves * step + half;
    result.dst = slice(rank, half, phase, ring.coordinate(sent - 1));
    if (phase.scatter) result.src = result.dst;
    // What comes from one neighbour is taken in order; a final chunk must not overwrite a partial one that has not
    // left.
    if (step > 0) result.deps.push_back(receive_index(half, step - 1));
    if (phase.partner_step >= 0)
      result.deps.push_back(send_index(half, static_cast<std::uint32_t>(phase.partner_step)));
    return result;
  }

 private:
  struct Phase {
    std::uint32_t dimension;
    bool outer;                      ///< on slices of many chunks: the half's first dimension of a scatter
    bool scatter;                    ///< reduce-scatter, else all-gather
    std::uint32_t step;              ///< within the phase
    std::int64_t partner_step = -1;  ///< of a gather: the step in which the same slice left as a partial sum
  };

  static std::uint32_t send_index(std::uint32_t half, std::uint32_t step) { return 2 * kHalves * step + 2 * half; }
  static std::uint32_t receive_index(std::uint32_t half, std::uint32_t step) { return send_index(half, step) + 1; }

  std::uint32_t steps() const {
    const std::uint32_t one_way = plane_.size(0) + plane_.size(1) - 2;
    return shape().kind == CollectiveKind::kAllReduce ? 2 * one_way : one_way;
  }

  // Scattering goes from the outer to the inner dimension, gathering back.
  Phase phase_of(std::uint32_t half, std::uint32_t step) const {
    const std::uint32_t outer = half;
    const std::uint32_t inner = 1 - half;
    const std::uint32_t outer_steps = plane_.size(outer) - 1;
    const std::uint32_t inner_steps = plane_.size(inner) - 1;
    const bool scatters = shape().kind != CollectiveKind::kAllGather;
    const std::uint32_t scatter_steps = scatters ? outer_steps + inner_steps : 0;
    if (step < scatter_steps) {
      if (step < outer_steps) return {outer, true, true, step};
      return {inner, false, true, step - outer_steps};
    }
    const std::uint32_t k = step - scatter_steps;
    if (k < inner_steps) return {inner, false, false, k, scatters ? static_cast<std::int64_t>(outer_steps + k) : -1};
    return {outer, true, false, k - inner_steps, scatters ? static_cast<std::int64_t>(k - inner_steps) : -1};
  }

  // What the line's rank at `coordinate` answers for.
  Slice slice(std::uint32_t rank, std::uint32_t half, const Phase& phase, std::uint32_t coordinate) const {
    const std::uint32_t outer = half;
    const std::uint32_t inner = 1 - half;
    const std::uint32_t inner_size = plane_.size(inner);
    if (shape().kind == CollectiveKind::kAllReduce) {
      const std::uint32_t base = half * ranks();
      if (phase.outer) return {Buffer::kInput, base + coordinate * inner_size, inner_size, 1};
      return {Buffer::kInput, base + plane_.coordinate(rank, outer) * inner_size + coordinate, 1, 1};
    }
    const Buffer buffer = shape().kind == CollectiveKind::kReduceScatter ? Buffer::kInput : Buffer::kOutput;
    if (!phase.outer) return {buffer, kHalves * plane_.on_line(rank, inner, coordinate) + half, 1, 1};
    const std::uint32_t columns = plane_.size(0);
    const std::uint32_t first = outer == 0 ? coordinate : coordinate * columns;
    return {buffer, kHalves * first + half, inner_size, outer == 0 ? kHalves * columns : kHalves};
  }

  Plane plane_;
  std::vector<std::array<LineRing, 2>> rings_;  ///< [half][dimension]
};

/// broadcast, reduce, barrier: half 0 runs along the root's row and from each of its ranks along the columns.
class PlaneTrees final : public TreeProgram {
 public:
  explicit PlaneTrees(const ProgramRequest& request)
      : TreeProgram(request.kind, request.ranks, request.root, request.kind == CollectiveKind::kBarrier ? 1 : kHalves),
        plane_(request) {}

 protected:
  TreeNode node(std::uint32_t rank, std::uint32_t tree) const override {
    const std::uint32_t first = tree;
    const std::uint32_t second = 1 - tree;
    TreeNode node;
    // Off the root's line: away from it. On it: away from the root, and across in both directions.
    if (plane_.coordinate(rank, second) == plane_.coordinate(shape().root, second)) {
      extend(rank, first, node);
    }
    extend(rank, second, node);
    return node;
  }

 private:
  void extend(std::uint32_t rank, std::uint32_t dimension, TreeNode& node) const {
    const std::uint32_t here = plane_.coordinate(rank, dimension);
    const std::uint32_t origin = plane_.coordinate(shape().root, dimension);
    if (here > origin) node.parent = plane_.on_line(rank, dimension, here - 1);
    if (here < origin) node.parent = plane_.on_line(rank, dimension, here + 1);
    if (here >= origin && here + 1 < plane_.size(dimension)) {
      node.children.push_back(plane_.on_line(rank, dimension, here + 1));
    }
    if (here <= origin && here > 0) node.children.push_back(plane_.on_line(rank, dimension, here - 1));
  }

  Plane plane_;
};

class Hierarchical2d final : public Algorithm {
 public:
  std::string name() const override { return "hierarchical_2d"; }
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::kAllReduce, CollectiveKind::kReduce,        CollectiveKind::kAllGather,
            CollectiveKind::kBroadcast, CollectiveKind::kReduceScatter, CollectiveKind::kBarrier};
  }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    switch (request.kind) {
      case CollectiveKind::kReduce:
      case CollectiveKind::kBroadcast:
      case CollectiveKind::kBarrier:
        return std::make_unique<PlaneTrees>(request);
      default:
        return std::make_unique<PlaneSteps>(request);
    }
  }
};

}  // namespace

const Algorithm& hierarchical_2d_algorithm() {
  static const Hierarchical2d algorithm;
  return algorithm;
}

}  // namespace weft::npu
