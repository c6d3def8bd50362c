// SPDX-License-Identifier: Apache-2.0
#include "mem/io/load_store_server.h"

#include <algorithm>

#include "base/checked.h"

namespace weft::mem {

LoadStoreServer::LoadStoreServer(const LoadStoreServerSpec& spec, Outlet& outlet)
    : spec_(spec), outlet_(outlet), out_(spec.line_rate), pool_client_(spec.packet_bytes) {}

void LoadStoreServer::asked(IoTag tag, NodeId asker, std::uint64_t bytes) {
  Load load;
  load.tag = tag;
  load.asker = asker;
  load.bytes = bytes;
  if (spec_.has_pool) {
    load.number = pool_client_.load(tag, asker, bytes);
    pooled_.emplace(load.number, load);
    return;
  }
  load.ready = bytes;
  waiting_.push_back(load);
  outlet_.schedule(spec_.latency, Timer::kReady);
}

void LoadStoreServer::stored(IoTag tag, NodeId sender, std::uint64_t offset, std::uint64_t bytes, bool last) {
  figures_.bytes_out += bytes;
  const Cycle now = outlet_.now();
  const Cycle taken = spec_.has_line ? out_.carry(divided_up(bytes, spec_.flit_bytes), now) : now;
  if (last) ++figures_.stores;
  if (!last && !spec_.has_pool) return;
  taking_.push_back({tag, sender, offset, bytes, last});
  outlet_.schedule(taken - now, Timer::kTaken);
}

void LoadStoreServer::on_timer(Timer timer) {
  switch (timer) {
    case Timer::kReady: {
      const Load load = waiting_.front();
      waiting_.pop_front();
      return begin(load);
    }
    case Timer::kTaken: {
      const Store store = taking_.front();
      taking_.pop_front();
      return taken(store);
    }
    case Timer::kAnswered:
      return hear_pool();
  }
}

// The first bytes of a load are here.
void LoadStoreServer::begin(Load load) {
  ++figures_.loads;
  figures_.bytes_in += load.bytes;
  if (spec_.has_line) {
    loads_.push_back(load);
    return outlet_.bring();
  }
  load.message = outlet_.send({load.tag, load.asker, load.bytes}, load.ready);
  if (load.ready < load.bytes) pooled_[load.number] = load;
}

std::uint64_t LoadStoreServer::next_packet() const {
  if (loads_.empty()) return 0;
  const Load& load = loads_.front();
  const std::uint64_t bytes = std::min(spec_.packet_bytes, load.bytes - load.brought);
  return load.ready < load.brought + bytes ? 0 : bytes;
}

LoadStoreServer::Part LoadStoreServer::take_packet() {
  Load& load = loads_.front();
  const Part part{load.tag, load.asker, std::min(spec_.packet_bytes, load.bytes - load.brought)};
  load.brought += part.bytes;
  if (load.brought == load.bytes) loads_.pop_front();
  return part;
}

// The line has taken a packet of a store.
void LoadStoreServer::taken(const Store& store) {
  if (!spec_.has_pool) return outlet_.confirm(store.tag, store.sender);
  pool_client_.store(store.tag, store.sender, store.offset, store.bytes, store.last);
}

void LoadStoreServer::hear_pool() {
  for (const PoolAnswer& answer : pool_client_.take_answers()) {
    const PoolProgress progress = pool_client_.apply(answer);
    if (progress.refusal != nullptr) tell_refusal(progress);
    if (!progress.tag.store) {
      go_on(progress);
    } else if (progress.ended) {
      outlet_.confirm(progress.tag, progress.peer);
    }
  }
}

// More of a load is here.
void LoadStoreServer::go_on(const PoolProgress& progress) {
  const auto found = pooled_.find(progress.share);
  if (found != pooled_.end() && found->second.ready == 0) {
    if (progress.ready == 0) return;
    Load load = found->second;
    pooled_.erase(found);
    load.ready = progress.ready;
    return begin(load);
  }
  if (found != pooled_.end()) {
    Load& load = found->second;
    if (progress.ready > load.ready) outlet_.release(load.message, progress.ready - load.ready);
    load.ready = progress.ready;
    if (load.ready == load.bytes) pooled_.erase(found);
    return;
  }
  for (Load& load : loads_) {
    if (load.number == progress.share) load.ready = progress.ready;
  }
  outlet_.bring();
}

// Who has asked, or sent, hears of the first packet of its share that was refused.
void LoadStoreServer::tell_refusal(const PoolProgress& progress) {
  IoTag tag = progress.tag;
  tag.controller = kRefusalReport;
  outlet_.refuse(tag, progress.peer,
                 {progress.refusal->address, progress.refusal->bytes, spec_.number,
                  static_cast<std::uint32_t>(progress.refusal->refused)});
}

}  // namespace weft::mem
