// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/line_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace weft::npu {

LineTree::LineTree(std::vector<std::uint32_t> parents)
    : parents_(std::move(parents)), depths_(size(), 0), ends_(size()), begin_(size() + 1, 0) {
  WEFT_CHECK(!parents_.empty(), "a tree on a line needs a root");
  parents_[0] = kNoRank;
  std::vector<std::uint32_t> open{0};  // from the root to the position before
  for (std::uint32_t i = 1; i < size(); ++i) {
    while (!open.empty() && open.back() != parents_[i]) {
      ends_[open.back()] = i;
      open.pop_back();
    }
    WEFT_CHECK(!open.empty(),
               fmt::format("position {} of a tree on a line hangs below {}, which crosses an edge", i, parents_[i]));
    depths_[i] = static_cast<std::uint32_t>(open.size());
    open.push_back(i);
    ++begin_[parents_[i] + 1];
  }
  for (const std::uint32_t position : open) ends_[position] = size();
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  children_.resize(size() - 1);
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t i = 1; i < size(); ++i) children_[next[parents_[i]]++] = i;
}

std::uint64_t LineTree::hops() const {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 1; i < size(); ++i) sum += i - parents_[i];
  return sum;
}

std::uint32_t LineTree::height() const { return *std::max_element(depths_.begin(), depths_.end()); }

std::uint32_t LineTree::degree() const {
  std::uint32_t most = 0;
  for (std::uint32_t i = 0; i < size(); ++i) most = std::max(most, child_count(i));
  return most;
}

namespace {

template <typename ParentOf>
LineTree tree_by(std::uint32_t size, ParentOf parent_of) {
  std::vector<std::uint32_t> parents(size, kNoRank);
  for (std::uint32_t i = 1; i < size; ++i) parents[i] = parent_of(i);
  return LineTree(std::move(parents));
}

}  // namespace

LineTree star_tree(std::uint32_t size) {
  return tree_by(size, [](std::uint32_t) { return 0u; });
}

LineTree chain_tree(std::uint32_t size) {
  return tree_by(size, [](std::uint32_t i) { return i - 1; });
}

LineTree binary_tree(std::uint32_t size) {
  return tree_by(size, [](std::uint32_t i) { return i & (i - 1); });  // without its lowest one
}

std::uint32_t two_phase_group(std::uint32_t size) {
  std::uint32_t group = 1;
  while (std::uint64_t{group} * group < size) ++group;
  return group;
}

LineTree two_phase_tree(std::uint32_t size) {
  const std::uint32_t group = two_phase_group(size);
  return tree_by(size, [group](std::uint32_t i) { return i % group == 0 ? i - group : i - 1; });
}

RootedLine::RootedLine(std::uint32_t size, std::uint32_t root, const TreeMaker& make)
    : root_(root), right_(make(size - root)), left_(make(root + 1)) {
  WEFT_CHECK(right_.size() == size - root && left_.size() == root + 1, "a tree does not have the size of its arm");
}

std::uint32_t RootedLine::parent(std::uint32_t position) const {
  if (position == root_) return kNoRank;
  return position > root_ ? root_ + right_.parent(position - root_) : root_ - left_.parent(root_ - position);
}

std::uint32_t RootedLine::child_count(std::uint32_t position) const {
  return (position >= root_ ? right_.child_count(position - root_) : 0) +
         (position <= root_ ? left_.child_count(root_ - position) : 0);
}

std::uint32_t RootedLine::child(std::uint32_t position, std::uint32_t k) const {
  const std::uint32_t right = position >= root_ ? right_.child_count(position - root_) : 0;
  return k < right ? root_ + right_.child(position - root_, k) : root_ - left_.child(root_ - position, k - right);
}

std::uint32_t RootedLine::depth(std::uint32_t position) const {
  return position >= root_ ? right_.depth(position - root_) : left_.depth(root_ - position);
}

std::uint32_t RootedLine::edge(std::uint32_t position) const {
  return position > root_ ? right_.edge(position - root_) : right_.size() - 1 + left_.edge(root_ - position);
}

}  // namespace weft::npu
