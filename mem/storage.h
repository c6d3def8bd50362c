// SPDX-License-Identifier: Apache-2.0
// The bytes of a memory, kept in pages that exist from their first write on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weft::mem {

/// `size` bytes that are 0 until they are written. An untouched memory holds nothing; 4 KiB are made at a time.
class Storage {
 public:
  static constexpr std::uint64_t kPageBytes = 4096;

  explicit Storage(std::uint64_t size) : size_(size) {}

  std::uint64_t size() const { return size_; }
  /// Copies `count` bytes from `address` on. The range must lie inside.
  void read(std::uint64_t address, std::uint8_t* to, std::uint64_t count) const;
  void write(std::uint64_t address, const std::uint8_t* from, std::uint64_t count);
  /// The page around `address`, made if it is not there; stays where it is.
  std::uint8_t* page(std::uint64_t address);
  /// Pages that exist.
  std::uint64_t pages() const { return pages_; }

 private:
  static constexpr std::uint64_t kPagesPerGroup = 512;
  using Page = std::array<std::uint8_t, kPageBytes>;
  using Group = std::array<std::unique_ptr<Page>, kPagesPerGroup>;

  const Page* find(std::uint64_t number) const;

  std::uint64_t size_;
  std::uint64_t pages_ = 0;
  std::vector<std::unique_ptr<Group>> groups_;  // grows to the highest group written
};

}  // namespace weft::mem
