// SPDX-License-Identifier: Apache-2.0
// The cache of grants beside a validation unit: set-associative, keyed by initiator and page.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mem/access/grant_table.h"
#include "mem/access/replacement.h"

namespace weft::mem {

/// Size and policy. Sets are entries / ways, a power of two.
struct PermissionCacheSpec {
  std::uint32_t entries = 1024;
  std::uint32_t ways = 4;
  std::string replacement = "lru";
};

/// Holds answers of the grant table, so it must be told of every change of grants before the next access.
class PermissionCache {
 public:
  /// InputError for sizes that do not fit each other or an unknown policy.
  explicit PermissionCache(const PermissionCacheSpec& spec);

  /// The answer for a page, if it is here; counts a hit or a miss.
  const PageAnswer* find(Initiator who, std::uint64_t page);
  /// Stores an answer that was missed.
  void fill(Initiator who, std::uint64_t page, PageAnswer answer);
  /// Forgets all answers for the pages, whoever they are for.
  void invalidate(std::uint64_t first_page, std::uint64_t last_page);

  std::uint64_t hits() const { return hits_; }
  std::uint64_t misses() const { return misses_; }

 private:
  struct Entry {
    bool valid = false;
    Initiator who = 0;
    std::uint64_t page = 0;
    PageAnswer answer;
  };

  std::uint32_t set_of(Initiator who, std::uint64_t page) const;

  CacheShape shape_;
  std::vector<Entry> entries_;
  std::unique_ptr<Replacement> replacement_;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace weft::mem
