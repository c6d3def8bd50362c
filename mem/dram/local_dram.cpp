// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/local_dram.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace weft::mem {

LocalDram::LocalDram(const DramTiming& timing, const DramOptions& options, const Clock& npu_clock, WakeAfter wake)
    : clock_(ClockSpec{timing.hertz}), npu_clock_(npu_clock), controller_(timing, options), wake_(std::move(wake)) {}

void LocalDram::stream(bool write, std::uint64_t bytes, Done done, Cycle now) {
  WEFT_CHECK(bytes > 0, "a stream of no bytes was given to a DRAM");
  streams_.push_back({write, bytes, 0, std::move(done)});
  controller_.advance(clock_.first_edge_from(npu_clock_.edge_fs(now) + 1) - 1);
  ask(std::prev(streams_.end()), now);
  arm(now);
}

void LocalDram::ask(std::list<Stream>::iterator stream, Cycle now) {
  const Cycle at = clock_.first_edge_from(npu_clock_.edge_fs(now) + 1);
  while (stream->left > 0 && stream->open < kOpenRequests) {
    std::size_t number = slots_.size();
    if (free_slots_.empty()) {
      slots_.emplace_back();
    } else {
      number = free_slots_.back();
      free_slots_.pop_back();
    }
    Slot& slot = slots_[number];
    slot.stream = stream;
    slot.request = {};
    slot.request.id = number;
    slot.request.command = stream->write ? Command::kWrite : Command::kRead;
    slot.request.bytes = std::min(stream->left, kRequestBytes);
    if (next_address_ + kRequestBytes > controller_.size()) next_address_ = 0;
    slot.request.address = slot.request.physical = next_address_;
    next_address_ += kRequestBytes;
    slot.request.arrival = at;
    slot.request.owner = this;
    slot.asked = now;
    stream->left -= slot.request.bytes;
    ++stream->open;
    controller_.take(slot.request, at);
  }
}

void LocalDram::served(Request& request, Cycle at) {
  ends_.emplace(npu_clock_.first_edge_from(clock_.edge_fs(at)), request.id);
}

void LocalDram::step(Cycle now) {
  if (next_wake_ <= now) next_wake_ = kNever;
  controller_.advance(clock_.first_edge_from(npu_clock_.edge_fs(now) + 1) - 1);
  tell(now);
  arm(now);
}

void LocalDram::tell(Cycle now) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const std::size_t number = ends_.begin()->second;
    if (probe_ != nullptr) log(slots_[number], ends_.begin()->first);
    ends_.erase(ends_.begin());
    const auto stream = slots_[number].stream;
    const std::uint64_t bytes = slots_[number].request.bytes;
    free_slots_.push_back(number);
    --stream->open;
    ask(stream, now);
    if (stream->left > 0 || stream->open > 0) {
      stream->done(bytes);
      continue;
    }
    const Done done = std::move(stream->done);
    streams_.erase(stream);
    done(bytes);
  }
}

void LocalDram::log(const Slot& slot, Cycle done) const {
  MemoryAccess access;
  access.component = name_;
  access.node = node_;
  access.write = slot.request.command == Command::kWrite;
  access.address = slot.request.address;
  access.bytes = slot.request.bytes;
  access.asked = slot.asked;
  access.done = done;
  probe_->access_ended(node_, std::move(access));
}

void LocalDram::arm(Cycle now) {
  if (!ends_.empty()) wake_at(ends_.begin()->first, now);
  const Cycle deadline = controller_.deadline();
  if (deadline != kNever) wake_at(npu_clock_.first_edge_from(clock_.edge_fs(deadline) + 1) - 1, now);
}

void LocalDram::wake_at(Cycle at, Cycle now) {
  at = std::max(at, now + 1);
  if (at >= next_wake_) return;
  next_wake_ = at;
  wake_(at - now);
}

std::vector<MemoryRow> LocalDram::figures(const std::string& name) {
  std::vector<MemoryRow> rows;
  for (std::uint32_t i = 0; i < controller_.channels(); ++i) rows.push_back({name, i, controller_.figures(i)});
  return rows;
}

}  // namespace weft::mem
