// SPDX-License-Identifier: Apache-2.0
#include "mem/access/permission_cache.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"

namespace weft::mem {
namespace {

CacheShape shape_of(const PermissionCacheSpec& spec) {
  if (spec.ways == 0 || spec.entries == 0 || spec.entries % spec.ways != 0) {
    throw InputError(
        fmt::format("a permission cache of {} entries in {} ways; legal: entries a multiple of ways, both "
                    "at least 1",
                    spec.entries, spec.ways));
  }
  const std::uint32_t sets = spec.entries / spec.ways;
  if ((sets & (sets - 1)) != 0) {
    throw InputError(fmt::format("a permission cache of {} entries in {} ways has {} sets; legal: a power of two",
                                 spec.entries, spec.ways, sets));
  }
  return {sets, spec.ways};
}

}  // namespace

PermissionCache::PermissionCache(const PermissionCacheSpec& spec)
    : shape_(shape_of(spec)), entries_(spec.entries), replacement_(make_replacement(spec.replacement, shape_)) {}

std::uint32_t PermissionCache::set_of(Initiator who, std::uint64_t page) const {
  // Neighbouring pages go to neighbouring sets; initiators are spread, so that equal pages of several do not collide.
  return static_cast<std::uint32_t>(page + mix64(who)) & (shape_.sets - 1);
}

const PageAnswer* PermissionCache::find(Initiator who, std::uint64_t page) {
  const std::uint32_t set = set_of(who, page);
  for (std::uint32_t way = 0; way < shape_.ways; ++way) {
    const Entry& entry = entries_[std::size_t{set} * shape_.ways + way];
    if (entry.valid && entry.who == who && entry.page == page) {
      ++hits_;
      replacement_->touch(set, way);
      return &entry.answer;
    }
  }
  ++misses_;
  return nullptr;
}

void PermissionCache::fill(Initiator who, std::uint64_t page, PageAnswer answer) {
  const std::uint32_t set = set_of(who, page);
  Entry* const ways = &entries_[std::size_t{set} * shape_.ways];
  std::uint32_t way = 0;
  while (way < shape_.ways && ways[way].valid) ++way;
  if (way == shape_.ways) way = replacement_->victim(set);
  ways[way] = {true, who, page, answer};
  replacement_->fill(set, way);
}

void PermissionCache::invalidate(std::uint64_t first_page, std::uint64_t last_page) {
  for (Entry& entry : entries_) {
    if (entry.page >= first_page && entry.page <= last_page) entry.valid = false;
  }
}

}  // namespace weft::mem
