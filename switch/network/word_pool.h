// SPDX-License-Identifier: Apache-2.0
// Data of the beats inside a switch: slots of equal size that copies share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::fred {

class WordPool {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  explicit WordPool(std::size_t words) : words_(words) {}

  /// A slot with one user.
  std::uint32_t take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(users_.size()));
      users_.push_back(0);
      storage_.resize(storage_.size() + words_);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    users_[slot] = 1;
    return slot;
  }
  void share(std::uint32_t slot) {
    if (slot != kNone) ++users_[slot];
  }
  void release(std::uint32_t slot) {
    if (slot != kNone && --users_[slot] == 0) free_.push_back(slot);
  }
  /// The words of a slot; valid until the next take().
  std::uint32_t* at(std::uint32_t slot) { return storage_.data() + slot * words_; }
  std::size_t words() const { return words_; }
  std::size_t in_use() const { return users_.size() - free_.size(); }

 private:
  std::size_t words_;
  std::vector<std::uint32_t> storage_;
  std::vector<std::uint32_t> users_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weft::fred
