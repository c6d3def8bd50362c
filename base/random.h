// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: a value is a pure function of (seed, stream, counter), so that it does not depend
// on the order in which blocks are evaluated.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/types.h"

namespace weft {

/// Mixes 64 bits so that every input bit reaches every output bit (two rounds of multiply and xor-shift).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Random bits for `counter` of `stream` under `seed`.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  const std::uint64_t key = mix64(seed + 0x9e3779b97f4a7c15ULL) ^ mix64(stream * 0xd1342543de82ef95ULL + 1);
  return mix64(mix64(key + counter * 0x9e3779b97f4a7c15ULL) ^ key);
}

/// The random numbers of one node, in order.
class RandomStream {
 public:
  RandomStream() = default;
  /// Continues after `counter` numbers.
  RandomStream(std::uint64_t seed, NodeId node, std::uint64_t counter = 0)
      : seed_(seed), node_(index(node)), counter_(counter) {}
  std::uint64_t counter() const { return counter_; }
  /// Writes how many numbers have been drawn into `checkpoint`, or takes it from there.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.values(counter_);
  }

  std::uint64_t bits() { return random_bits(seed_, node_, counter_++); }
  /// Uniform in [0, n); n must not be 0.
  std::uint64_t below(std::uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * n) >> 64);
  }
  /// Uniform in (0, 1].
  double unit() { return static_cast<double>((bits() >> 11) + 1) * 0x1.0p-53; }
  /// Number of failures before the next success of a Bernoulli trial with probability p in (0, 1].
  Cycle geometric(double p) {
    if (p >= 1.0) return 0;
    const double gap = std::floor(std::log(unit()) / std::log1p(-p));
    return gap < 1e18 ? static_cast<Cycle>(gap) : static_cast<Cycle>(1e18);
  }

 private:
  std::uint64_t seed_ = 0;
  std::uint64_t node_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace weft
