// SPDX-License-Identifier: Apache-2.0
#include "mem/access/grant_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace weft::mem {
namespace {

void check_region(const Region& region, std::uint64_t page_bytes) {
  const AddressRange range = region.range;
  if (range.wraps()) {
    throw InputError(fmt::format("region {} at {:#x} of {} bytes is empty or runs over the end of the address space",
                                 region.name, range.first, range.bytes));
  }
  if (range.first % page_bytes != 0 || range.bytes % page_bytes != 0) {
    throw InputError(fmt::format("region {} at {:#x} of {} bytes is not made of whole pages of {} bytes", region.name,
                                 range.first, range.bytes, page_bytes));
  }
}

std::vector<Region> checked(std::vector<Region> regions, std::uint64_t page_bytes) {
  if (page_bytes < kMinPageBytes || (page_bytes & (page_bytes - 1)) != 0)
    throw InputError(fmt::format("a page of {} bytes; legal: a power of two from {}", page_bytes, kMinPageBytes));
  if (regions.empty()) throw InputError("a memory without a region; at least one is needed");
  for (const Region& region : regions) check_region(region, page_bytes);
  std::sort(regions.begin(), regions.end(),
            [](const Region& a, const Region& b) { return a.range.first < b.range.first; });
  for (std::size_t i = 1; i < regions.size(); ++i) {
    const Region& below = regions[i - 1];
    const Region& above = regions[i];
    if (below.range.overlaps(above.range)) {
      throw InputError(fmt::format("region {} ({:#x} to {:#x}) and region {} ({:#x} to {:#x}) overlap", below.name,
                                   below.range.first, below.range.last(), above.name, above.range.first,
                                   above.range.last()));
    }
  }
  return regions;
}

}  // namespace

bool GrantTable::PageGrants::operator==(const PageGrants& other) const {
  return owner == other.owner && everybody.read == other.everybody.read && everybody.write == other.everybody.write &&
         was_shared == other.was_shared && readers == other.readers && writers == other.writers &&
         former == other.former;
}

PageAnswer GrantTable::PageGrants::answer(Initiator who) const {
  const bool may_read = everybody.read || owner == who || readers.contains(who);
  const bool may_write = everybody.write || owner == who || writers.contains(who);
  const Denial none = was_shared || former.contains(who) ? Denial::kRevoked : Denial::kNoGrant;
  PageAnswer answer;
  answer.read = may_read ? Denial::kNone : may_write ? Denial::kWriteOnly : none;
  answer.write = may_write ? Denial::kNone : may_read ? Denial::kReadOnly : none;
  return answer;
}

GrantTable::GrantTable(std::uint64_t page_bytes, std::vector<Region> regions)
    : page_bytes_(page_bytes), regions_(checked(std::move(regions), page_bytes)), runs_{{0, {}}} {
  std::uint64_t below = 0;
  for (const Region& region : regions_) {
    physical_.push_back(below);
    below += region.range.bytes;
  }
}

std::uint64_t GrantTable::physical(std::uint64_t address) const {
  const Region* region = region_of({address, 1});
  WEFT_CHECK(region != nullptr, fmt::format("address {:#x} is in no region", address));
  return physical_[static_cast<std::size_t>(region - regions_.data())] + (address - region->range.first);
}

std::uint64_t GrantTable::size() const { return physical_.back() + regions_.back().range.bytes; }

const Region* GrantTable::region_of(AddressRange range) const {
  auto above =
      std::upper_bound(regions_.begin(), regions_.end(), range.first,
                       [](std::uint64_t address, const Region& region) { return address < region.range.first; });
  if (above == regions_.begin()) return nullptr;
  const Region& region = *std::prev(above);
  return region.range.contains(range) ? &region : nullptr;
}

Denial GrantTable::check_range(AddressRange range) const {
  if (range.wraps()) return Denial::kWrapsAround;
  return region_of(range) == nullptr ? Denial::kOutside : Denial::kNone;
}

Denial GrantTable::check_change(Initiator by, AddressRange pages) const {
  if (const Denial where = check_range(pages); where != Denial::kNone) return where;
  if (pages.first % page_bytes_ != 0 || pages.bytes % page_bytes_ != 0) return Denial::kUnaligned;
  if (by == kManager) return Denial::kNone;
  const std::uint64_t last = pages.last() / page_bytes_;
  for (auto run = run_of(pages.first / page_bytes_); run != runs_.end() && run->first <= last; ++run) {
    if (run->second.owner != by) return Denial::kNotOwner;
  }
  return Denial::kNone;
}

void GrantTable::split_at(std::uint64_t page) {
  const auto run = run_of(page);
  if (run->first != page) runs_.emplace_hint(std::next(run), page, PageGrants(run->second));
}

template <typename Change>
void GrantTable::change(AddressRange pages, Change apply) {
  const std::uint64_t first = pages.first / page_bytes_;
  const std::uint64_t last = pages.last() / page_bytes_;
  split_at(first);
  split_at(last + 1);  // no overflow: there are at most 2^64 / kMinPageBytes pages
  auto run = runs_.find(first);
  while (run != runs_.end() && run->first <= last) apply((run++)->second);
  // Runs that became equal to their lower neighbour join it, the one above the range included.
  run = runs_.find(first);
  if (run != runs_.begin()) --run;
  for (auto next = std::next(run); next != runs_.end() && next->first <= last + 1; next = std::next(run)) {
    if (next->second == run->second) {
      runs_.erase(next);
    } else {
      run = next;
    }
  }
}

Denial GrantTable::claim(Initiator owner, AddressRange pages) {
  if (const Denial denial = check_change(kManager, pages); denial != Denial::kNone) return denial;
  const std::uint64_t last = pages.last() / page_bytes_;
  for (auto run = run_of(pages.first / page_bytes_); run != runs_.end() && run->first <= last; ++run) {
    if (run->second.owner && run->second.owner != owner) return Denial::kOwned;
  }
  change(pages, [owner](PageGrants& grants) {
    grants.owner = owner;
    grants.former.erase(owner);
  });
  return Denial::kNone;
}

Denial GrantTable::release(Initiator by, AddressRange pages) {
  if (const Denial denial = check_change(by, pages); denial != Denial::kNone) return denial;
  change(pages, [](PageGrants& grants) {
    PageGrants left;
    left.former = grants.former;
    left.former.insert_all(grants.readers);
    left.former.insert_all(grants.writers);
    if (grants.owner) left.former.insert(*grants.owner);
    left.was_shared = grants.was_shared || grants.everybody.read || grants.everybody.write;
    grants = left;
  });
  return Denial::kNone;
}

Denial GrantTable::grant(Initiator by, Initiator to, AddressRange pages, Rights rights) {
  if (const Denial denial = check_change(by, pages); denial != Denial::kNone) return denial;
  change(pages, [to, rights](PageGrants& grants) {
    if (rights.read) grants.readers.insert(to);
    if (rights.write) grants.writers.insert(to);
    if (rights.read || rights.write) grants.former.erase(to);
  });
  return Denial::kNone;
}

Denial GrantTable::share(Initiator by, AddressRange pages, Rights rights) {
  if (const Denial denial = check_change(by, pages); denial != Denial::kNone) return denial;
  change(pages, [rights](PageGrants& grants) {
    grants.everybody.read |= rights.read;
    grants.everybody.write |= rights.write;
  });
  return Denial::kNone;
}

Denial GrantTable::revoke(Initiator by, Initiator from, AddressRange pages, Rights rights) {
  if (const Denial denial = check_change(by, pages); denial != Denial::kNone) return denial;
  const std::uint64_t last = pages.last() / page_bytes_;
  for (auto run = run_of(pages.first / page_bytes_); run != runs_.end() && run->first <= last; ++run) {
    if (run->second.owner == from) return Denial::kOwned;
  }
  change(pages, [from, rights](PageGrants& grants) {
    const bool had = (rights.read && grants.readers.contains(from)) || (rights.write && grants.writers.contains(from));
    if (rights.read) grants.readers.erase(from);
    if (rights.write) grants.writers.erase(from);
    if (had) grants.former.insert(from);
  });
  return Denial::kNone;
}

Denial GrantTable::unshare(Initiator by, AddressRange pages, Rights rights) {
  if (const Denial denial = check_change(by, pages); denial != Denial::kNone) return denial;
  change(pages, [rights](PageGrants& grants) {
    const bool had = (rights.read && grants.everybody.read) || (rights.write && grants.everybody.write);
    if (rights.read) grants.everybody.read = false;
    if (rights.write) grants.everybody.write = false;
    grants.was_shared |= had;
  });
  return Denial::kNone;
}

Denial GrantTable::judge(Initiator who, bool is_write, std::uint64_t address, std::uint64_t bytes) const {
  const AddressRange range{address, bytes};
  if (const Denial where = check_range(range); where != Denial::kNone) return where;
  StraddleJudge judge;
  const std::uint64_t last = range.last() / page_bytes_;
  for (auto run = run_of(address / page_bytes_); run != runs_.end() && run->first <= last; ++run)
    judge.add(run->second.answer(who).of(is_write));
  return judge.answer();
}

PageAnswer GrantTable::page(Initiator who, std::uint64_t address) const {
  return run_of(address / page_bytes_)->second.answer(who);
}

AddressRange GrantTable::granted_around(Initiator who, std::uint64_t address, Rights rights) const {
  const Region* region = region_of({address, 1});
  if (region == nullptr) return {};
  const auto allows = [&](const PageGrants& grants) {
    const PageAnswer answer = grants.answer(who);
    return (!rights.read || answer.read == Denial::kNone) && (!rights.write || answer.write == Denial::kNone);
  };
  auto low = run_of(address / page_bytes_);
  if (!allows(low->second)) return {};
  auto high = std::next(low);
  while (high != runs_.end() && allows(high->second)) ++high;
  while (low != runs_.begin() && allows(std::prev(low)->second)) --low;
  const std::uint64_t first = std::max(low->first * page_bytes_, region->range.first);
  std::uint64_t last = region->range.last();
  if (high != runs_.end()) last = std::min(last, high->first * page_bytes_ - 1);
  return {first, last - first + 1};
}

std::optional<Initiator> GrantTable::owner(std::uint64_t address) const {
  return run_of(address / page_bytes_)->second.owner;
}

void StraddleJudge::add(Denial page) {
  if (page == Denial::kNone) {
    any_allowed_ = true;
  } else if (first_denial_ == Denial::kNone) {
    first_denial_ = page;
  }
}

Denial StraddleJudge::answer() const {
  return any_allowed_ && first_denial_ != Denial::kNone ? Denial::kStraddles : first_denial_;
}

}  // namespace weft::mem
