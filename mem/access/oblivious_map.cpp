// SPDX-License-Identifier: Apache-2.0
#include "mem/access/oblivious_map.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"

namespace weft::mem {
namespace {

const ObliviousSpec& checked(const ObliviousSpec& spec) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (spec.blocks == 0 || spec.blocks > kMost || spec.stash_blocks == 0 || spec.stash_blocks > kMost) {
    throw InputError(fmt::format("an oblivious pool of {} blocks with a stash of {}; legal: 1 to 2^40 each",
                                 spec.blocks, spec.stash_blocks));
  }
  if (spec.block_bytes == 0 || (spec.block_bytes & (spec.block_bytes - 1)) != 0 || spec.block_bytes > 1u << 20)
    throw InputError(fmt::format("oblivious blocks of {} bytes; legal: a power of two up to 2^20", spec.block_bytes));
  if (spec.shuffle_passes == 0 || spec.shuffle_passes > 64 || spec.bytes_per_cycle == 0) {
    throw InputError(fmt::format("a shuffle of {} passes at {} bytes per cycle; legal: 1 to 64 passes, at least 1 byte",
                                 spec.shuffle_passes, spec.bytes_per_cycle));
  }
  return spec;
}

}  // namespace

ObliviousMap::ObliviousMap(const ObliviousSpec& spec)
    : spec_(checked(spec)), permutation_(spec.slots(), random_bits(spec.key, 0, 0)) {}

void ObliviousMap::shuffle() {
  ++epoch_;
  permutation_ = KeyedPermutation(spec_.slots(), random_bits(spec_.key, 0, epoch_));
  stash_.clear();
  dummies_used_ = 0;
  accesses_ = 0;
}

ObliviousStep ObliviousMap::access(std::uint64_t block) {
  WEFT_CHECK(block < spec_.blocks, "an access outside the oblivious pool");
  ObliviousStep step;
  if (accesses_ == spec_.stash_blocks) {
    shuffle();
    step.moved_blocks = 2 * spec_.shuffle_passes * spec_.slots();
  }
  ++accesses_;
  const bool is_new = stash_.insert(block).second;
  step.slot = permutation_(is_new ? block : spec_.blocks + dummies_used_++);
  return step;
}

}  // namespace weft::mem
