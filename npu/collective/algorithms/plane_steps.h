// SPDX-License-Identifier: Apache-2.0
// Rings along the rows and columns of a grid of ranks: what hierarchical_2d and two_level_ring share.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "npu/collective/algorithms/registry.h"
#include "npu/collective/algorithms/ring_order.h"

namespace weft::npu {

/// Ranks by coordinates in the grid, dimension 0 = x, 1 = y.
class Plane {
 public:
  /// InputError, in the name of `algorithm`, where the group is no full grid.
  Plane(const ProgramRequest& request, const std::string& algorithm);
  std::uint32_t size(std::uint32_t dimension) const { return dimension == 0 ? grid_.columns() : grid_.rows(); }
  std::uint32_t coordinate(std::uint32_t rank, std::uint32_t dimension) const { return coordinates_[rank][dimension]; }
  std::uint32_t rank(std::uint32_t x, std::uint32_t y) const { return grid_.ranks[y * grid_.columns() + x]; }
  /// The rank at `coordinate` of `dimension` in the line of `rank` along it.
  std::uint32_t on_line(std::uint32_t rank_on, std::uint32_t dimension, std::uint32_t coordinate) const {
    return dimension == 0 ? rank(coordinate, coordinates_[rank_on][1]) : rank(coordinates_[rank_on][0], coordinate);
  }
  /// The group's order is that of the coordinates, row by row.
  bool row_major() const;
  const Grid& grid() const { return grid_; }

 private:
  Grid grid_;
  std::vector<std::array<std::uint32_t, 2>> coordinates_;
};

/// The rings of all lines along one dimension, in one direction. Positions are taken modulo the length.
class LineRing {
 public:
  LineRing(std::uint32_t length, bool closed, bool backwards);
  std::int64_t position(std::uint32_t coordinate) const { return position_[coordinate]; }
  std::uint32_t coordinate(std::int64_t position) const { return order_[ring_index(position, order_.size())]; }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> position_;
};

/// Share of part 0 of an all-reduce in two parts: `first` of `whole` equal units.
struct PlaneSplit {
  std::uint32_t first = 1;
  std::uint32_t whole = 2;
};

/// The split of a `width` x `height` grid with which the busiest links along x and along y carry the same: 11 of 24 on
/// a mesh of 5x4. `closed_x`, `closed_y`: lines along that dimension are rings of a torus, which each part goes round
/// in one direction; otherwise both parts use both directions. Halves where one dimension is a single line. `whole` is
/// at most kMostUnits: beyond, the nearest fraction that is.
PlaneSplit balanced_split(std::uint32_t width, std::uint32_t height, bool closed_x, bool closed_y);
inline constexpr std::uint32_t kMostUnits = 64;

/// all_reduce, reduce_scatter, all_gather in one or two parts. Part 0 is scattered in x, then in y, and gathered back;
/// part 1 the same with x and y exchanged, its rings running the other way round. All parts take the same number of
/// steps; step k of part h of H is instruction 2Hk + 2h (send) and 2Hk + 2h + 1 (receive), and has the tag Hk + h.
/// The two parts of an all-reduce have the sizes of balanced_split(); those of the other kinds are halves.
class PlaneSteps final : public Program {
 public:
  /// InputError, in the name of `algorithm`, where the group does not suit.
  PlaneSteps(const ProgramRequest& request, const std::string& algorithm, std::uint32_t parts);

  std::uint32_t length(std::uint32_t /*rank*/) const override { return 2 * parts_ * steps(); }
  Instruction at(std::uint32_t rank, std::uint32_t index) const override;

 private:
  PlaneSteps(const ProgramRequest& request, const std::string& algorithm, std::uint32_t parts, Plane plane);

  struct Phase {
    std::uint32_t dimension;
    bool outer;                      ///< on slices of many fragments: the part's first dimension of a scatter
    bool scatter;                    ///< reduce-scatter, else all-gather
    std::uint32_t step;              ///< within the phase
    std::int64_t partner_step = -1;  ///< for a gather: the step in which the same slice left as a partial sum
  };

  std::uint32_t send_index(std::uint32_t part, std::uint32_t step) const { return 2 * parts_ * step + 2 * part; }
  std::uint32_t receive_index(std::uint32_t part, std::uint32_t step) const { return send_index(part, step) + 1; }
  std::uint32_t steps() const;
  Phase phase_of(std::uint32_t part, std::uint32_t step) const;
  Slice slice(std::uint32_t rank, std::uint32_t part, const Phase& phase, std::uint32_t coordinate) const;

  std::uint32_t parts_;
  Plane plane_;
  PlaneSplit split_;  ///< split of the data of an all-reduce; a unit has a fragment for every rank
  std::vector<std::array<LineRing, 2>> rings_;  ///< [part][dimension]
};

}  // namespace weft::npu
