// SPDX-License-Identifier: Apache-2.0
// A pseudo-random permutation of 0 .. size - 1 that is computed from a key and not stored.
#pragma once

#include <cstdint>

namespace weft::mem {

/// A Feistel network over the smallest even number of bits that holds `size`; numbers outside are walked until they
/// are inside again (on average fewer than four steps). Not meant to resist an attacker: it stands for a cipher.
class KeyedPermutation {
 public:
  /// `size` is 1 to 2^62.
  KeyedPermutation(std::uint64_t size, std::uint64_t key);

  std::uint64_t size() const { return size_; }
  /// The position of `number`, which is below size().
  std::uint64_t operator()(std::uint64_t number) const;
  /// The number at `position`.
  std::uint64_t inverse(std::uint64_t position) const;

 private:
  static constexpr unsigned kRounds = 6;

  std::uint64_t encrypt(std::uint64_t x) const;
  std::uint64_t decrypt(std::uint64_t x) const;
  std::uint64_t round(unsigned number, std::uint64_t half) const;

  std::uint64_t size_;
  std::uint64_t key_;
  unsigned half_bits_;
  std::uint64_t half_mask_;
};

}  // namespace weft::mem
