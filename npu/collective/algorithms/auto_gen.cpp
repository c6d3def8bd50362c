// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/auto_gen.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "npu/collective/algorithms/wafer_forms.h"

namespace weft::npu {

HopsTable::HopsTable(std::uint32_t size, std::uint64_t elements, const WaferCost& cost)
    : size_(size), elements_(elements), cost_(cost) {
  if (size == 0 || size > kMaxSize) {
    throw InputError(fmt::format("auto_gen finds trees of lines of 1..{} cores, found {}", kMaxSize, size));
  }
  hops_.assign(size + 1, static_cast<std::uint32_t>(kImpossible));
  hops_[1] = 0;
  split_.emplace_back(size + 1, std::uint16_t{0});
  total_.push_back(hops_[size]);
}

std::uint64_t HopsTable::hops(std::uint32_t depth) {
  extend_to(depth);
  return total_[std::min<std::size_t>(depth, total_.size() - 1)];
}

double HopsTable::estimate(std::uint32_t depth) {
  if (size_ == 1) return 0;
  const double links = size_ - 1;
  return static_cast<double>(elements_) * static_cast<double>(hops(depth)) / links +
         static_cast<double>(cost_.hop) * links + static_cast<double>(cost_.step() * depth);
}

std::uint32_t HopsTable::best_depth() {
  if (best_ > 0 || size_ == 1) return best_;
  best_ = 1;
  double least = estimate(1);
  // E is P - 1 at least, so at some depth no deeper tree can be better.
  for (std::uint32_t d = 2; d < size_; ++d) {
    const double bound = static_cast<double>(elements_ + cost_.hop * (size_ - 1) + cost_.step() * d);
    if (bound >= least) break;
    const double here = estimate(d);
    if (here < least) {
      least = here;
      best_ = d;
    }
  }
  return best_;
}

void HopsTable::extend_to(std::uint32_t depth) {
  while (total_.size() <= depth && total_.size() < std::max(2u, size_)) add_column();
}

void HopsTable::add_column() {
  std::vector<std::uint32_t> hops(size_ + 1, 0);
  std::vector<std::uint16_t> split(size_ + 1, 0);
  for (std::uint32_t r = 2; r <= size_; ++r) fill(r, hops, split);
  hops_ = std::move(hops);
  split_.push_back(std::move(split));
  total_.push_back(hops_[size_]);
}

// E(r, d) from column d - 1 (hops_) and the rows above in column d (hops).
void HopsTable::fill(std::uint32_t r, std::vector<std::uint32_t>& hops, std::vector<std::uint16_t>& split) const {
  hops[r] = hops_[r];
  for (std::uint32_t s = 1; s < r; ++s) {
    if (hops_[s] == kImpossible || hops_[s] + hops[r - s] + (r - s) >= hops[r]) continue;
    hops[r] = hops_[s] + hops[r - s] + (r - s);
    split[r] = static_cast<std::uint16_t>(s);
  }
}

LineTree HopsTable::tree(std::uint32_t depth) {
  extend_to(depth);
  WEFT_CHECK(hops(depth) != kImpossible, "a tree of depth 0 has one position");
  std::vector<std::uint32_t> parents(size_, kNoRank);
  struct Part {
    std::uint32_t first;
    std::uint32_t size;
    std::size_t depth;
  };
  std::vector<Part> open{{0, size_, std::min<std::size_t>(depth, split_.size() - 1)}};
  while (!open.empty()) {
    Part part = open.back();
    open.pop_back();
    while (part.size > 1) {
      const std::uint32_t s = split_[part.depth][part.size];
      if (s == 0) {
        --part.depth;
        continue;
      }
      part.size -= s;
      parents[part.first + part.size] = part.first;
      open.push_back({part.first + part.size, s, part.depth - 1});
    }
  }
  return LineTree(std::move(parents));
}

LineTree auto_gen_tree(std::uint32_t size, std::uint64_t elements, const WaferCost& cost) {
  if (size < 2) return LineTree(std::vector<std::uint32_t>(size, kNoRank));
  HopsTable table(size, elements, cost);
  const std::uint32_t depth = table.best_depth();
  if (star_cycles(size, elements, cost) <= table.estimate(depth)) return star_tree(size);
  return table.tree(depth);
}

}  // namespace weft::npu
