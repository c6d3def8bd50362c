// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/wafer_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "npu/collective/algorithms/ring_order.h"

namespace weft::npu {
namespace {

std::vector<std::uint32_t> in_order(std::uint32_t ranks) {
  std::vector<std::uint32_t> order(ranks);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

// The rectangle of a group, without ranks if it fills none or nothing is known of the wafer.
Grid rectangle_of(const ProgramRequest& request) {
  Grid grid;
  if (request.size_x > 0) grid = find_grid(nodes_of(request), request.size_x);
  if (!grid.adjacent) grid.ranks.clear();
  return grid;
}

void check_on_wafer(const ProgramRequest& request) {
  if (request.size_y <= 0) return;
  const auto cores = static_cast<std::uint64_t>(request.size_x) * static_cast<std::uint64_t>(request.size_y);
  const std::vector<NodeId> nodes = nodes_of(request);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (static_cast<std::uint64_t>(nodes[i]) < cores) continue;
    throw InputError(fmt::format("core {} at position {} of a group is not on the {}x{} fabric; legal: 0..{}",
                                 static_cast<std::uint32_t>(nodes[i]), i, request.size_x, request.size_y, cores - 1));
  }
}

// Row by row to and fro from the root's corner, or from the first core.
std::vector<std::uint32_t> to_and_fro(const Grid& grid, std::uint32_t root) {
  const std::uint32_t columns = grid.columns();
  const std::uint32_t rows = grid.rows();
  const auto at =
      static_cast<std::uint32_t>(std::find(grid.ranks.begin(), grid.ranks.end(), root) - grid.ranks.begin());
  const std::uint32_t x = at % columns;
  const std::uint32_t y = at / columns;
  const bool corner = (x == 0 || x + 1 == columns) && (y == 0 || y + 1 == rows);
  const bool from_right = corner && x > 0;
  const bool from_below = corner && y > 0;
  std::vector<std::uint32_t> order;
  order.reserve(grid.ranks.size());
  for (std::uint32_t j = 0; j < rows; ++j) {
    const std::uint32_t row = from_below ? rows - 1 - j : j;
    const bool backwards = from_right != (j % 2 == 1);
    for (std::uint32_t i = 0; i < columns; ++i) {
      order.push_back(grid.ranks[row * columns + (backwards ? columns - 1 - i : i)]);
    }
  }
  return order;
}

}  // namespace

std::vector<NodeId> nodes_of(const ProgramRequest& request) {
  std::vector<NodeId> nodes = request.nodes;
  for (std::uint32_t i = static_cast<std::uint32_t>(nodes.size()); i < request.ranks; ++i) nodes.push_back(NodeId{i});
  return nodes;
}

WaferGroup::WaferGroup(Form form, std::uint32_t columns, std::vector<std::uint32_t> ranks)
    : form_(form), columns_(columns), ranks_(std::move(ranks)), position_of_(ranks_.size()) {
  for (std::uint32_t i = 0; i < ranks_.size(); ++i) position_of_[ranks_[i]] = i;
}

WaferGroup WaferGroup::as_it_lies(const ProgramRequest& request) {
  if (request.size_x <= 0) return {Form::kLine, request.ranks, in_order(request.ranks)};
  check_on_wafer(request);
  Grid grid = rectangle_of(request);
  if (grid.ranks.empty()) return {Form::kList, request.ranks, in_order(request.ranks)};
  const bool line = grid.columns() == 1 || grid.rows() == 1;
  return {line ? Form::kLine : Form::kRectangle, line ? request.ranks : grid.columns(), std::move(grid.ranks)};
}

WaferGroup WaferGroup::as_snake(const ProgramRequest& request) {
  if (request.size_x > 0) check_on_wafer(request);
  const Grid grid = rectangle_of(request);
  if (grid.ranks.empty()) return as_it_lies(request);
  return {Form::kLine, request.ranks, to_and_fro(grid, request.root)};
}

}  // namespace weft::npu
