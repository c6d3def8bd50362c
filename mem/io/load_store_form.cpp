// SPDX-License-Identifier: Apache-2.0
// The state of loads and stores over I/O controllers for comparing it with itself a period before, at NPUs and at
// controllers. Piece follows piece, so that what is under way is told by its distance from the piece that comes next.
#include "base/state_form.h"
#include "mem/io/load_store_server.h"
#include "mem/io/load_store_unit.h"

namespace weft::mem {
namespace {

/// Gives a tag with its piece, which grows.
void put_tag(StateForm& form, FullTag full_tag, IoTag& tag) {
  form.same(job_of(tag));
  form.same(tag.controller);
  std::uint64_t bits = full_tag(tag);
  form.tag(bits);
  if (form.moves_on()) tag = unpack_io_tag(bits);
}

}  // namespace

// A job ends with its last piece, which may be shorter than the others.
void LoadStoreUnit::put_state(StateForm& form, FullTag full_tag, Job& job) {
  const std::uint64_t next = job.next;
  const std::uint64_t ended = job.ended;
  form.same(job.order.handle);
  IoTag tag = job.tag;
  tag.piece = static_cast<std::uint32_t>(next);
  put_tag(form, full_tag, tag);
  form.counts_to(job.next, job.pieces - 1);
  form.same(next - ended);
  form.grows(job.ended);
  form.same(job.missing.size());
  for (const auto& [piece, missing] : job.missing) {
    form.same(piece - ended);
    form.same(missing);
  }
  if (!form.moves_on() || job.ended == ended) return;
  std::map<std::uint32_t, std::uint64_t> moved;
  for (const auto& [piece, missing] : job.missing) {
    moved.emplace(static_cast<std::uint32_t>(piece + (job.ended - ended)), missing);
  }
  job.missing.swap(moved);
}

void LoadStoreUnit::put_state(StateForm& form, FullTag full_tag) {
  if (form.is_steady()) return form.refuse("loads and stores are not moved on at steady rates yet");
  if (allocator_ != nullptr) return form.refuse("memory.pool does not take part yet");
  form.same(jobs_.size());
  for (auto& [key, job] : jobs_) {
    form.same(key);
    put_state(form, full_tag, job);
  }
  for (const auto& [group, line] : group_stores_) {
    form.same(std::uint64_t{group} << 32 | line.size());
    for (const std::uint64_t key : line) form.same(key);
  }
  form.same(rooms_.size());
  std::map<std::uint64_t, std::size_t> rooms;
  for (const auto& [key, members] : rooms_) {
    IoTag tag = unpack_io_tag(key);
    put_tag(form, full_tag, tag);
    form.same(members);
    rooms.emplace(pack_io_tag(tag), members);
  }
  rooms_.swap(rooms);
  form.same(static_cast<std::uint64_t>(open_loads_) << 1 | std::uint64_t{stores_});
  form.grows(figures_.loaded_bytes);
  form.grows(figures_.stored_bytes);
}

// Without a pool all of a share is there when it is begun, and only the last packet of a store is noted.
void LoadStoreServer::put_state(StateForm& form, FullTag full_tag) {
  if (spec_.has_pool) return form.refuse("memory.pool does not take part yet");
  for (std::deque<Load>* loads : {&waiting_, &loads_}) {
    form.same(loads->size());
    for (Load& load : *loads) {
      put_tag(form, full_tag, load.tag);
      form.same(index(load.asker));
      form.same(load.bytes);
      form.same(load.brought);
    }
  }
  form.same(taking_.size());
  for (Store& store : taking_) {
    put_tag(form, full_tag, store.tag);
    form.same(index(store.sender));
    form.same(store.bytes);
  }
  out_.put_state(form);
  form.grows(figures_.bytes_in);
  form.grows(figures_.bytes_out);
  form.grows(figures_.loads);
  form.grows(figures_.stores);
}

}  // namespace weft::mem
