// SPDX-License-Identifier: Apache-2.0
// How a group of cores lies on the wafer: as a line, as a rectangle of lines, or as a list.
#pragma once

#include <cstdint>
#include <vector>

#include "npu/collective/algorithms/registry.h"

namespace weft::npu {

/// The ranks of a group by column and row. A group reduces along its rows to the root's column, then along that; a line
/// has one row.
class WaferGroup {
 public:
  enum class Form {
    kLine,       ///< neighbours of the line are neighbours on the wafer, or nothing is known of the wafer
    kRectangle,  ///< columns and rows are those of the wafer
    kList,       ///< one row in the order of the group; its members lie anywhere
  };

  /// A row or column without gaps, in any order, is a line in the order of its positions; a rectangle without gaps is
  /// one; anything else is a list. InputError where a core is not on the wafer.
  static WaferGroup as_it_lies(const ProgramRequest& request);
  /// As before, but a rectangle is a line to and fro along its rows, starting at the root's corner, or at the first
  /// core if the root is in no corner.
  static WaferGroup as_snake(const ProgramRequest& request);

  Form form() const { return form_; }
  std::uint32_t columns() const { return columns_; }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(ranks_.size()) / columns_; }
  std::uint32_t column(std::uint32_t rank) const { return position_of_[rank] % columns_; }
  std::uint32_t row(std::uint32_t rank) const { return position_of_[rank] / columns_; }
  std::uint32_t rank(std::uint32_t column, std::uint32_t row) const { return ranks_[row * columns_ + column]; }

 private:
  WaferGroup(Form form, std::uint32_t columns, std::vector<std::uint32_t> ranks);

  Form form_;
  std::uint32_t columns_;
  std::vector<std::uint32_t> ranks_;        ///< [row * columns + column]
  std::vector<std::uint32_t> position_of_;  ///< [rank]
};

/// The nodes of a request's group; 0, 1, 2, ... if it names none.
std::vector<NodeId> nodes_of(const ProgramRequest& request);

}  // namespace weft::npu
