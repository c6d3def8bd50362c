// SPDX-License-Identifier: Apache-2.0
// A set of node ids that stays small where ids are dense: whole runs cost one entry, sparse ids one bit of a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "base/checkpoint.h"

namespace weft::npu {

/// Set of 64-bit ids in words of 64; full words merge into intervals.
class IdSet {
 public:
  /// Adds an id; false if it was there already.
  bool insert(std::uint64_t id);
  bool contains(std::uint64_t id) const;
  void clear();
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// Number of ids.
  std::uint64_t size() const { return size_; }
  /// Entries that take memory (words and intervals), for tests of the bound.
  std::size_t entries() const { return partial_.size() + full_.size(); }

 private:
  bool in_full_word(std::uint64_t word) const;
  void add_full_word(std::uint64_t word);

  std::unordered_map<std::uint64_t, std::uint64_t> partial_;  ///< word number -> its bits, some missing
  std::map<std::uint64_t, std::uint64_t> full_;               ///< first -> last number of a run of full words
  std::uint64_t size_ = 0;
};

}  // namespace weft::npu
