// SPDX-License-Identifier: Apache-2.0
// Rings along the rows and columns of a grid of ranks: what hierarchical_2d and two_level_ring share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "npu/program/registry.h"
#include "npu/program/ring_order.h"

namespace weft::npu {

/// Ranks by place in the grid, dimension 0 = x, 1 = y.
class Plane {
 public:
  /// InputError, in the name of `algorithm`, where the group is no full grid.
  Plane(const ProgramRequest& request, const std::string& algorithm);
  std::uint32_t size(std::uint32_t dimension) const { return dimension == 0 ? grid_.columns() : grid_.rows(); }
  std::uint32_t coordinate(std::uint32_t rank, std::uint32_t dimension) const { return place_[rank][dimension]; }
  std::uint32_t rank(std::uint32_t x, std::uint32_t y) const { return grid_.ranks[y * grid_.columns() + x]; }
  /// The rank at `coordinate` of `dimension` in the line of `rank` along it.
  std::uint32_t on_line(std::uint32_t rank_on, std::uint32_t dimension, std::uint32_t coordinate) const {
    return dimension == 0 ? rank(coordinate, place_[rank_on][1]) : rank(place_[rank_on][0], coordinate);
  }
  /// The group's order is that of the places, row by row.
  bool row_major() const;
  const Grid& grid() const { return grid_; }

 private:
  Grid grid_;
  std::vector<std::array<std::uint32_t, 2>> place_;
};

/// The rings of all lines along one dimension, in one direction. Positions are taken modulo the length.
class LineRing {
 public:
  LineRing(std::uint32_t length, bool closed, bool backwards);
  std::int64_t position(std::uint32_t coordinate) const { return position_[coordinate]; }
  std::uint32_t coordinate(std::int64_t position) const {
    const auto n = static_cast<std::int64_t>(order_.size());
    return order_[static_cast<std::size_t>(((position % n) + n) % n)];
  }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;
};

/// all_reduce, reduce_scatter, all_gather in one or two parts. Part 0 is scattered in x, then in y, and gathered back;
/// part 1 the same with x and y exchanged, its rings running the other way round. All parts take the same number of
/// steps; step k of part h of H is instruction 2Hk + 2h (send) and 2Hk + 2h + 1 (receive), and has the tag Hk + h.
class PlaneSteps final : public Program {
 public:
  /// InputError, in the name of `algorithm`, where the group does not suit.
  PlaneSteps(const ProgramRequest& request, const std::string& algorithm, std::uint32_t parts);

  std::uint32_t length(std::uint32_t /*rank*/) const override { return 2 * parts_ * steps(); }
  Instruction at(std::uint32_t rank, std::uint32_t index) const override;

 private:
  struct Phase {
    std::uint32_t dimension;
    bool outer;                      ///< on slices of many chunks: the part's first dimension of a scatter
    bool scatter;                    ///< reduce-scatter, else all-gather
    std::uint32_t step;              ///< within the phase
    std::int64_t partner_step = -1;  ///< of a gather: the step in which the same slice left as a partial sum
  };

  std::uint32_t send_index(std::uint32_t part, std::uint32_t step) const { return 2 * parts_ * step + 2 * part; }
  std::uint32_t receive_index(std::uint32_t part, std::uint32_t step) const { return send_index(part, step) + 1; }
  std::uint32_t steps() const;
  Phase phase_of(std::uint32_t part, std::uint32_t step) const;
  Slice slice(std::uint32_t rank, std::uint32_t part, const Phase& phase, std::uint32_t coordinate) const;

  std::uint32_t parts_;
  Plane plane_;
  std::vector<std::array<LineRing, 2>> rings_;  ///< [part][dimension]
};

}  // namespace weft::npu
