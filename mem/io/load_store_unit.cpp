// SPDX-License-Identifier: Apache-2.0
#include "mem/io/load_store_unit.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace weft::mem {

std::uint64_t LoadStoreUnit::share(const Job& job, std::uint32_t piece, std::uint32_t controller) const {
  return shares_.share(shares_.bytes_of(job.order.bytes, piece), controller, job.first);
}

void LoadStoreUnit::start(const LoadStore& order) {
  Job job;
  job.order = order;
  job.pieces = shares_.pieces(order.bytes);
  if (job.pieces > kMostIoPieces) {
    throw InputError(
        fmt::format("{} bytes are {} pieces of {} from each of {} I/O controllers; legal: up to {} (raise "
                    "memory.piece)",
                    order.bytes, job.pieces, shares_.piece_bytes, shares_.controllers, kMostIoPieces));
  }
  job.tag.store = order.store;
  job.tag.grouped = order.owner.grouped;
  job.tag.who = order.owner.number;
  job.tag.instance = order.instance & 0xffff;
  job.first = job.tag.who % shares_.controllers;
  const std::uint64_t key = job_of(job.tag);
  const auto [entry, fresh] = jobs_.emplace(key, std::move(job));
  WEFT_CHECK(fresh, fmt::format("rank {} has two loads or stores of one number under way", index(rank_)));
  if (allocates(entry->second)) open_tensor(entry->second);
  if (order.store) {
    ++figures_.stores;
    if (entry->second.tag.grouped) {
      group_stores_[entry->second.tag.who].push_back(key);
      return start_stores(entry->second.tag.who);
    }
  } else {
    ++figures_.loads;
    if (open_loads_++ == 0) loads_since_ = outlet_.now();
  }
  go_on(entry->second);
}

// The first member of a group opens its tensors: it asks for loads, and operands of a store meet only when all have
// sent theirs.
void LoadStoreUnit::open_tensor(const Job& job) {
  allocator_->open(job.tag, job.order.owner, job.order.name, job.order.bytes, shares_.most_of_one(job.order.bytes));
}

void LoadStoreUnit::store_ahead() {
  if (stores_) return;
  stores_ = true;
  figures_.early_bytes = figures_.loaded_bytes;
  figures_.early_cycles = load_spans(outlet_.now()).cycles();
}

// A store begins when all pieces of the one before have left.
void LoadStoreUnit::start_stores(std::uint32_t group) {
  std::deque<std::uint64_t>& line = group_stores_[group];
  while (!line.empty()) {
    Job& job = jobs_.at(line.front());
    go_on(job);
    if (job.next < job.pieces) return;
    line.pop_front();
  }
}

void LoadStoreUnit::go_on(Job& job) {
  while (job.next < job.pieces && job.next < job.ended + pieces_) {
    const auto piece = static_cast<std::uint32_t>(job.next++);
    job.order.store ? begin_store(job, piece) : begin_load(job, piece);
  }
}

void LoadStoreUnit::begin_load(Job& job, std::uint32_t piece) {
  job.missing[piece] = shares_.bytes_of(job.order.bytes, piece);
  if (!job.tag.grouped) return ask(job, piece);
  IoTag tag = job.tag;
  tag.piece = piece;
  tag.controller = kRoomReport;
  if (job.order.first_member) return has_room(tag, job.order.members);
  outlet_.report_room(tag);
}

// Reports may come before this rank has begun the load; its own is one of them.
void LoadStoreUnit::has_room(IoTag tag, std::size_t members) {
  const std::uint64_t key = pack_io_tag(tag);
  if (++rooms_[key] < members) return;
  rooms_.erase(key);
  ask(jobs_.at(job_of(tag)), tag.piece);
}

void LoadStoreUnit::ask(const Job& job, std::uint32_t piece) {
  IoTag tag = job.tag;
  tag.piece = piece;
  for (tag.controller = 0; tag.controller < shares_.controllers; ++tag.controller) {
    const std::uint64_t bytes = share(job, piece, tag.controller);
    if (bytes > 0) outlet_.ask(tag, bytes);
  }
}

void LoadStoreUnit::begin_store(Job& job, std::uint32_t piece) {
  IoTag tag = job.tag;
  tag.piece = piece;
  for (tag.controller = 0; tag.controller < shares_.controllers; ++tag.controller) {
    const std::uint64_t bytes = share(job, piece, tag.controller);
    if (bytes == 0) continue;
    ++job.missing[piece];
    figures_.stored_bytes += bytes;
    // Each piece goes on where the one before has ended.
    outlet_.store(tag, bytes, tag.controller + piece * static_cast<std::uint32_t>(shares_.packets(bytes)));
  }
}

void LoadStoreUnit::arrived(IoTag tag, std::uint64_t bytes) {
  const auto found = jobs_.find(job_of(tag));
  WEFT_CHECK(found != jobs_.end(),
             fmt::format("rank {} has got data of a load or store that it has not started", index(rank_)));
  Job& job = found->second;
  std::uint64_t& missing = job.missing.at(tag.piece);
  const std::uint64_t come = tag.store ? 1 : bytes;
  WEFT_CHECK(come <= missing,
             fmt::format("rank {}: more has come of '{}' than was asked for", index(rank_), job.order.name));
  missing -= come;
  if (!tag.store) {
    figures_.loaded_bytes += come;
    if (job.order.first_member) figures_.led_bytes += come;
  }
  if (missing > 0) return;
  job.missing.erase(tag.piece);
  piece_ended(found->first, job);
}

void LoadStoreUnit::piece_ended(std::uint64_t key, Job& job) {
  ++job.ended;
  if (job.order.first_member && job.ended < job.pieces) outlet_.piece_ended(job.tag);
  const bool in_line = job.tag.store && job.tag.grouped;
  if (job.ended < job.pieces) return in_line ? start_stores(job.tag.who) : go_on(job);
  const std::uint64_t handle = job.order.handle;
  if (allocates(job)) allocator_->close(job.tag);
  if (!job.tag.store && --open_loads_ == 0) load_spans_.add({loads_since_, outlet_.now()});
  jobs_.erase(key);
  outlet_.done(handle);
}

CycleSpans LoadStoreUnit::load_spans(Cycle now) const {
  CycleSpans spans = load_spans_;
  if (open_loads_ > 0) spans.add({loads_since_, now});
  return spans;
}

std::string LoadStoreUnit::refused(IoTag tag) {
  ++figures_.refused;
  const char* what = tag.store ? "store" : "load";
  const auto found = jobs_.find(job_of(tag));
  if (found == jobs_.end()) return fmt::format("a {} that has ended", what);
  return fmt::format("node {} '{}', a {}", found->second.order.handle, found->second.order.name, what);
}

std::string LoadStoreUnit::waiting_for(std::uint64_t handle) const {
  for (const auto& [key, job] : jobs_) {
    if (job.order.handle != handle) continue;
    std::string text = fmt::format("{} of {} pieces are through", job.ended, job.pieces);
    for (const auto& [piece, missing] : job.missing) {
      text += fmt::format(", piece {} lacks {}", piece,
                          job.order.store ? fmt::format("{} answers", missing) : fmt::format("{} bytes", missing));
    }
    if (job.next == 0) text += ", and waits for an earlier store of its group";
    return text;
  }
  return "nothing";
}

}  // namespace weft::mem
