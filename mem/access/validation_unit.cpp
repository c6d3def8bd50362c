// SPDX-License-Identifier: Apache-2.0
#include "mem/access/validation_unit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::mem {
namespace {

ValidationSpec completed(ValidationSpec spec, const GrantTable& grants) {
  if (spec.walkers == 0) throw InputError("a validation unit of 0 walkers; legal: at least 1");
  if (spec.protection.is_on() && spec.protection.line_bytes > grants.page_bytes()) {
    throw InputError(fmt::format("protected lines of {} bytes are larger than pages of {} bytes",
                                 spec.protection.line_bytes, grants.page_bytes()));
  }
  if (!spec.oblivious.is_on()) return spec;
  const std::uint64_t block = spec.oblivious.block_bytes;
  if (block == 0 || grants.size() % block != 0) {
    throw InputError(
        fmt::format("oblivious blocks of {} bytes do not divide a memory of {} bytes", block, grants.size()));
  }
  spec.oblivious.blocks = grants.size() / block;
  return spec;
}

std::string sentence(const Request& request, Denial denial) {
  return fmt::format("initiator {} may not {} {} bytes at {:#x}: {}", request.initiator,
                     request.command == Command::kWrite ? "write" : "read", request.bytes, request.address,
                     text_of(denial));
}

}  // namespace

Reason reason_of(Denial denial) {
  switch (denial) {
    case Denial::kNone:
      return Reason::kNone;
    case Denial::kOutside:
    case Denial::kWrapsAround:
      return Reason::kOutside;
    case Denial::kReadOnly:
      return Reason::kReadOnly;
    case Denial::kWriteOnly:
      return Reason::kWriteOnly;
    case Denial::kRevoked:
      return Reason::kRevoked;
    case Denial::kStraddles:
      return Reason::kStraddles;
    default:
      return Reason::kNotGranted;
  }
}

ValidationUnit::ValidationUnit(const ValidationSpec& spec, GrantTable grants)
    : spec_(completed(spec, grants)),
      grants_(std::move(grants)),
      cache_(spec.cache),
      protection_(spec.protection),
      walker_free_(spec.walkers, 0) {
  if (spec_.oblivious.is_on()) oblivious_ = std::make_unique<ObliviousMap>(spec_.oblivious);
}

std::uint64_t ValidationUnit::physical_size() const {
  return oblivious_ ? spec_.oblivious.slots() * spec_.oblivious.block_bytes : grants_.size();
}

std::uint64_t ValidationUnit::refused(Initiator who, Denial denial) const {
  const auto found = refused_.find({who, denial});
  return found == refused_.end() ? 0 : found->second;
}

Verdict ValidationUnit::judge(const Request& request, Cycle now) {
  Verdict verdict;
  Cycle ready = now + spec_.check_cycles;
  Denial denial = grants_.check_range({request.address, request.bytes});
  if (denial == Denial::kNone) denial = judge_pages(request, ready);
  verdict.latency = ready - now;
  if (denial != Denial::kNone) {
    refuse(request, now, denial, verdict);
    return verdict;
  }
  const Passage passage = pass(request, ready);
  verdict.physical = grants_.physical(request.address);
  verdict.moved_from = passage.moved.first;
  verdict.moved_bytes = passage.moved.bytes;
  verdict.latency += passage.before;
  verdict.return_latency = passage.after;
  ++counters_.allowed;
  counters_.asked_bytes += request.bytes * request.passes;
  counters_.moved_bytes += passage.moved.bytes * request.passes + passage.shuffled_bytes;
  in_flight_[&request] = {request.initiator, {request.address, request.bytes}, accepted_++};
  return verdict;
}

Denial ValidationUnit::judge_pages(const Request& request, Cycle& ready) {
  StraddleJudge judge;
  const std::uint64_t first = request.address / grants_.page_bytes();
  const std::uint64_t last = (request.address + (request.bytes - 1)) / grants_.page_bytes();
  for (std::uint64_t page = first; page <= last; ++page) {
    const PageAnswer* known = cache_.find(request.initiator, page);
    PageAnswer answer;
    if (known != nullptr) {
      answer = *known;
    } else {
      answer = grants_.page(request.initiator, page * grants_.page_bytes());
      cache_.fill(request.initiator, page, answer);
      Cycle& walker = *std::min_element(walker_free_.begin(), walker_free_.end());
      ready = walker = std::max(ready, walker) + spec_.miss_cycles;
    }
    judge.add(answer.of(request.command == Command::kWrite));
  }
  return judge.answer();
}

ValidationUnit::Passage ValidationUnit::pass(const Request& request, Cycle ready) {
  const bool is_write = request.command == Command::kWrite;
  Passage passage;
  AddressRange moved{grants_.physical(request.address), request.bytes};
  if (oblivious_) {
    const std::uint64_t block = spec_.oblivious.block_bytes;
    const std::uint64_t first = moved.first / block * block;
    moved = {first, (moved.last() / block + 1) * block - first};
    moved.first = hide(moved, ready, passage);
  } else if (seen_) {
    seen_(moved.first);
  }
  // A shuffled pool is always read, whatever the access is; what is written waits in the stash.
  const bool writes_memory = is_write && !oblivious_;
  const ProtectionCost cost = protection_.pass(moved.first, moved.bytes, writes_memory, ready + passage.before);
  (writes_memory ? passage.before : passage.after) += cost.latency_cycles;
  moved.bytes += cost.extra_bytes;
  // Tags and lines that are read before they are written are taken to lie behind the access, or before it at the end.
  moved.first = std::min(moved.first, physical_size() - std::min(physical_size(), moved.bytes));
  passage.moved = moved;
  return passage;
}

/// Accesses each block of the range; returns where the first one was seen. Accesses wait for the end of a shuffle.
std::uint64_t ValidationUnit::hide(AddressRange blocks, Cycle ready, Passage& passage) {
  const ObliviousSpec& spec = spec_.oblivious;
  std::uint64_t first_seen = 0;
  Cycle start = std::max(ready, shuffled_);
  for (std::uint64_t at = blocks.first; at <= blocks.last(); at += spec.block_bytes) {
    const ObliviousStep step = oblivious_->access(at / spec.block_bytes);
    const std::uint64_t seen = step.slot * spec.block_bytes;
    if (at == blocks.first) first_seen = seen;
    if (seen_) seen_(seen);
    if (step.moved_blocks == 0) continue;
    const std::uint64_t bytes = step.moved_blocks * spec.block_bytes;
    start = shuffled_ = start + (bytes + spec.bytes_per_cycle - 1) / spec.bytes_per_cycle;
    passage.shuffled_bytes += bytes;
    ++counters_.shuffles;
  }
  passage.before = start - ready;
  return first_seen;
}

void ValidationUnit::refuse(const Request& request, Cycle now, Denial denial, Verdict& verdict) {
  verdict.allowed = false;
  verdict.reason = reason_of(denial);
  verdict.text = sentence(request, denial);
  ++counters_.refused;
  ++refused_[{request.initiator, denial}];
  if (log_.size() < spec_.log_entries)
    log_.push_back({now, request.initiator, request.command, request.address, request.bytes, denial});
}

void ValidationUnit::finished(const Request& request, Cycle /*now*/) {
  const auto found = in_flight_.find(&request);
  WEFT_CHECK(found != in_flight_.end(), "an access finished that was not accepted");
  const InFlight access = found->second;
  in_flight_.erase(found);
  std::vector<std::function<void()>> done;
  for (Drain& drain : drains_) {
    if (drain.waits_for(access) && --drain.left == 0) done.push_back(std::move(drain.done));
  }
  drains_.erase(std::remove_if(drains_.begin(), drains_.end(), [](const Drain& drain) { return drain.left == 0; }),
                drains_.end());
  // What is called may revoke again.
  for (const auto& call : done) {
    if (call) call();
  }
}

bool ValidationUnit::Drain::waits_for(const InFlight& access) const {
  return access.number < before && (!from || *from == access.initiator) && access.range.overlaps(pages);
}

Verdict ValidationUnit::judge_debug(const Request& request) {
  Verdict verdict;
  const bool is_write = request.command == Command::kWrite;
  Denial denial = grants_.check_range({request.address, request.bytes});
  if (denial == Denial::kNone) {
    verdict.physical = grants_.physical(request.address);
    if (!spec_.debug_all) denial = grants_.judge(request.initiator, is_write, request.address, request.bytes);
  }
  verdict.allowed = denial == Denial::kNone;
  verdict.reason = reason_of(denial);
  if (!verdict.allowed) verdict.text = sentence(request, denial);
  return verdict;
}

DmiRange ValidationUnit::dmi_range(const Request& request) {
  DmiRange range;
  if (!spec_.dmi || spec_.protection.is_on() || oblivious_) return range;
  if (grants_.check_range({request.address, 1}) != Denial::kNone) return range;
  const PageAnswer answer = grants_.page(request.initiator, request.address);
  const Rights rights{answer.read == Denial::kNone, answer.write == Denial::kNone};
  if (!rights.read && !rights.write) return range;
  const AddressRange granted = grants_.granted_around(request.initiator, request.address, rights);
  range.can_read = rights.read;
  range.can_write = rights.write;
  range.first = granted.first;
  range.last = granted.last();
  range.physical = grants_.physical(granted.first);
  return range;
}

void ValidationUnit::forget(AddressRange pages) {
  cache_.invalidate(pages.first / grants_.page_bytes(), pages.last() / grants_.page_bytes());
}

Denial ValidationUnit::claim(Initiator owner, AddressRange pages) {
  const Denial denial = grants_.claim(owner, pages);
  if (denial == Denial::kNone) forget(pages);
  return denial;
}

Denial ValidationUnit::grant(Initiator by, Initiator to, AddressRange pages, Rights rights) {
  const Denial denial = grants_.grant(by, to, pages, rights);
  if (denial == Denial::kNone) forget(pages);
  return denial;
}

Denial ValidationUnit::share(Initiator by, AddressRange pages, Rights rights) {
  const Denial denial = grants_.share(by, pages, rights);
  if (denial == Denial::kNone) forget(pages);
  return denial;
}

Denial ValidationUnit::revoke(Initiator by, Initiator from, AddressRange pages, Rights rights,
                              std::function<void()> done) {
  const Denial denial = grants_.revoke(by, from, pages, rights);
  if (denial == Denial::kNone) end_rights(from, pages, std::move(done));
  return denial;
}

Denial ValidationUnit::unshare(Initiator by, AddressRange pages, Rights rights, std::function<void()> done) {
  const Denial denial = grants_.unshare(by, pages, rights);
  if (denial == Denial::kNone) end_rights(std::nullopt, pages, std::move(done));
  return denial;
}

Denial ValidationUnit::release(Initiator by, AddressRange pages, std::function<void()> done) {
  const Denial denial = grants_.release(by, pages);
  if (denial == Denial::kNone) end_rights(std::nullopt, pages, std::move(done));
  return denial;
}

void ValidationUnit::on_dmi_invalidation(std::function<void(AddressRange)> listener) {
  dmi_listeners_.push_back(std::move(listener));
}

void ValidationUnit::end_rights(std::optional<Initiator> from, AddressRange pages, std::function<void()> done) {
  forget(pages);
  for (const auto& listener : dmi_listeners_) listener(pages);
  Drain drain{from, pages, accepted_, 0, std::move(done)};
  for (const auto& [request, access] : in_flight_) {
    if (drain.waits_for(access)) ++drain.left;
  }
  if (drain.left > 0) {
    drains_.push_back(std::move(drain));
  } else if (drain.done) {
    drain.done();
  }
}

}  // namespace weft::mem
