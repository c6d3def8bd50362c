// SPDX-License-Identifier: Apache-2.0
// How the addresses of the pool are divided. Every I/O controller has a slice of them, and every rank and process group
// an arena in each slice, at the same offset.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/checked.h"
#include "mem/pool/pool_file.h"

namespace weft::mem {

/// A rank, or a process group.
struct PoolOwner {
  bool grouped = false;
  std::uint32_t number = 0;
};

/// How the addresses of a pool are divided.
class PoolLayout {
 public:
  /// Throws InputError when an arena has no page.
  PoolLayout(const PoolFile& pool, std::size_t ranks, std::size_t groups);

  std::uint64_t page_bytes() const { return page_bytes_; }
  std::uint64_t slice_bytes() const { return slice_bytes_; }
  std::uint64_t arena_bytes() const { return arena_bytes_; }
  std::uint64_t whole_pages(std::uint64_t bytes) const {
    return checked_multiply(divided_up(bytes, page_bytes_), page_bytes_, "whole pages of the pool");
  }
  /// The smallest size of a pool whose arenas have so many bytes.
  std::uint64_t size_for(std::uint64_t arena_bytes) const;
  /// Where the arena begins in each slice.
  std::uint64_t arena(PoolOwner owner) const { return arena_bytes_ * ((owner.grouped ? ranks_ : 0) + owner.number); }

 private:
  std::uint64_t page_bytes_;
  std::uint64_t unit_bytes_;  ///< slices are whole multiples of so many bytes
  std::uint64_t slice_bytes_;
  std::uint64_t arena_bytes_;
  std::size_t ranks_;
  std::size_t owners_;  ///< ranks and groups
  std::uint32_t controllers_;
};

}  // namespace weft::mem
