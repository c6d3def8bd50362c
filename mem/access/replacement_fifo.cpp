// SPDX-License-Identifier: Apache-2.0
// Gives up the ways in the order in which they were filled, whatever was hit.
#include "mem/access/replacement.h"

namespace weft::mem {
namespace {

class Fifo : public Replacement {
 public:
  explicit Fifo(CacheShape shape) : ways_(shape.ways), next_(shape.sets, 0) {}
  void touch(std::uint32_t, std::uint32_t) override {}
  void fill(std::uint32_t set, std::uint32_t way) override { next_[set] = (way + 1) % ways_; }
  std::uint32_t victim(std::uint32_t set) const override { return next_[set]; }

 private:
  std::uint32_t ways_;
  std::vector<std::uint32_t> next_;
};

}  // namespace

extern const ReplacementPolicy kFifoReplacement;
const ReplacementPolicy kFifoReplacement{
    {"fifo", "the way that was filled first"},
    [](CacheShape shape) -> std::unique_ptr<Replacement> { return std::make_unique<Fifo>(shape); }};

}  // namespace weft::mem
