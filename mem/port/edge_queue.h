// SPDX-License-Identifier: Apache-2.0
// Things that are due at clock edges, in the order of edge, socket, and a number of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.h"

namespace weft::mem {

/// A queue for entries that come nearly in order: they are put in from the back.
template <typename Item>
class EdgeQueue {
 public:
  bool empty() const { return head_ == entries_.size(); }
  /// Edge of the first entry; kNever when there is none.
  Cycle first() const { return empty() ? kNever : entries_[head_].at; }
  /// Equal entries keep the order in which they were put in.
  void push(Cycle at, std::uint32_t socket, std::uint64_t number, Item item) {
    entries_.emplace_back(at, socket, number, item);
    std::size_t position = entries_.size() - 1;
    for (; position > head_ && is_before(entries_[position], entries_[position - 1]); --position)
      std::swap(entries_[position], entries_[position - 1]);
  }
  /// Takes the first entry out.
  Item pop() {
    const Item item = entries_[head_].item;
    if (++head_ == entries_.size()) {
      entries_.clear();
      head_ = 0;
    } else if (head_ >= kCompactAt && 2 * head_ >= entries_.size()) {
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
    return item;
  }

 private:
  static constexpr std::size_t kCompactAt = 64;
  struct Entry {
    Entry(Cycle edge, std::uint32_t from, std::uint64_t its_number, Item its_item)
        : at(edge), socket(from), number(its_number), item(its_item) {}
    Cycle at;
    std::uint32_t socket;
    std::uint64_t number;
    Item item;
  };
  static bool is_before(const Entry& a, const Entry& b) {
    if (a.at != b.at) return a.at < b.at;
    return a.socket != b.socket ? a.socket < b.socket : a.number < b.number;
  }

  std::vector<Entry> entries_;
  std::size_t head_ = 0;
};

}  // namespace weft::mem
