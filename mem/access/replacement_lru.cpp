// SPDX-License-Identifier: Apache-2.0
// Gives up the way that was used least recently.
#include <algorithm>
#include <numeric>

#include "mem/access/replacement.h"

namespace weft::mem {
namespace {

class Lru : public Replacement {
 public:
  explicit Lru(CacheShape shape) : ways_(shape.ways), order_(std::size_t{shape.sets} * shape.ways) {
    for (std::uint32_t set = 0; set < shape.sets; ++set) std::iota(begin(set), begin(set) + ways_, 0U);
  }
  void touch(std::uint32_t set, std::uint32_t way) override {
    const auto at = std::find(begin(set), begin(set) + ways_, way);
    std::rotate(begin(set), at, at + 1);
  }
  void fill(std::uint32_t set, std::uint32_t way) override { touch(set, way); }
  std::uint32_t victim(std::uint32_t set) const override { return order_[std::size_t{set} * ways_ + ways_ - 1]; }

 private:
  std::vector<std::uint32_t>::iterator begin(std::uint32_t set) {
    return order_.begin() + static_cast<std::ptrdiff_t>(std::size_t{set} * ways_);
  }

  std::uint32_t ways_;
  std::vector<std::uint32_t> order_;  ///< per set, the most recently used way first
};

}  // namespace

extern const ReplacementPolicy kLruReplacement;
const ReplacementPolicy kLruReplacement{
    {"lru", "the way that was used least recently"},
    [](CacheShape shape) -> std::unique_ptr<Replacement> { return std::make_unique<Lru>(shape); }};

}  // namespace weft::mem
