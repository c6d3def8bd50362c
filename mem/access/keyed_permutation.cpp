// SPDX-License-Identifier: Apache-2.0
#include "mem/access/keyed_permutation.h"

#include "base/error.h"
#include "base/random.h"

namespace weft::mem {
namespace {

unsigned half_bits_of(std::uint64_t size) {
  unsigned bits = 1;
  while ((std::uint64_t{1} << 2 * bits) < size) ++bits;
  return bits;
}

}  // namespace

KeyedPermutation::KeyedPermutation(std::uint64_t size, std::uint64_t key)
    : size_(size), key_(key), half_bits_(half_bits_of(size)), half_mask_((std::uint64_t{1} << half_bits_) - 1) {
  WEFT_CHECK(size > 0 && size <= std::uint64_t{1} << 62, "a permutation has 1 to 2^62 places");
}

std::uint64_t KeyedPermutation::round(unsigned number, std::uint64_t half) const {
  return random_bits(key_, number, half) & half_mask_;
}

std::uint64_t KeyedPermutation::encrypt(std::uint64_t x) const {
  std::uint64_t left = x >> half_bits_;
  std::uint64_t right = x & half_mask_;
  for (unsigned i = 0; i < kRounds; ++i) {
    const std::uint64_t next = left ^ round(i, right);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::uint64_t KeyedPermutation::decrypt(std::uint64_t x) const {
  std::uint64_t left = x >> half_bits_;
  std::uint64_t right = x & half_mask_;
  for (unsigned i = kRounds; i-- > 0;) {
    const std::uint64_t previous = right ^ round(i, left);
    right = left;
    left = previous;
  }
  return left << half_bits_ | right;
}

std::uint64_t KeyedPermutation::operator()(std::uint64_t number) const {
  do {
    number = encrypt(number);
  } while (number >= size_);
  return number;
}

std::uint64_t KeyedPermutation::inverse(std::uint64_t position) const {
  do {
    position = decrypt(position);
  } while (position >= size_);
  return position;
}

}  // namespace weft::mem
