// SPDX-License-Identifier: Apache-2.0
#include "mem/io/tensor_allocator.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft::mem {

void TensorAllocator::open(IoTag tag, PoolOwner owner, const std::string& name, std::uint64_t bytes,
                           std::uint64_t part_bytes) {
  const std::uint64_t whole = layout_.whole_pages(part_bytes);
  Arena& arena = arenas_[{owner.grouped, owner.number}];
  auto found = arena.tensors.find({name, bytes});
  if (found == arena.tensors.end()) {
    if (whole > layout_.arena_bytes() - arena.used) {
      throw InputError(
          fmt::format("'{}' needs {} bytes of the pool at each I/O controller, and of its {}'s {} there are "
                      "{} left; legal: a larger size of the pool ('weft check' says how large)",
                      name, whole, owner.grouped ? "process group" : "rank", layout_.arena_bytes(),
                      layout_.arena_bytes() - arena.used));
    }
    found = arena.tensors.emplace(std::make_pair(name, bytes), layout_.arena(owner) + arena.used).first;
    arena.used += whole;
  }
  opened_.push_back({tag, owner, name, found->second, whole});
}

}  // namespace weft::mem
