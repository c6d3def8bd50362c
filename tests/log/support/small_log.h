// SPDX-License-Identifier: Apache-2.0
// Two ranks, made by hand. Rank 0 computes in cycles 0 to 10 and sends chunk 0, step 4 of the collective "sum": 64
// bytes, released at 10, on the link at 20 (no credit in 12 to 15), received by rank 1 at 29. Packets of as many flits
// and hops have taken 6 cycles. Rank 1 then reduces until 33, which ends the run.
#pragma once

#include "log/log_file.h"

namespace weft::log {

inline constexpr std::uint64_t kComputeTimer = 1000;
inline constexpr std::uint64_t kReduceTimer = 2000;
inline constexpr std::uint64_t kSumTag = 77;

inline LogNames small_names() {
  LogNames names;
  names.clock.hertz = Rational{1'000'000'000, 1};
  names.nodes = {"npu[0]", "npu[1]"};
  names.ranks = {RankId{0}, RankId{1}};
  names.groups = {"all"};
  names.instances = 16;
  names.message = [](std::uint64_t tag) {
    MessageMeaning meaning;
    if (tag == kSumTag) meaning = {"collective", 0, 5, 0, 0, 4};
    return meaning;
  };
  names.timer = [](std::uint64_t cookie) { return cookie == kComputeTimer ? PathKind::kCompute : PathKind::kEndpoint; };
  return names;
}

inline Packet small_packet(std::uint32_t message, Cycle injected) {
  Packet packet;
  packet.src = NodeId{0};
  packet.dst = NodeId{1};
  packet.message_sequence = message;
  packet.sequence = message;
  packet.bytes = 64;
  packet.message_bytes = 64;
  packet.hops = 2;
  packet.injected = injected;
  packet.tag = message == 0 ? 1 : kSumTag;
  return packet;
}

inline Activity activity_of(ActivityKind kind, const std::string& name, Cycle start, Cycle end) {
  Activity activity;
  activity.kind = kind;
  activity.name = name;
  activity.start = start;
  activity.end = end;
  if (kind == ActivityKind::kCollective || kind == ActivityKind::kChunk) {
    activity.group = 0;
    activity.signature = 5;
  }
  return activity;
}

inline void fill_small_log(RunLog& log) {
  const NodeId first{0};
  const NodeId second{1};
  // Another message, queued at the start: 6 cycles on its way.
  log.timer_set(first, 0, 1, kComputeTimer);
  log.message_queued(first, 0, {0, second, 1, 64, false, false}, 64);
  log.packet_entered(first, 0, 0, 0);
  log.message_left(first, 0, 0);
  log.packet_received(second, 6, small_packet(0, 0));
  log.timer_fired(first, 10, 1);
  log.activity_ended(first, activity_of(ActivityKind::kCompute, "multiply", 0, 10));
  log.message_queued(first, 10, {1, second, kSumTag, 64, false, false}, 64);
  log.credit_missing(first, 12, true);
  log.credit_missing(first, 15, false);
  log.packet_entered(first, 20, 1, 0);
  log.message_left(first, 20, 1);
  log.activity_ended(first, activity_of(ActivityKind::kChunk, "sum", 10, 20));
  log.activity_ended(first, activity_of(ActivityKind::kCollective, "sum", 10, 20));
  log.rank_finished(first, 20);
  log.packet_received(second, 29, small_packet(1, 20));
  log.timer_set(second, 29, 2, kReduceTimer);
  log.timer_fired(second, 33, 2);
  log.activity_ended(second, activity_of(ActivityKind::kChunk, "sum", 2, 33));
  log.activity_ended(second, activity_of(ActivityKind::kCollective, "sum", 2, 33));
  log.rank_finished(second, 33);
}

}  // namespace weft::log
