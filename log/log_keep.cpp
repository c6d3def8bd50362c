// SPDX-License-Identifier: Apache-2.0
// The log of a run in a checkpoint.
#include "base/checkpoint.h"
#include "log/run_log.h"

namespace weft::log {
namespace {

void keep_access(Checkpoint& checkpoint, MemoryAccess& access) {
  checkpoint.text(access.component);
  checkpoint.text(access.refused);
  checkpoint.values(access.node, access.group, access.write, access.address, access.bytes, access.asked, access.done);
}

void keep_message(Checkpoint& checkpoint, MessageRecord& message) {
  MessageNote& note = message.note;
  checkpoint.values(note.sequence, note.dst, note.tag, note.bytes, note.flow, note.multicast, message.queued,
                    message.left);
  checkpoint.each(message.releases,
                  [&](ReleaseRecord& release) { checkpoint.values(release.bytes, release.at, release.cause); });
  checkpoint.list(message.entered);
  checkpoint.list(message.offsets);
}

void keep_packet(Checkpoint& checkpoint, PacketRecord& packet) {
  checkpoint.values(packet.src, packet.sequence, packet.message, packet.offset, packet.tag, packet.message_bytes,
                    packet.bytes, packet.flits, packet.hops, packet.flow, packet.created, packet.injected,
                    packet.received);
}

void keep_node(Checkpoint& checkpoint, NodeLog& log) {
  checkpoint.each(log.activities, [&](Activity& activity) { keep(checkpoint, activity); });
  checkpoint.values(log.finished, log.finished_in, log.now_in);
  checkpoint.each(log.timers,
                  [&](TimerRecord& timer) { checkpoint.values(timer.set, timer.fired, timer.cookie, timer.cause); });
  checkpoint.each(log.messages, [&](MessageRecord& message) { keep_message(checkpoint, message); });
  checkpoint.each(log.left, [&](LeftRecord& left) { checkpoint.values(left.message, left.at); });
  checkpoint.each(log.packets, [&](PacketRecord& packet) { keep_packet(checkpoint, packet); });
  checkpoint.each(log.gaps, [&](CreditGap& gap) { checkpoint.values(gap.from, gap.to); });
  checkpoint.each(log.accesses, [&](MemoryAccess& access) { keep_access(checkpoint, access); });
  checkpoint.hashed(log.open_timers, [&](std::uint32_t& number) { checkpoint.values(number); });
}

}  // namespace

void RunLog::keep(Checkpoint& checkpoint) {
  checkpoint.section("log");
  for (NodeLog& log : nodes_) keep_node(checkpoint, log);
  checkpoint.each(pool_accesses_, [&](MemoryAccess& access) { keep_access(checkpoint, access); });
}

}  // namespace weft::log
