// SPDX-License-Identifier: Apache-2.0
#include "npu/program/plane_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"

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

}  // namespace

Plane::Plane(const ProgramRequest& request, const std::string& algorithm) : grid_(grid_of(request, algorithm)) {
  place_.resize(grid_.ranks.size());
  for (std::uint32_t i = 0; i < grid_.ranks.size(); ++i) {
    place_[grid_.ranks[i]] = {i % grid_.columns(), i / grid_.columns()};
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
    : Program({request.kind, request.ranks, request.root,
               request.kind == CollectiveKind::kAllReduce ? parts * request.ranks : parts, 0, true}),
      parts_(parts),
      plane_(request, algorithm) {
  const bool whole_x = request.torus && plane_.size(0) == static_cast<std::uint32_t>(request.size_x);
  const bool whole_y = request.torus && plane_.size(1) == static_cast<std::uint32_t>(request.size_y);
  for (const bool backwards : {false, true}) {
    rings_.push_back({LineRing(plane_.size(0), whole_x, backwards), LineRing(plane_.size(1), whole_y, backwards)});
  }
  if (request.kind != CollectiveKind::kAllReduce && !plane_.row_major()) {
    throw InputError(
        fmt::format("{} by {} needs the group's ranks in the order of their places, row by row from the lowest node",
                    kind_name(request.kind), algorithm));
  }
}

std::uint32_t PlaneSteps::steps() const {
  const std::uint32_t one_way = plane_.size(0) + plane_.size(1) - 2;
  return shape().kind == CollectiveKind::kAllReduce ? 2 * one_way : one_way;
}

Instruction PlaneSteps::at(std::uint32_t rank, std::uint32_t index) const {
  const std::uint32_t part = index / 2 % parts_;
  const std::uint32_t step = index / (2 * parts_);
  const Phase phase = phase_of(part, step);
  const LineRing& ring = rings_[part][phase.dimension];
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
    result.send_tag = parts_ * step + part;
    result.src = slice(rank, part, phase, ring.coordinate(sent));
    if (step > 0) result.deps = {receive_index(part, step - 1)};
    return result;
  }
  result.op = phase.scatter ? Op::kRecvReduce : Op::kRecv;
  result.from = neighbour(p - 1);
  result.recv_tag = parts_ * step + part;
  result.dst = slice(rank, part, phase, ring.coordinate(sent - 1));
  if (phase.scatter) result.src = result.dst;
  // What comes from one neighbour is taken in order; a final chunk must not overwrite a partial one that has not
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
    const std::uint32_t base = part * ranks();
    if (phase.outer) return {Buffer::kInput, base + coordinate * inner_size, inner_size, 1};
    return {Buffer::kInput, base + plane_.coordinate(rank, outer) * inner_size + coordinate, 1, 1};
  }
  const Buffer buffer = shape().kind == CollectiveKind::kReduceScatter ? Buffer::kInput : Buffer::kOutput;
  if (!phase.outer) return {buffer, parts_ * plane_.on_line(rank, inner, coordinate) + part, 1, 1};
  const std::uint32_t columns = plane_.size(0);
  const std::uint32_t first = outer == 0 ? coordinate : coordinate * columns;
  return {buffer, parts_ * first + part, inner_size, outer == 0 ? parts_ * columns : parts_};
}

}  // namespace weft::npu
