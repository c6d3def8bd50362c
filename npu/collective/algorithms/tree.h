// SPDX-License-Identifier: Apache-2.0
// Programs that move whole fragments up and down trees: what trees, meshes' rows and columns, and binomial trees share.
#pragma once

#include <cstdint>
#include <vector>

#include "npu/collective/form/program.h"

namespace weft::npu {

/// A rank's position in a tree.
struct TreeNode {
  std::uint32_t parent = kNoRank;  ///< kNoRank at the tree's root
  std::vector<std::uint32_t> children;
};

/// broadcast (down), reduce (up), all_reduce and barrier (up, then down). Fragment t of the data uses tree t. Data
/// stream: an inner rank passes an element on as soon as it has it. Sums are formed as own + first child + second child
/// ...; the root of an all_reduce sends down when it has everything, so that no message waits for its own answer. Tags:
/// 2t up, 2t + 1 down.
class TreeProgram : public Program {
 public:
  /// `trees` trees over all ranks of the request's group.
  TreeProgram(CollectiveKind kind, std::uint32_t ranks, std::uint32_t root, std::uint32_t trees)
      : Program({kind, ranks, root, trees, 0, true}), trees_(trees) {}

  std::uint32_t length(std::uint32_t rank) const final;
  Instruction at(std::uint32_t rank, std::uint32_t index) const final;

 protected:
  /// Position of a rank in a tree; a pure function of few steps.
  virtual TreeNode node(std::uint32_t rank, std::uint32_t tree) const = 0;

 private:
  bool up() const { return shape().kind != CollectiveKind::kBroadcast; }
  bool down() const { return shape().kind != CollectiveKind::kReduce; }
  std::vector<Instruction> sequence(std::uint32_t rank) const;

  std::uint32_t trees_;
};

}  // namespace weft::npu
