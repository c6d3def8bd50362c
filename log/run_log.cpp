// SPDX-License-Identifier: Apache-2.0
#include "log/run_log.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace weft::log {
namespace {

MessageRecord& message_at(NodeLog& log, std::uint32_t sequence) {
  WEFT_CHECK(sequence < log.messages.size(), "the log is told of a message that was never queued");
  return log.messages[sequence];
}

}  // namespace

void RunLog::activity_ended(NodeId node, Activity activity) { nodes_[node].activities.push_back(std::move(activity)); }

void RunLog::access_ended(NodeId owner, MemoryAccess access) {
  (owner == kNoPeer ? pool_accesses_ : nodes_[owner].accesses).push_back(std::move(access));
}

void RunLog::rank_finished(NodeId node, Cycle now) {
  nodes_[node].finished = now;
  nodes_[node].finished_in = nodes_[node].now_in;
}

void RunLog::message_queued(NodeId node, Cycle now, const MessageNote& message, std::uint64_t released) {
  NodeLog& log = nodes_[node];
  WEFT_CHECK(message.sequence == log.messages.size(), "messages of a node are queued out of their order");
  MessageRecord record;
  record.note = message;
  record.queued = now;
  record.releases.push_back({released, now, log.now_in});
  log.messages.push_back(std::move(record));
}

void RunLog::message_released(NodeId node, Cycle now, std::uint32_t sequence, std::uint64_t released) {
  NodeLog& log = nodes_[node];
  message_at(log, sequence).releases.push_back({released, now, log.now_in});
}

void RunLog::packet_entered(NodeId node, Cycle now, std::uint32_t sequence, std::uint64_t offset) {
  MessageRecord& message = message_at(nodes_[node], sequence);
  message.entered.push_back(now);
  message.offsets.push_back(offset);
}

void RunLog::credit_missing(NodeId node, Cycle now, bool missing) {
  std::vector<CreditGap>& gaps = nodes_[node].gaps;
  if (missing) {
    gaps.push_back({now, kNever});
  } else if (!gaps.empty()) {
    gaps.back().to = now;
  }
}

void RunLog::message_left(NodeId node, Cycle now, std::uint32_t sequence) {
  NodeLog& log = nodes_[node];
  message_at(log, sequence).left = now;
  log.now_in = Cause(Cause::Kind::kLeft, log.left.size());
  log.left.push_back({sequence, now});
}

void RunLog::packet_received(NodeId node, Cycle now, const Packet& packet) {
  NodeLog& log = nodes_[node];
  PacketRecord record;
  record.src = packet.src;
  record.sequence = packet.sequence;
  record.message = packet.message_sequence;
  record.offset = packet.offset;
  record.tag = packet.tag;
  record.message_bytes = packet.message_bytes;
  record.bytes = packet.bytes;
  record.flits = packet.flits;
  record.hops = packet.hops;
  record.flow = packet.flow;
  record.created = packet.created;
  record.injected = packet.injected;
  record.received = now;
  log.now_in = Cause(Cause::Kind::kPacket, log.packets.size());
  log.packets.push_back(record);
}

void RunLog::timer_set(NodeId node, Cycle now, std::uint64_t number, std::uint64_t cookie) {
  NodeLog& log = nodes_[node];
  log.open_timers[number] = static_cast<std::uint32_t>(log.timers.size());
  log.timers.push_back({now, kNever, cookie, log.now_in});
}

void RunLog::timer_fired(NodeId node, Cycle now, std::uint64_t number) {
  NodeLog& log = nodes_[node];
  const auto found = log.open_timers.find(number);
  WEFT_CHECK(found != log.open_timers.end(), "a timer fires that the log was not told of");
  log.timers[found->second].fired = now;
  log.now_in = Cause(Cause::Kind::kTimer, found->second);
  log.open_timers.erase(found);
}

const ReleaseRecord& release_of(const MessageRecord& message, std::uint64_t end) {
  const auto found =
      std::lower_bound(message.releases.begin(), message.releases.end(), end,
                       [](const ReleaseRecord& release, std::uint64_t bytes) { return release.bytes < bytes; });
  WEFT_CHECK(found != message.releases.end(), "bytes of a message have left that were never released");
  return *found;
}

}  // namespace weft::log
