// SPDX-License-Identifier: Apache-2.0
// Algorithm `double_binary_tree` (Sanders, Speck, Traeff 2009): two binary trees over the same ranks, each carries half
// of the data; a rank that is a leaf of one is an inner rank of the other, so all links work. The second tree is the
// mirror image of the first for an even number of ranks, and the first shifted by one rank for an odd number.
// broadcast and reduce with a given root use trees over the other ranks, both hung below the root.
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/algorithms/tree.h"

namespace weft::npu {
namespace {

// In the endless in-order tree over 1, 2, 3, ... a label's height is its number of trailing zero bits.
std::uint32_t lowest_bit(std::uint32_t label) { return label & (~label + 1); }

// The in-order binary tree over labels 0..n-1: label 0 is the root, its only child is the top of the tree over the
// rest, from which labels >= n are left out (their left child stands in for them).
TreeNode in_order_node(std::uint32_t label, std::uint32_t n) {
  TreeNode node;
  const auto first_present = [n](std::uint32_t top) {
    while (top >= n) top -= lowest_bit(top) / 2;
    return top;
  };
  if (label == 0) {
    std::uint32_t top = 1;
    while (2 * top < n) top *= 2;
    if (n > 1) node.children = {top};
    return node;
  }
  const std::uint32_t bit = lowest_bit(label);
  if (bit == label && 2 * label >= n) {
    node.parent = 0;  // the top
  } else {
    node.parent = label;
    do {
      const std::uint32_t up = lowest_bit(node.parent);
      node.parent = (node.parent & (up << 1)) != 0 ? node.parent - up : node.parent + up;
    } while (node.parent >= n);
  }
  if (bit > 1) {
    node.children = {label - bit / 2};
    // The right subtree holds label+1 ..; it is empty where those are out of range.
    if (label + 1 < n) node.children.push_back(first_present(label + bit / 2));
  }
  return node;
}

/// Tree 0 or 1 over 0..n-1.
TreeNode double_tree_node(std::uint32_t rank, std::uint32_t n, std::uint32_t tree) {
  if (tree == 0) return in_order_node(rank, n);
  const bool mirror = n % 2 == 0;
  const auto mirrored = [&](std::uint32_t r) { return mirror ? n - 1 - r : (r + n - 1) % n; };
  const auto back = [&](std::uint32_t r) { return mirror ? n - 1 - r : (r + 1) % n; };
  TreeNode node = in_order_node(mirrored(rank), n);
  if (node.parent != kNoRank) node.parent = back(node.parent);
  for (std::uint32_t& child : node.children) child = back(child);
  return node;
}

/// The root of tree 0 or 1 over 0..n-1.
std::uint32_t tree_top(std::uint32_t n, std::uint32_t tree) {
  if (tree == 0) return 0;
  return n % 2 == 0 ? n - 1 : 1 % n;
}

class DoubleBinaryTree final : public TreeProgram {
 public:
  explicit DoubleBinaryTree(const ProgramRequest& request)
      : TreeProgram(request.kind, request.ranks, request.root, request.kind == CollectiveKind::kBarrier ? 1 : 2) {}

 protected:
  TreeNode node(std::uint32_t rank, std::uint32_t tree) const override {
    if (!kind_has_root(shape().kind)) return double_tree_node(rank, ranks(), tree);
    // The other ranks, counted from the root on, are 0..n-2.
    const std::uint32_t root = shape().root;
    const std::uint32_t others = ranks() - 1;
    const auto rank_of = [&](std::uint32_t other) { return (root + 1 + other) % ranks(); };
    TreeNode node;
    if (rank == root) {
      if (others > 0) node.children = {rank_of(tree_top(others, tree))};
      return node;
    }
    node = double_tree_node((rank + ranks() - root - 1) % ranks(), others, tree);
    node.parent = node.parent == kNoRank ? root : rank_of(node.parent);
    for (std::uint32_t& child : node.children) child = rank_of(child);
    return node;
  }
};

class DoubleBinaryTreeAlgorithm final : public Algorithm {
 public:
  DoubleBinaryTreeAlgorithm() : Algorithm({"double_binary_tree", "two binary trees, each with half of the data"}) {}
  std::vector<CollectiveKind> kinds() const override {
    return {CollectiveKind::kAllReduce, CollectiveKind::kReduce, CollectiveKind::kBroadcast, CollectiveKind::kBarrier};
  }
  std::unique_ptr<const Program> make(const ProgramRequest& request) const override {
    return std::make_unique<DoubleBinaryTree>(request);
  }
};

}  // namespace

const Algorithm& double_binary_tree_algorithm() {
  static const DoubleBinaryTreeAlgorithm algorithm;
  return algorithm;
}

}  // namespace weft::npu
