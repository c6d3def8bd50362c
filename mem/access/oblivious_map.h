// SPDX-License-Identifier: Apache-2.0
// Where blocks of a pool lie when nobody outside shall learn which of them is accessed: the square-root construction
// of Goldreich and Ostrovsky with the stash on the controller.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "mem/access/keyed_permutation.h"

namespace weft::mem {

/// Size and cost of the shuffled pool.
struct ObliviousSpec {
  std::uint64_t block_bytes = 4096;   ///< every access is padded to blocks of this size
  std::uint64_t blocks = 0;           ///< that initiators can address; 0 = the mode is off
  std::uint64_t stash_blocks = 64;    ///< on the controller, and dummies in the pool; accesses between two shuffles
  std::uint64_t shuffle_passes = 1;   ///< reads and writes of the whole pool that one shuffle takes
  std::uint64_t bytes_per_cycle = 1;  ///< bytes per cycle that the pool's memory moves while it shuffles
  std::uint64_t key = 1;

  bool is_on() const { return blocks > 0; }
  std::uint64_t slots() const { return blocks + stash_blocks; }
};

/// What one block access is, seen from outside.
struct ObliviousStep {
  std::uint64_t slot = 0;          ///< the one that is read, below ObliviousSpec::slots()
  std::uint64_t moved_blocks = 0;  ///< read or written by the shuffle that had to end before it
};

/// Between two shuffles `stash_blocks` accesses happen, and each reads another slot of a random permutation: the slot
/// of a block that is not in the stash, which then is, or else the slot of the next dummy. So the slots that are seen
/// are distinct random ones whatever is accessed. Reads and writes look the same; what is written stays in the stash
/// until the next shuffle.
class ObliviousMap {
 public:
  /// InputError when there is no stash, or sizes overflow.
  explicit ObliviousMap(const ObliviousSpec& spec);

  const ObliviousSpec& spec() const { return spec_; }
  /// Accesses `block`, below spec().blocks.
  ObliviousStep access(std::uint64_t block);
  /// Whether the block is in the stash.
  bool in_stash(std::uint64_t block) const { return stash_.count(block) != 0; }
  /// The slot that holds the block's last shuffled copy.
  std::uint64_t slot_of(std::uint64_t block) const { return permutation_(block); }
  std::uint64_t shuffles() const { return epoch_; }

 private:
  void shuffle();

  ObliviousSpec spec_;
  KeyedPermutation permutation_;
  std::unordered_set<std::uint64_t> stash_;
  std::uint64_t dummies_used_ = 0;
  std::uint64_t accesses_ = 0;  ///< since the last shuffle
  std::uint64_t epoch_ = 0;
};

}  // namespace weft::mem
