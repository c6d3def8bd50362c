// SPDX-License-Identifier: Apache-2.0
#include "mem/io/pool_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::mem {
namespace {

std::uint64_t round_down(std::uint64_t bytes, std::uint64_t unit) { return bytes / unit * unit; }

}  // namespace

PoolLayout::PoolLayout(const PoolFile& pool, std::size_t ranks, std::size_t groups)
    : page_bytes_(pool.page_bytes),
      unit_bytes_(page_bytes_),
      ranks_(ranks),
      owners_(ranks + groups),
      controllers_(pool.spec.controllers) {
  // Both are powers of two, so that the larger one is whole pages and whole blocks.
  if (pool.access && pool.access->oblivious.is_on())
    unit_bytes_ = std::max(unit_bytes_, pool.access->oblivious.block_bytes);
  slice_bytes_ = round_down(pool.size / controllers_, unit_bytes_);
  arena_bytes_ = round_down(slice_bytes_ / owners_, page_bytes_);
  if (arena_bytes_ == 0) {
    throw InputError(
        fmt::format("{}: size: {} bytes have no page of {} for each of {} ranks and process groups at {} "
                    "controllers; legal: {} bytes and more",
                    pool.source, pool.size, page_bytes_, owners_, controllers_, size_for(page_bytes_)));
  }
}

std::uint64_t PoolLayout::size_for(std::uint64_t arena_bytes) const {
  constexpr const char* kWhat = "size of the pool";
  const std::uint64_t slice = checked_multiply(whole_pages(arena_bytes), owners_, kWhat);
  const std::uint64_t whole = checked_multiply(divided_up(slice, unit_bytes_), unit_bytes_, kWhat);
  return checked_multiply(whole, controllers_, kWhat);
}

}  // namespace weft::mem
