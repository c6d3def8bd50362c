// SPDX-License-Identifier: Apache-2.0
// Reductions of a wafer's cores by trees on lines, and broadcasts by multicast: what `star`, `chain`, `tree`,
// `two_phase`, `auto_gen`, `snake` and `multicast` share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "npu/collective/algorithms/line_tree.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/algorithms/wafer_group.h"

namespace weft::npu {

/// What `rank` does when `root` sends `data` to all others by one multicast message. At the root the receivers are left
/// for the caller to name in `to`.
Instruction multicast_step(std::uint32_t rank, std::uint32_t root, const Slice& data, std::uint32_t tag, int colour);

/// reduce: along each row of the group to the root's column, then along that column; a row's first core sends there
/// when its row's sum is complete. all_reduce: the same, then one multicast message from the root. broadcast: the
/// multicast alone.
/// A node adds its children one after the other; elements of the last one stream on to its parent.
/// Tags: rows 0..columns-2, column from columns-1 on, both by RootedLine::edge, then the multicast. A message depends
/// on messages with smaller tags only, and messages to one core come in the order of their tags. Colours
/// (wafer_colours.h): 0 and 1 reduce, 2 is the multicast; a list takes up to 6, and none where they are too few.
class WaferReduce final : public Program {
 public:
  /// `make` gives the tree of an arm of a line. InputError where the fabric has colours, but too few, or where tags do
  /// not suffice.
  WaferReduce(const ProgramRequest& request, WaferGroup group, const RootedLine::TreeMaker& make);

  std::uint32_t length(std::uint32_t rank) const override;
  Instruction at(std::uint32_t rank, std::uint32_t index) const override;

 private:
  enum class Phase : std::uint8_t { kRow, kColumn };

  bool reduces() const { return shape().kind != CollectiveKind::kBroadcast; }
  bool multicasts() const { return shape().kind != CollectiveKind::kReduce; }
  const RootedLine& line(Phase phase) const { return phase == Phase::kRow ? row_ : column_; }
  std::uint32_t position(std::uint32_t rank, Phase phase) const;
  std::uint32_t rank_at(std::uint32_t rank, Phase phase, std::uint32_t position) const;
  std::uint32_t tag(Phase phase, std::uint32_t position) const;
  int colour(Phase phase, std::uint32_t receiver) const;
  std::uint32_t steps(std::uint32_t rank, Phase phase) const;
  Instruction step(std::uint32_t rank, Phase phase, std::uint32_t k) const;
  Instruction multicast(std::uint32_t rank) const;
  void choose_colours(const ProgramRequest& request);

  WaferGroup group_;
  RootedLine row_;
  RootedLine column_;
  bool coloured_ = true;
  std::vector<std::uint8_t> list_colours_;  ///< [position] of what comes to it, for lists
};

}  // namespace weft::npu
