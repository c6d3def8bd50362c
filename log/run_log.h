// SPDX-License-Identifier: Apache-2.0
// What happened in a run, as NPUs and network interfaces tell it, with the reason of each event.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/access_probe.h"
#include "base/activity_probe.h"
#include "base/checkpoint.h"

namespace weft::log {

/// The event of a node in which something began. Events of a node are told apart by kind and number.
class Cause {
 public:
  enum class Kind : std::uint32_t { kStart, kTimer, kPacket, kLeft };

  Cause() = default;
  Cause(Kind kind, std::size_t number)
      : bits_(static_cast<std::uint32_t>(kind) << 30 | static_cast<std::uint32_t>(number)) {}
  Kind kind() const { return static_cast<Kind>(bits_ >> 30); }
  std::size_t number() const { return bits_ & 0x3fffffffu; }

 private:
  std::uint32_t bits_ = 0;  ///< the start of the run
};

struct TimerRecord {
  Cycle set = 0;
  Cycle fired = kNever;
  std::uint64_t cookie = 0;
  Cause cause;
};

/// Bytes of a message that may leave from `at` on.
struct ReleaseRecord {
  std::uint64_t bytes = 0;  ///< all before included
  Cycle at = 0;
  Cause cause;
};

struct MessageRecord {
  MessageNote note;
  Cycle queued = 0;
  Cycle left = kNever;
  std::vector<ReleaseRecord> releases;  ///< ascending
  std::vector<Cycle> entered;           ///< per packet: its head, in order of offset
  std::vector<std::uint64_t> offsets;   ///< offsets of these packets in the message, bytes
};

struct LeftRecord {
  std::uint32_t message = 0;
  Cycle at = 0;
};

struct PacketRecord {
  NodeId src{};
  std::uint32_t sequence = 0;
  std::uint32_t message = 0;  ///< number of the message among those of `src`
  std::uint64_t offset = 0;
  std::uint64_t tag = 0;
  std::uint64_t message_bytes = 0;
  std::uint32_t bytes = 0;
  std::uint32_t flits = 0;
  std::uint16_t hops = 0;
  bool flow = false;  ///< reduced on the way: `src` is one of those that have sent an operand
  Cycle created = 0;
  Cycle injected = 0;
  Cycle received = 0;
};

/// Cycles in which there was something to send and no credit: [from, to).
struct CreditGap {
  Cycle from = 0;
  Cycle to = kNever;
};

/// What one node told.
struct NodeLog {
  std::vector<Activity> activities;  ///< in order of their ends
  Cycle finished = kNever;
  Cause finished_in;
  std::vector<TimerRecord> timers;
  std::vector<MessageRecord> messages;  ///< by sequence
  std::vector<LeftRecord> left;
  std::vector<PacketRecord> packets;   ///< received
  std::vector<CreditGap> gaps;         ///< ascending
  std::vector<MemoryAccess> accesses;  ///< accesses of its own memory, in order of their ends
  Cause now_in;                        ///< the event that is being handled
  std::unordered_map<std::uint64_t, std::uint32_t> open_timers;
};

/// The log in memory. Nodes have parts of their own, so that threads need no locks.
class RunLog final : public ActivityProbe, public MessageProbe, public AccessProbe {
 public:
  /// For NodeId 0 .. nodes - 1.
  explicit RunLog(std::size_t nodes) : nodes_(nodes) {}

  std::size_t nodes() const { return nodes_.size(); }
  const NodeLog& node(NodeId id) const { return nodes_[id]; }

  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

  void activity_ended(NodeId node, Activity activity) override;
  void access_ended(NodeId owner, MemoryAccess access) override;
  /// The accesses to the pool, in order of their ends.
  const std::vector<MemoryAccess>& pool_accesses() const { return pool_accesses_; }
  void rank_finished(NodeId node, Cycle now) override;
  void message_queued(NodeId node, Cycle now, const MessageNote& message, std::uint64_t released) override;
  void message_released(NodeId node, Cycle now, std::uint32_t sequence, std::uint64_t released) override;
  void packet_entered(NodeId node, Cycle now, std::uint32_t sequence, std::uint64_t offset) override;
  void credit_missing(NodeId node, Cycle now, bool missing) override;
  void message_left(NodeId node, Cycle now, std::uint32_t sequence) override;
  void packet_received(NodeId node, Cycle now, const Packet& packet) override;
  void timer_set(NodeId node, Cycle now, std::uint64_t number, std::uint64_t cookie) override;
  void timer_fired(NodeId node, Cycle now, std::uint64_t number) override;

 private:
  IndexedVector<NodeId, NodeLog> nodes_;
  std::vector<MemoryAccess> pool_accesses_;
};

/// The release that let the byte before `end` of a message leave.
const ReleaseRecord& release_of(const MessageRecord& message, std::uint64_t end);

}  // namespace weft::log
