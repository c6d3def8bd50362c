// SPDX-License-Identifier: Apache-2.0
// Where tensors lie in the pool. Traces give them names and sizes, but no addresses.
//
// A tensor is what a rank or a group loads or stores under one name with one size; its packets lie in the slices of the
// controllers that they cross, one behind the other, from the next free page of the arena on. So all who use a tensor
// know its address from what they did before, and nothing has to be asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mem/io/io_protocol.h"
#include "mem/io/pool_layout.h"

namespace weft::mem {

/// A load or store that begins, as its rank tells the pool: it stands for the addresses in its packets.
struct PoolOpening {
  IoTag tag;  ///< without piece and controller
  PoolOwner owner;
  std::string name;          ///< name of the tensor
  std::uint64_t offset = 0;  ///< offset of the tensor in each slice
  std::uint64_t bytes = 0;   ///< bytes of its part in a slice, whole pages
};

/// What one rank has put where, and what it tells the pool at the end of a cycle.
class TensorAllocator {
 public:
  explicit TensorAllocator(const PoolLayout& layout) : layout_(layout) {}

  /// A load or store of `bytes` begins; each controller brings or takes at most `part_bytes` of it. Throws InputError
  /// when the arena is full.
  void open(IoTag tag, PoolOwner owner, const std::string& name, std::uint64_t bytes, std::uint64_t part_bytes);
  void close(IoTag tag) { closed_.push_back(tag); }

  std::vector<PoolOpening> take_opened() { return std::exchange(opened_, {}); }
  std::vector<IoTag> take_closed() { return std::exchange(closed_, {}); }

 private:
  struct Arena {
    std::uint64_t used = 0;
    std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> tensors;  ///< by name and size: offset in the slice
  };

  const PoolLayout& layout_;
  std::map<std::pair<bool, std::uint32_t>, Arena> arenas_;  ///< by owner
  std::vector<PoolOpening> opened_;
  std::vector<IoTag> closed_;
};

}  // namespace weft::mem
