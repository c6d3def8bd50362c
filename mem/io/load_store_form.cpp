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

// Returns how far a load or store has come. The first member of a group speaks for all members.
StreamProgress LoadStoreUnit::progress_of(const Job& job, std::uint64_t family, FullTag full_tag) const {
  StreamProgress stream;
  stream.family = family;
  stream.pieces = job.pieces;
  stream.begun = job.next;
  stream.ended = job.ended;
  IoTag tag;
  tag.piece = 1;
  stream.tag_step = full_tag(tag) - full_tag({});
  stream.piece_bytes = shares_.span();
  if (job.order.store) stream.senders = job.order.members;
  stream.come = job.ended * shares_.span();
  for (const auto& [piece, missing] : job.missing) {
    if (!job.order.store) stream.come += shares_.bytes_of(job.order.bytes, piece) - missing;
  }
  return stream;
}

// A job ends with its last piece, which may be shorter than the others.
void LoadStoreUnit::put_state(StateForm& form, FullTag full_tag, Job& job) {
  const std::uint64_t next = job.next;
  const std::uint64_t ended = job.ended;
  form.same(job.order.handle);
  IoTag tag = job.tag;
  if (form.is_steady()) {
    const std::uint64_t family = full_tag(job.tag);
    if (job.order.first_member) form.stream(progress_of(job, family, full_tag));
    const std::uint64_t pieces = form.stream_pieces(family);
    job.next += pieces;
    job.ended += pieces;
    (job.order.store ? figures_.stored_bytes : figures_.loaded_bytes) += pieces * shares_.span();
    if (!job.order.store && job.order.first_member) figures_.led_bytes += pieces * shares_.span();
  } else {
    tag.piece = static_cast<std::uint32_t>(next);
    put_tag(form, full_tag, tag);
    form.counts_to(job.next, job.pieces - 1);
    form.same(next - ended);
    // The plane of the first packet of its next piece: see begin_store.
    if (job.order.store) form.same(next * shares_.packets(shares_.piece_bytes) % shares_.planes);
    form.grows(job.ended);
  }
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
  if (allocator_ != nullptr) return form.refuse("memory.pool does not take part yet");
  form.same(jobs_.size());
  // Its messages have the order 0, also those that begin and end between two looks.
  std::uint32_t order = 0;
  if (!jobs_.empty()) form.order(order);
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
  form.counts_streams(figures_.loaded_bytes);
  form.counts_streams(figures_.stored_bytes);
  form.counts_streams(figures_.led_bytes);
  if (!form.is_steady() && !form.players_repeat()) return;  // they change with events of players alone
  form.counts_streams(figures_.loads);
  form.counts_streams(figures_.stores);
  if (form.moves_all())
    load_spans_.repeat(form.happened_from(), form.now(), form.happens_every(), form.skipped() / form.happens_every());
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
  if (form.is_steady()) {
    const auto is_load = [](std::uint64_t family) { return !unpack_io_tag(family).store; };
    const std::uint64_t loads = form.stream_pieces_of(is_load);
    const std::uint64_t stores = form.stream_pieces_of([&](std::uint64_t family) { return !is_load(family); });
    figures_.loads += loads;
    figures_.stores += stores;
    figures_.bytes_in += loads * spec_.piece_bytes;
    figures_.bytes_out += stores * spec_.piece_bytes;
  }
  form.counts_streams(figures_.bytes_in);
  form.counts_streams(figures_.bytes_out);
  form.counts_streams(figures_.loads);
  form.counts_streams(figures_.stores);
}

}  // namespace weft::mem
