// SPDX-License-Identifier: Apache-2.0
// The validation unit of a memory controller: judges every access against the grants, charges the time of checking,
// protection and shuffling, counts and logs refusals, and ends grants without leaving anything behind.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mem/access/grant_table.h"
#include "mem/access/line_protection.h"
#include "mem/access/oblivious_map.h"
#include "mem/access/permission_cache.h"
#include "mem/access_check.h"

namespace weft::mem {

/// What the unit is made of. Times are cycles of the controller's clock.
struct ValidationSpec {
  Cycle check_cycles = 1;     ///< check of each access; a miss in the cache takes more
  Cycle miss_cycles = 40;     ///< to fetch one page's grants
  std::uint32_t walkers = 8;  ///< that fetch at the same time
  PermissionCacheSpec cache;
  ProtectionSpec protection;
  ObliviousSpec oblivious;
  bool dmi = false;        ///< hand out pointers over fully granted ranges, if nothing needs the unit on the way
  bool debug_all = false;  ///< debug accesses need no grant
  std::size_t log_entries = 1000;
};

/// One refused access.
struct RefusedAccess {
  Cycle at = 0;
  Initiator initiator = 0;
  Command command = Command::kRead;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  Denial denial = Denial::kNone;
};

/// What the accesses of a run cost.
struct ValidationCounters {
  std::uint64_t allowed = 0;
  std::uint64_t refused = 0;
  std::uint64_t asked_bytes = 0;  ///< bytes that the allowed accesses asked for
  std::uint64_t moved_bytes = 0;  ///< what the memory moved for them: padding, tags, partial lines, shuffles included
  std::uint64_t shuffles = 0;
};

/// An access check with grants. The model's data stay at their own location; in oblivious mode it is the moved address
/// that changes. An access of several oblivious blocks is moved as one piece from the first one's slot. Reads pass the
/// protection engine in the order in which they are accepted. Not thread-safe.
class ValidationUnit final : public AccessCheck {
 public:
  /// InputError when a part does not fit: no walker, blocks of the oblivious mode that do not divide the memory, pages
  /// smaller than a protected line. With `spec.oblivious` on, its `blocks` are computed from the table.
  ValidationUnit(const ValidationSpec& spec, GrantTable grants);

  const GrantTable& grants() const { return grants_; }
  const PermissionCache& cache() const { return cache_; }
  const ValidationCounters& counters() const { return counters_; }
  /// The first refusals, at most `log_entries`; all are counted.
  const std::vector<RefusedAccess>& log() const { return log_; }
  std::uint64_t refused(Initiator who, Denial denial) const;
  /// Accepted accesses that have not finished.
  std::size_t in_flight() const { return in_flight_.size(); }
  /// Bytes of memory that are needed behind the unit: more than the regions in oblivious mode.
  std::uint64_t physical_size() const;

  /// As those of GrantTable; the cache follows.
  Denial claim(Initiator owner, AddressRange pages);
  Denial grant(Initiator by, Initiator to, AddressRange pages, Rights rights);
  Denial share(Initiator by, AddressRange pages, Rights rights);
  /// As those of GrantTable. From the call on new accesses are refused. Pointers are invalidated before the call
  /// returns; `done` is called once, when the accesses accepted before have finished, which may be before the call
  /// returns. It is not called when the change is refused.
  Denial revoke(Initiator by, Initiator from, AddressRange pages, Rights rights, std::function<void()> done);
  Denial unshare(Initiator by, AddressRange pages, Rights rights, std::function<void()> done);
  Denial release(Initiator by, AddressRange pages, std::function<void()> done);
  /// Called with the pages of every revocation; a port passes it on to its initiators.
  void on_dmi_invalidation(std::function<void(AddressRange)> listener);
  /// Called with each address that is seen at the memory: that of the access, or, in oblivious mode, of each block.
  void on_seen(std::function<void(std::uint64_t)> listener) { seen_ = std::move(listener); }

  Verdict judge(const Request& request, Cycle now) override;
  void finished(const Request& request, Cycle now) override;
  Verdict judge_debug(const Request& request) override;
  DmiRange dmi_range(const Request& request) override;

 private:
  struct InFlight {
    Initiator initiator;
    AddressRange range;
    std::uint64_t number;  ///< order of acceptance
  };
  struct Drain {
    std::optional<Initiator> from;  ///< nothing = everybody
    AddressRange pages;
    std::uint64_t before;  ///< accesses accepted before this number
    std::size_t left;
    std::function<void()> done;
    bool waits_for(const InFlight& access) const;
  };
  /// What an allowed access is to the memory.
  struct Passage {
    AddressRange moved;
    Cycle before = 0;  ///< cycles before the memory
    Cycle after = 0;   ///< cycles after it
    std::uint64_t shuffled_bytes = 0;
  };

  Denial judge_pages(const Request& request, Cycle& ready);
  Passage pass(const Request& request, Cycle ready);
  std::uint64_t hide(AddressRange blocks, Cycle ready, Passage& passage);
  void refuse(const Request& request, Cycle now, Denial denial, Verdict& verdict);
  void forget(AddressRange pages);
  void end_rights(std::optional<Initiator> from, AddressRange pages, std::function<void()> done);

  ValidationSpec spec_;
  GrantTable grants_;
  PermissionCache cache_;
  LineProtection protection_;
  std::unique_ptr<ObliviousMap> oblivious_;
  std::vector<Cycle> walker_free_;
  Cycle shuffled_ = 0;  ///< when the last shuffle ends
  std::uint64_t accepted_ = 0;
  std::unordered_map<const Request*, InFlight> in_flight_;
  std::vector<Drain> drains_;
  std::vector<std::function<void(AddressRange)>> dmi_listeners_;
  std::function<void(std::uint64_t)> seen_;
  ValidationCounters counters_;
  std::map<std::pair<Initiator, Denial>, std::uint64_t> refused_;
  std::vector<RefusedAccess> log_;
};

/// The word of a denial at a port.
Reason reason_of(Denial denial);

}  // namespace weft::mem
