// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/plane_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/rational.h"

namespace weft::npu {
namespace {

Grid grid_of(const ProgramRequest& request, const std::string& algorithm) {
  std::vector<NodeId> nodes = request.nodes;
  for (std::uint32_t i = static_cast<std::uint32_t>(nodes.size()); i < request.ranks; ++i) nodes.push_back(NodeId{i});
  if (request.size_x <= 0) {
    throw InputError(fmt::format("algorithm {} needs to know the size of the mesh that the group is on", algorithm));
  }
  Grid grid = find_grid(nodes, request.size_x);
  if (grid.ranks.empty()) {
    throw InputError(fmt::format(
        "algorithm {} needs a group that fills every crossing of some rows and columns of the fabric; these {} ranks "
        "do not",
        algorithm, request.ranks));
  }
  return grid;
}

bool closed_along(const ProgramRequest& request, std::uint32_t size, int fabric_size) {
  return request.torus && size == static_cast<std::uint32_t>(fabric_size);
}

/// Sizes of the parts of what `request` asks for, as units of an all-reduce.
PlaneSplit split_of(const ProgramRequest& request, const Plane& plane, std::uint32_t parts) {
  if (parts == 1) return {1, 1};
  return balanced_split(plane.size(0), plane.size(1), closed_along(request, plane.size(0), request.size_x),
                        closed_along(request, plane.size(1), request.size_y));
}

ProgramShape shape_of(const ProgramRequest& request, std::uint32_t parts, const PlaneSplit& split) {
  const bool whole = request.kind == CollectiveKind::kAllReduce;
  return {request.kind, request.ranks, request.root, whole ? split.whole * request.ranks : parts, 0, true};
}

/// The fraction nearest to a / b, 0 < a < b, whose denominator is at most `most`.
PlaneSplit nearest_fraction(std::uint64_t a, std::uint64_t b, std::uint32_t most) {
  const std::uint64_t divisor = std::gcd(a, b);
  if (b / divisor <= most) return {static_cast<std::uint32_t>(a / divisor), static_cast<std::uint32_t>(b / divisor)};
  PlaneSplit best;
  // |a / b - p / q| = |a q - p b| / (b q); all exact.
  const auto distance = [&](std::uint64_t p, std::uint64_t q) {
    const UInt128 left = static_cast<UInt128>(a) * q;
    const UInt128 right = static_cast<UInt128>(p) * b;
    return left > right ? left - right : right - left;
  };
  for (std::uint32_t q = 2; q <= most; ++q) {
    const auto rounded =
        static_cast<std::uint64_t>((static_cast<UInt128>(a) * q * 2 + b) / (static_cast<UInt128>(b) * 2));
    const std::uint64_t p = std::clamp<std::uint64_t>(rounded, 1, q - 1);
    if (distance(p, q) * best.whole < distance(best.first, best.whole) * q) {
      best = {static_cast<std::uint32_t>(p), q};
    }
  }
  return best;
}

}  // namespace

// In units of 2 / (W H) of the data, each rank sends in an all-reduce with the share f in part 0
//   along x: f (W - 1) H + (1 - f) (W - 1),  along y: f (H - 1) + (1 - f) (H - 1) W,
// the first term of part 0, the second of part 1. On an open line each link carries both terms in both directions, as
// a ring crosses it once each way. On a closed one each direction carries one term; the larger one is that of the part
// which begins along the dimension. Equal loads give f.
PlaneSplit balanced_split(std::uint32_t width, std::uint32_t height, bool closed_x, bool closed_y) {
  if (width < 2 || height < 2) return {};
  const std::uint64_t x = width - 1;
  const std::uint64_t y = height - 1;
  const std::uint64_t x_of_other = closed_x ? 0 : x;
  const std::uint64_t y_of_other = closed_y ? 0 : y;
  return nearest_fraction(y * width - x_of_other, x * height - x_of_other + y * width - y_of_other, kMostUnits);
}

Plane::Plane(const ProgramRequest& request, const std::string& algorithm) : grid_(grid_of(request, algorithm)) {
  coordinates_.resize(grid_.ranks.size());
  for (std::uint32_t i = 0; i < grid_.ranks.size(); ++i) {
    coordinates_[grid_.ranks[i]] = {i % grid_.columns(), i / grid_.columns()};
  }
}

bool Plane::row_major() const {
  for (std::uint32_t i = 0; i < grid_.ranks.size(); ++i) {
    if (grid_.ranks[i] != i) return false;
  }
  return true;
}

LineRing::LineRing(std::uint32_t length, bool closed, bool backwards)
    : order_(line_ring(length, closed)), position_(length) {
  if (backwards) std::reverse(order_.begin(), order_.end());
  for (std::uint32_t i = 0; i < length; ++i) position_[order_[i]] = i;
}

PlaneSteps::PlaneSteps(const ProgramRequest& request, const std::string& algorithm, std::uint32_t parts)
    : PlaneSteps(request, algorithm, parts, Plane(request, algorithm)) {}

PlaneSteps::PlaneSteps(const ProgramRequest& request, const std::string& algorithm, std::uint32_t parts, Plane plane)
    : Program(shape_of(request, parts, split_of(request, plane, parts))),
      parts_(parts),
      plane_(std::move(plane)),
      split_(split_of(request, plane_, parts)) {
  const bool closed_x = closed_along(request, plane_.size(0), request.size_x);
  const bool closed_y = closed_along(request, plane_.size(1), request.size_y);
  for (const bool backwards : {false, true}) {
    rings_.push_back({LineRing(plane_.size(0), closed_x, backwards), LineRing(plane_.size(1), closed_y, backwards)});
  }
  const bool line = plane_.size(0) == 1 || plane_.size(1) == 1;
  if (request.kind != CollectiveKind::kAllReduce && !line && !plane_.row_major()) {
    throw InputError(
        fmt::format("{} by {} needs the group's ranks in the order of their places, row by row from the lowest node",
                    kind_name(request.kind), algorithm));
  }
}

std::uint32_t PlaneSteps::steps() const {
  const std::uint32_t steps_to_the_far_corner = plane_.size(0) + plane_.size(1) - 2;
  return shape().kind == CollectiveKind::kAllReduce ? 2 * steps_to_the_far_corner : steps_to_the_far_corner;
}

Instruction PlaneSteps::at(std::uint32_t rank, std::uint32_t index) const {
  const std::uint32_t part = index / 2 % parts_;
  const std::uint32_t step = index / (2 * parts_);
  const Phase phase = phase_of(part, step);
  const LineRing& ring = rings_[part][phase.dimension];
  const std::int64_t p = ring.position(plane_.coordinate(rank, phase.dimension));
  const std::int64_t sent = phase.scatter ? p - 1 - phase.step : p - phase.step;
  const auto neighbour = [&](std::int64_t position) {
    return plane_.on_line(rank, phase.dimension, ring.coordinate(position));
  };
  Instruction result;
  result.hints.queue = static_cast<std::uint8_t>(phase.dimension);
  if (index % 2 == 0) {
    result.op = Op::kSend;
    result.to.push_back(neighbour(p + 1));
    result.send_tag = parts_ * step + part;
    result.src = slice(rank, part, phase, ring.coordinate(sent));
    if (step > 0) result.deps.push_back(receive_index(part, step - 1));
    return result;
  }
  result.op = phase.scatter ? Op::kRecvReduce : Op::kRecv;
  result.from = neighbour(p - 1);
  result.recv_tag = parts_ * step + part;
  result.dst = slice(rank, part, phase, ring.coordinate(sent - 1));
  if (phase.scatter) result.src = result.dst;
  // What comes from one neighbour is taken in order; a final fragment must not overwrite a partial one that has not
  // left.
  if (step > 0) result.deps.push_back(receive_index(part, step - 1));
  if (phase.partner_step >= 0) result.deps.push_back(send_index(part, static_cast<std::uint32_t>(phase.partner_step)));
  return result;
}

// Scattering goes from the outer to the inner dimension, gathering back.
PlaneSteps::Phase PlaneSteps::phase_of(std::uint32_t part, std::uint32_t step) const {
  const std::uint32_t outer = part;
  const std::uint32_t inner = 1 - part;
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
Slice PlaneSteps::slice(std::uint32_t rank, std::uint32_t part, const Phase& phase, std::uint32_t coordinate) const {
  const std::uint32_t outer = part;
  const std::uint32_t inner = 1 - part;
  const std::uint32_t inner_size = plane_.size(inner);
  if (shape().kind == CollectiveKind::kAllReduce) {
    const std::uint32_t units = part == 0 ? split_.first : split_.whole - split_.first;
    const std::uint32_t base = part == 0 ? 0 : split_.first * ranks();
    if (phase.outer) return {Buffer::kInput, base + coordinate * inner_size * units, inner_size * units, 1};
    return {Buffer::kInput, base + (plane_.coordinate(rank, outer) * inner_size + coordinate) * units, units, 1};
  }
  const Buffer buffer = shape().kind == CollectiveKind::kReduceScatter ? Buffer::kInput : Buffer::kOutput;
  if (!phase.outer) return {buffer, parts_ * plane_.on_line(rank, inner, coordinate) + part, 1, 1};
  // A single line has one fragment at each coordinate, wherever the group's order has its rank.
  if (inner_size == 1) return {buffer, parts_ * plane_.on_line(rank, outer, coordinate) + part, 1, 1};
  const std::uint32_t columns = plane_.size(0);
  const std::uint32_t first = outer == 0 ? coordinate : coordinate * columns;
  return {buffer, parts_ * first + part, inner_size, outer == 0 ? parts_ * columns : parts_};
}

}  // namespace weft::npu
