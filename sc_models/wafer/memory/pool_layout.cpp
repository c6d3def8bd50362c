// SPDX-License-Identifier: Apache-2.0
#include "wafer/memory/pool_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"

namespace weft::wafer {
namespace {

std::uint64_t round_down(std::uint64_t bytes, std::uint64_t unit) { return bytes / unit * unit; }

}  // namespace

PoolLayout::PoolLayout(const mem::PoolFile& pool, std::size_t ranks, std::size_t groups)
    : page_bytes_(pool.page_bytes), ranks_(ranks) {
  // Both are powers of two, so that the larger one is whole pages and whole blocks.
  std::uint64_t unit = page_bytes_;
  if (pool.access && pool.access->oblivious.is_on()) unit = std::max(unit, pool.access->oblivious.block_bytes);
  const std::size_t owners = ranks + groups;
  slice_bytes_ = round_down(pool.size / pool.spec.controllers, unit);
  arena_bytes_ = round_down(slice_bytes_ / owners, page_bytes_);
  if (arena_bytes_ == 0) {
    throw InputError(fmt::format(
        "{}: size: {} bytes have no page of {} for each of {} ranks and process groups at {} "
        "controllers; legal: {} bytes and more",
        pool.source, pool.size, page_bytes_, owners, pool.spec.controllers, unit * owners * pool.spec.controllers));
  }
}

void PoolBook::open(IoTag tag, PoolOwner owner, const std::string& name, std::uint64_t bytes,
                    std::uint64_t part_bytes) {
  const std::uint64_t page = layout_.page_bytes();
  const std::uint64_t whole = (part_bytes + page - 1) / page * page;
  Arena& arena = arenas_[{owner.grouped, owner.number}];
  auto found = arena.tensors.find({name, bytes});
  if (found == arena.tensors.end()) {
    if (whole > layout_.arena_bytes() - arena.used) {
      throw InputError(
          fmt::format("'{}' needs {} bytes of the pool at each I/O controller, and of its {}'s {} there are "
                      "{} left; legal: a larger size of the pool",
                      name, whole, owner.grouped ? "process group" : "rank", layout_.arena_bytes(),
                      layout_.arena_bytes() - arena.used));
    }
    found = arena.tensors.emplace(std::make_pair(name, bytes), layout_.arena(owner) + arena.used).first;
    arena.used += whole;
  }
  opened_.push_back({tag, owner, name, found->second, whole});
}

}  // namespace weft::wafer
