// SPDX-License-Identifier: Apache-2.0
// The grants of a memory: page by page an owner, readers and writers. Neighbouring pages with equal grants are kept as
// one run, so that the table grows with the number of different grants and not with the memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mem/access/rights.h"

namespace weft::mem {

/// The smallest page, bytes.
inline constexpr std::uint64_t kMinPageBytes = 64;

/// A piece of the address space that has memory behind it.
struct Region {
  std::string name;
  AddressRange range;
};

/// What an access of one page would be answered.
struct PageAnswer {
  Denial read = Denial::kNoGrant;
  Denial write = Denial::kNoGrant;
  Denial of(bool is_write) const { return is_write ? write : read; }
};

/// Page-granular grants. Changes apply to all pages of a range or, when one of them is refused, to none; each says why
/// it was refused. Addresses and sizes are in bytes.
class GrantTable {
 public:
  /// InputError when a page is not a power of two, a region is not whole pages, wraps around, or overlaps another.
  GrantTable(std::uint64_t page_bytes, std::vector<Region> regions);

  std::uint64_t page_bytes() const { return page_bytes_; }
  const std::vector<Region>& regions() const { return regions_; }

  /// Makes `owner` the owner of pages that have none; it may read and write them. kOwned if one has another owner.
  Denial claim(Initiator owner, AddressRange pages);
  /// Gives up pages: nobody has a right to them afterwards. By the owner or the manager.
  Denial release(Initiator by, AddressRange pages);
  /// Adds rights of `to`. By the owner or the manager.
  Denial grant(Initiator by, Initiator to, AddressRange pages, Rights rights);
  /// Adds rights of everybody, also of initiators that never had a grant. By the owner or the manager.
  Denial share(Initiator by, AddressRange pages, Rights rights);
  /// Takes rights of `from`; what it does not have is no error. The owner's cannot be taken. If the pages are shared,
  /// the share stays: end it with unshare.
  Denial revoke(Initiator by, Initiator from, AddressRange pages, Rights rights);
  /// Ends shares; single grants stay.
  Denial unshare(Initiator by, AddressRange pages, Rights rights);

  /// Answer to an access of `bytes` bytes, at least one.
  Denial judge(Initiator who, bool is_write, std::uint64_t address, std::uint64_t bytes) const;
  /// Whether the address range is inside one region; kWrapsAround, kOutside or kNone.
  Denial check_range(AddressRange range) const;
  /// Where the byte lies in the memory: regions follow one another by address, without gaps. The address is in a
  /// region.
  std::uint64_t physical(std::uint64_t address) const;
  /// Bytes of all regions.
  std::uint64_t size() const;
  /// Answers for the page that holds `address`.
  PageAnswer page(Initiator who, std::uint64_t address) const;
  /// The largest range around `address`, inside its region, that `who` may use with all of `rights`; empty if the page
  /// of `address` does not allow it.
  AddressRange granted_around(Initiator who, std::uint64_t address, Rights rights) const;
  std::optional<Initiator> owner(std::uint64_t address) const;
  /// Runs of pages with equal grants: what the table costs.
  std::size_t runs() const { return runs_.size(); }

 private:
  struct PageGrants {
    std::optional<Initiator> owner;
    Rights everybody;
    bool was_shared = false;
    InitiatorSet readers;
    InitiatorSet writers;
    InitiatorSet former;  ///< had a right that was taken
    bool operator==(const PageGrants& other) const;
    PageAnswer answer(Initiator who) const;
  };
  using Runs = std::map<std::uint64_t, PageGrants>;  ///< first page -> grants up to the next key

  Runs::const_iterator run_of(std::uint64_t page) const { return std::prev(runs_.upper_bound(page)); }
  Denial check_change(Initiator by, AddressRange pages) const;
  template <typename Change>
  void change(AddressRange pages, Change apply);
  void split_at(std::uint64_t page);
  const Region* region_of(AddressRange range) const;

  std::uint64_t page_bytes_;
  std::vector<Region> regions_;          ///< by address
  std::vector<std::uint64_t> physical_;  ///< where each begins in the memory
  Runs runs_;
};

/// Answer for an access of several pages from the answers for each of them, in order.
class StraddleJudge {
 public:
  void add(Denial page);
  Denial answer() const;

 private:
  Denial first_denial_ = Denial::kNone;
  bool any_allowed_ = false;
};

}  // namespace weft::mem
