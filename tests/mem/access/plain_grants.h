// SPDX-License-Identifier: Apache-2.0
// The grants of a small memory written down page by page, in the plainest way: what the table must agree with.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "mem/access/rights.h"

namespace weft::mem::test {

struct PlainPage {
  bool has_owner = false;
  Initiator owner = 0;
  bool shared_read = false;
  bool shared_write = false;
  bool was_shared = false;
  std::set<Initiator> readers;
  std::set<Initiator> writers;
  std::set<Initiator> former;

  bool may(Initiator who, bool is_write) const {
    if (has_owner && owner == who) return true;
    if (is_write ? shared_write : shared_read) return true;
    return (is_write ? writers : readers).count(who) != 0;
  }
  Denial why_not(Initiator who, bool is_write) const {
    if (may(who, is_write)) return Denial::kNone;
    if (may(who, !is_write)) return is_write ? Denial::kReadOnly : Denial::kWriteOnly;
    return was_shared || former.count(who) != 0 ? Denial::kRevoked : Denial::kNoGrant;
  }
};

/// One region from address 0. Every change is tried page by page first.
class PlainGrants {
 public:
  PlainGrants(std::uint64_t page_bytes, std::size_t pages) : page_bytes_(page_bytes), pages_(pages) {}

  Denial judge(Initiator who, bool is_write, std::uint64_t address, std::uint64_t bytes) const {
    if (address + (bytes - 1) < address) return Denial::kWrapsAround;
    if (address + (bytes - 1) >= page_bytes_ * pages_.size()) return Denial::kOutside;
    bool any_good = false;
    Denial first_bad = Denial::kNone;
    for (std::uint64_t page = address / page_bytes_; page <= (address + bytes - 1) / page_bytes_; ++page) {
      const Denial denial = pages_[page].why_not(who, is_write);
      any_good |= denial == Denial::kNone;
      if (first_bad == Denial::kNone) first_bad = denial;
    }
    return any_good && first_bad != Denial::kNone ? Denial::kStraddles : first_bad;
  }

  Denial claim(Initiator owner, std::size_t first, std::size_t count) {
    for (std::size_t page = first; page < first + count; ++page) {
      if (pages_[page].has_owner && pages_[page].owner != owner) return Denial::kOwned;
    }
    for (std::size_t page = first; page < first + count; ++page) {
      pages_[page].has_owner = true;
      pages_[page].owner = owner;
      pages_[page].former.erase(owner);
    }
    return Denial::kNone;
  }
  Denial release(Initiator by, std::size_t first, std::size_t count) {
    if (!owns(by, first, count)) return Denial::kNotOwner;
    for (std::size_t at = first; at < first + count; ++at) {
      PlainPage& page = pages_[at];
      page.former.insert(page.readers.begin(), page.readers.end());
      page.former.insert(page.writers.begin(), page.writers.end());
      if (page.has_owner) page.former.insert(page.owner);
      page.was_shared = page.was_shared || page.shared_read || page.shared_write;
      page.readers.clear();
      page.writers.clear();
      page.has_owner = page.shared_read = page.shared_write = false;
    }
    return Denial::kNone;
  }
  Denial grant(Initiator by, Initiator to, std::size_t first, std::size_t count, Rights rights) {
    if (!owns(by, first, count)) return Denial::kNotOwner;
    for (std::size_t at = first; at < first + count; ++at) {
      if (rights.read) pages_[at].readers.insert(to);
      if (rights.write) pages_[at].writers.insert(to);
      pages_[at].former.erase(to);
    }
    return Denial::kNone;
  }
  Denial share(Initiator by, std::size_t first, std::size_t count, Rights rights) {
    if (!owns(by, first, count)) return Denial::kNotOwner;
    for (std::size_t at = first; at < first + count; ++at) {
      if (rights.read) pages_[at].shared_read = true;
      if (rights.write) pages_[at].shared_write = true;
    }
    return Denial::kNone;
  }
  Denial revoke(Initiator by, Initiator from, std::size_t first, std::size_t count, Rights rights) {
    if (!owns(by, first, count)) return Denial::kNotOwner;
    for (std::size_t at = first; at < first + count; ++at) {
      if (pages_[at].has_owner && pages_[at].owner == from) return Denial::kOwned;
    }
    for (std::size_t at = first; at < first + count; ++at) {
      const std::size_t taken =
          (rights.read ? pages_[at].readers.erase(from) : 0) + (rights.write ? pages_[at].writers.erase(from) : 0);
      if (taken > 0) pages_[at].former.insert(from);
    }
    return Denial::kNone;
  }
  Denial unshare(Initiator by, std::size_t first, std::size_t count, Rights rights) {
    if (!owns(by, first, count)) return Denial::kNotOwner;
    for (std::size_t at = first; at < first + count; ++at) {
      PlainPage& page = pages_[at];
      if ((rights.read && page.shared_read) || (rights.write && page.shared_write)) page.was_shared = true;
      if (rights.read) page.shared_read = false;
      if (rights.write) page.shared_write = false;
    }
    return Denial::kNone;
  }
  std::size_t pages() const { return pages_.size(); }

 private:
  bool owns(Initiator by, std::size_t first, std::size_t count) const {
    for (std::size_t at = first; at < first + count; ++at) {
      if (by != kManager && !(pages_[at].has_owner && pages_[at].owner == by)) return false;
    }
    return true;
  }

  std::uint64_t page_bytes_;
  std::vector<PlainPage> pages_;
};

}  // namespace weft::mem::test
