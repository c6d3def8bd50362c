// SPDX-License-Identifier: Apache-2.0
// Some ports of a switch, as bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "switch/topology/interconnect.h"

namespace weft::fred {

/// A set of ports that is gone through in the order of their numbers, at the cost of its members.
class PortSet {
 public:
  explicit PortSet(std::size_t ports) : count_((ports + kBits - 1) / kBits) {}

  void insert(std::uint32_t port) { words_[port / kBits] |= bit(port); }
  void erase(std::uint32_t port) { words_[port / kBits] &= ~bit(port); }
  void clear() { words_.fill(0); }

  /// Writes its state into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(words_);
  }

  bool empty() const {
    for (std::size_t word = 0; word < count_; ++word) {
      if (words_[word] != 0) return false;
    }
    return true;
  }

  /// Calls `visit(port)` for each; `visit` may erase the port that it is called with.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t word = 0; word < count_; ++word) visit_word(word, words_[word], visit);
  }
  /// The same, beginning with port `first`; those before it come last.
  template <typename Visit>
  void for_each_from(std::uint32_t first, Visit visit) const {
    const std::size_t start = first / kBits;
    const std::uint64_t before = bit(first) - 1;
    visit_word(start, words_[start] & ~before, visit);
    for (std::size_t word = start + 1; word < count_; ++word) visit_word(word, words_[word], visit);
    for (std::size_t word = 0; word < start; ++word) visit_word(word, words_[word], visit);
    visit_word(start, words_[start] & before, visit);
  }

 private:
  static constexpr std::uint32_t kBits = 64;

  static std::uint64_t bit(std::uint32_t port) { return std::uint64_t{1} << port % kBits; }
  template <typename Visit>
  static void visit_word(std::size_t word, std::uint64_t bits, const Visit& visit) {
    for (; bits != 0; bits &= bits - 1)
      visit(static_cast<std::uint32_t>(word * kBits) + static_cast<std::uint32_t>(__builtin_ctzll(bits)));
  }

  std::array<std::uint64_t, kMostPorts / kBits> words_{};
  std::size_t count_;  ///< words in use
};

}  // namespace weft::fred
