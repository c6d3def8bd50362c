// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/id_set.h"

#include <iterator>

namespace weft::npu {

bool IdSet::in_full_word(std::uint64_t word) const {
  auto after = full_.upper_bound(word);
  return after != full_.begin() && std::prev(after)->second >= word;
}

bool IdSet::contains(std::uint64_t id) const {
  const std::uint64_t word = id / 64;
  const auto found = partial_.find(word);
  if (found != partial_.end()) return (found->second >> (id % 64)) & 1;
  return in_full_word(word);
}

bool IdSet::insert(std::uint64_t id) {
  const std::uint64_t word = id / 64;
  if (in_full_word(word)) return false;
  std::uint64_t& bits = partial_[word];
  const std::uint64_t bit = std::uint64_t{1} << (id % 64);
  if (bits & bit) return false;
  bits |= bit;
  ++size_;
  if (bits == ~std::uint64_t{0}) {
    partial_.erase(word);
    add_full_word(word);
  }
  return true;
}

void IdSet::add_full_word(std::uint64_t word) {
  std::uint64_t first = word;
  std::uint64_t last = word;
  auto after = full_.upper_bound(word);
  if (after != full_.end() && after->first == word + 1) {
    last = after->second;
    after = full_.erase(after);
  }
  if (after != full_.begin()) {
    const auto before = std::prev(after);
    if (before->second + 1 == word) first = before->first;
  }
  full_[first] = last;
}

void IdSet::clear() {
  partial_.clear();
  full_.clear();
  size_ = 0;
}

}  // namespace weft::npu
