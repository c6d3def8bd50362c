// SPDX-License-Identifier: Apache-2.0
// Loads and stores over I/O controllers in a checkpoint, at NPUs and at controllers.
#include "base/checkpoint.h"
#include "mem/io/load_store_server.h"
#include "mem/io/load_store_unit.h"

namespace weft::mem {
namespace {

void keep_tag(Checkpoint& checkpoint, IoTag& tag) {
  std::uint64_t bits = pack_io_tag(tag);
  checkpoint.values(bits);
  tag = unpack_io_tag(bits);
}

void keep_order(Checkpoint& checkpoint, LoadStore& order) {
  checkpoint.text(order.name);
  checkpoint.values(order.handle, order.store, order.bytes, order.owner.grouped, order.owner.number, order.members,
                    order.first_member, order.instance);
}

}  // namespace

void LoadStoreServer::keep(Checkpoint& checkpoint) {
  if (spec_.has_pool) Checkpoint::refuse("memory.pool is not kept");
  const auto keep_load = [&](Load& load) {
    keep_tag(checkpoint, load.tag);
    checkpoint.values(load.asker, load.bytes, load.brought, load.ready, load.number, load.message);
  };
  checkpoint.each(waiting_, keep_load);
  checkpoint.each(loads_, keep_load);
  checkpoint.each(taking_, [&](Store& store) {
    keep_tag(checkpoint, store.tag);
    checkpoint.values(store.sender, store.offset, store.bytes, store.last);
  });
  out_.keep(checkpoint);
  checkpoint.values(figures_.bytes_in, figures_.bytes_out, figures_.loads, figures_.stores);
}

void LoadStoreUnit::keep(Checkpoint& checkpoint) {
  if (allocator_ != nullptr) Checkpoint::refuse("memory.pool is not kept");
  checkpoint.map(jobs_, [&](std::uint64_t& key, Job& job) {
    checkpoint.values(key, job.first, job.pieces, job.next, job.ended);
    keep_order(checkpoint, job.order);
    keep_tag(checkpoint, job.tag);
    checkpoint.map(job.missing,
                   [&](std::uint32_t& piece, std::uint64_t& missing) { checkpoint.values(piece, missing); });
  });
  checkpoint.map(group_stores_, [&](std::uint32_t& group, std::deque<std::uint64_t>& jobs) {
    checkpoint.values(group);
    checkpoint.list(jobs);
  });
  checkpoint.map(rooms_, [&](std::uint64_t& tag, std::size_t& members) { checkpoint.values(tag, members); });
  LoadStoreFigures& figures = figures_;
  checkpoint.values(figures.loads, figures.stores, figures.loaded_bytes, figures.stored_bytes, figures.led_bytes,
                    figures.early_bytes, figures.early_cycles, figures.refused, open_loads_, loads_since_, stores_);
  checkpoint.each(load_spans_.all(), [&](CycleSpan& span) { checkpoint.values(span.begin, span.end); });
}

}  // namespace weft::mem
