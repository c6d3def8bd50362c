// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/io_memory_port.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "mem/gate.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {

std::uint64_t IoMemoryPort::share(const Job& job, std::uint32_t piece, std::uint32_t site) const {
  const mem::IoShares& shares = plan_.shares();
  return shares.share(shares.bytes_of(job.order.bytes, piece), site, job.first);
}

void IoMemoryPort::start(const npu::MemoryOrder& order) {
  Job job;
  job.order = order;
  job.pieces = plan_.shares().pieces(order.bytes);
  if (job.pieces > mem::kMostIoPieces) {
    throw InputError(
        fmt::format("{} bytes are {} pieces of {} from each of {} I/O controllers; legal: up to {} (raise "
                    "memory.piece)",
                    order.bytes, job.pieces, plan_.shares().piece_bytes, plan_.sites().size(), mem::kMostIoPieces));
  }
  job.tag.store = order.store;
  job.tag.grouped = order.group != nullptr;
  job.tag.who = job.tag.grouped ? order.group->number : index(rank_);
  job.tag.instance = order.instance & 0xffff;
  job.first = job.tag.who % static_cast<std::uint32_t>(plan_.sites().size());
  const std::uint64_t key = mem::job_of(job.tag);
  const auto [place, fresh] = jobs_.emplace(key, std::move(job));
  WEFT_CHECK(fresh, fmt::format("rank {} has two loads or stores of one number under way", index(rank_)));
  if (allocates(place->second)) open_tensor(place->second);
  if (order.store) {
    ++figures_.stores;
    if (place->second.tag.grouped) {
      group_stores_[place->second.tag.who].push_back(key);
      return start_stores(place->second.tag.who);
    }
  } else {
    ++figures_.loads;
    if (open_loads_++ == 0) loads_since_ = network_.now();
  }
  go_on(place->second);
}

// Of a group the first member does: it asks for loads, and operands of a store meet only when all have sent.
bool IoMemoryPort::allocates(const Job& job) const {
  return allocator_ != nullptr && (job.order.group == nullptr || job.order.group->nodes.front() == network_.node());
}

void IoMemoryPort::open_tensor(const Job& job) {
  const mem::PoolOwner owner{job.tag.grouped, job.tag.who};
  allocator_->open(job.tag, owner, job.order.name, job.order.bytes, plan_.shares().most_of_one(job.order.bytes));
}

void IoMemoryPort::store_ahead() {
  if (stores_) return;
  stores_ = true;
  figures_.early_bytes = figures_.loaded_bytes;
  figures_.early_cycles = figures_.load_cycles + (open_loads_ > 0 ? network_.now() - loads_since_ : 0);
}

// A store begins when all pieces of the one before have left.
void IoMemoryPort::start_stores(std::uint32_t group) {
  std::deque<std::uint64_t>& line = group_stores_[group];
  while (!line.empty()) {
    Job& job = jobs_.at(line.front());
    go_on(job);
    if (job.next < job.pieces) return;
    line.pop_front();
  }
}

void IoMemoryPort::go_on(Job& job) {
  while (job.next < job.pieces && job.next < job.ended + static_cast<std::uint64_t>(plan_.config().memory.pieces)) {
    const auto piece = static_cast<std::uint32_t>(job.next++);
    job.order.store ? begin_store(job, piece) : begin_load(job, piece);
  }
}

npu::Message IoMemoryPort::message_to(std::uint32_t site, mem::IoTag tag) const {
  tag.controller = site;
  npu::Message message;
  message.dst = plan_.sites()[site].node;
  message.tag = for_controller(tag);
  return message;
}

void IoMemoryPort::begin_load(Job& job, std::uint32_t piece) {
  job.missing[piece] = plan_.shares().bytes_of(job.order.bytes, piece);
  if (job.order.group == nullptr) return ask(job, piece);
  const std::vector<NodeId>& members = job.order.group->nodes;
  mem::IoTag tag = job.tag;
  tag.piece = piece;
  tag.controller = mem::kRoomReport;
  if (members.front() == network_.node()) return has_room(tag, members.size());
  npu::Message message;
  message.dst = members.front();
  message.tag = for_npu(tag);
  message.message_class = plan_.control_class();
  send(message);
}

// Reports may come before this rank has begun the load; its own is one of them.
void IoMemoryPort::has_room(mem::IoTag tag, std::size_t members) {
  const std::uint64_t key = mem::pack_io_tag(tag);
  if (++rooms_[key] < members) return;
  rooms_.erase(key);
  ask(jobs_.at(mem::job_of(tag)), tag.piece);
}

void IoMemoryPort::ask(const Job& job, std::uint32_t piece) {
  mem::IoTag tag = job.tag;
  tag.piece = piece;
  for (std::uint32_t site = 0; site < plan_.sites().size(); ++site) {
    const std::uint64_t bytes = share(job, piece, site);
    if (bytes == 0) continue;
    npu::Message message = message_to(site, tag);
    message.message_class = plan_.control_class();
    message.payload = to_payload(mem::IoRequest{bytes});
    message.bytes = message.payload->size();
    send(message);
  }
}

void IoMemoryPort::begin_store(Job& job, std::uint32_t piece) {
  mem::IoTag tag = job.tag;
  tag.piece = piece;
  for (std::uint32_t site = 0; site < plan_.sites().size(); ++site) {
    const std::uint64_t bytes = share(job, piece, site);
    if (bytes == 0) continue;
    ++job.missing[piece];
    npu::Message message = message_to(site, tag);
    message.message_class = plan_.store_class(job.order.group);
    message.bytes = bytes;
    if (job.order.group != nullptr) {
      message.switch_flow = plan_.store_flow(site, *job.order.group);
      message.flow = message.switch_flow != kNoFlow;
      // Alike at all members, and each piece goes on where the one before has ended.
      message.stripe = site + piece * static_cast<std::uint32_t>(plan_.shares().packets(bytes));
    }
    figures_.stored_bytes += bytes;
    send(message);
  }
}

void IoMemoryPort::on_data(const npu::Delivery& delivery) {
  const mem::IoTag tag = io_tag_of(delivery.tag);
  if (tag.controller == mem::kRoomReport) return has_room(tag, plan_.group(tag.who).nodes.size());
  if (tag.controller == mem::kRefusalReport) return refused(tag, from_payload<mem::IoRefusal>(delivery.data));
  const auto found = jobs_.find(mem::job_of(tag));
  WEFT_CHECK(found != jobs_.end(),
             fmt::format("rank {} has got data of a load or store that it has not started", index(rank_)));
  Job& job = found->second;
  std::uint64_t& missing = job.missing.at(tag.piece);
  const std::uint64_t come = tag.store ? 1 : delivery.bytes;
  WEFT_CHECK(come <= missing,
             fmt::format("rank {}: more has come of '{}' than was asked for", index(rank_), job.order.name));
  missing -= come;
  if (!tag.store) figures_.loaded_bytes += come;
  if (missing > 0) return;
  job.missing.erase(tag.piece);
  piece_ended(found->first, job);
}

void IoMemoryPort::piece_ended(std::uint64_t key, Job& job) {
  ++job.ended;
  const bool in_line = job.tag.store && job.tag.grouped;
  if (job.ended < job.pieces) return in_line ? start_stores(job.tag.who) : go_on(job);
  const std::uint64_t handle = job.order.handle;
  if (allocates(job)) allocator_->close(job.tag);
  if (!job.tag.store && --open_loads_ == 0) figures_.load_cycles += network_.now() - loads_since_;
  jobs_.erase(key);
  done_(handle);
}

void IoMemoryPort::refused(mem::IoTag tag, const mem::IoRefusal& refusal) {
  ++figures_.refused;
  if (goes_on_) return;
  const auto found = jobs_.find(mem::job_of(tag));
  const std::string what = found == jobs_.end() ? fmt::format("a {} that has ended", tag.store ? "store" : "load")
                                                : fmt::format("node {} '{}', a {}", found->second.order.handle,
                                                              found->second.order.name, tag.store ? "store" : "load");
  throw ViolationError(fmt::format(
      "rank {}: {}: {} has refused to {} {} bytes at {:#x} of the pool: {} (grants of {}; access.on_refused: continue "
      "goes on)",
      index(rank_), what, plan_.sites()[refusal.controller].name, tag.store ? "write" : "read", refusal.bytes,
      refusal.address, mem::reason_name(static_cast<mem::Reason>(refusal.reason)), plan_.config().memory.pool));
}

bool IoMemoryPort::on_sent(npu::MessageId id) {
  const auto found = open_messages_.find(id);
  if (found == open_messages_.end()) return false;
  open_messages_.erase(found);
  return true;
}

void IoMemoryPort::on_timer(std::uint64_t /*cookie*/) { WEFT_CHECK(false, "a port to I/O controllers has no timers"); }

std::string IoMemoryPort::waiting_for(std::uint64_t handle) const {
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

}  // namespace weft::sc_models
