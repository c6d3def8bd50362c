// SPDX-License-Identifier: Apache-2.0
// What the log of a run can hook into: what ranks do, and what their network interfaces do for them. Producers hold a
// null pointer when nothing is logged.
#pragma once

#include <cstdint>
#include <string>

#include "base/packet.h"
#include "base/types.h"

namespace weft {

/// What an NPU spends time on.
enum class ActivityKind : std::uint8_t {
  kCompute,     ///< on the accelerator
  kHost,        ///< on the host core
  kLoad,        ///< from memory
  kStore,       ///< to memory
  kSend,        ///< a trace's send, from being issued until its tail has left
  kReceive,     ///< a trace's receive, from being issued until the message is here
  kCollective,  ///< from being issued to its end on this rank
  kChunk,       ///< a pipelining chunk of a collective
};

/// No group, no peer.
inline constexpr std::uint32_t kNoGroup = ~0u;
inline constexpr NodeId kNoPeer{~0u};

/// Something that an NPU has done, in cycles of the NPUs' clock.
struct Activity {
  ActivityKind kind = ActivityKind::kCompute;
  std::string name;
  Cycle start = 0;
  Cycle end = 0;
  std::uint64_t bytes = 0;
  // Group, signature and instance together name the same collective on all its ranks.
  std::uint32_t group = kNoGroup;
  std::uint32_t signature = 0;
  std::uint32_t instance = 0;
  std::uint32_t chunk = 0;
  NodeId peer = kNoPeer;  ///< the other end of a send or a receive
};

/// Writes an activity into `checkpoint`, or takes it from there.
template <typename Checkpoint>
void keep(Checkpoint& checkpoint, Activity& activity) {
  checkpoint.text(activity.name);
  checkpoint.values(activity.kind, activity.start, activity.end, activity.bytes, activity.group, activity.signature,
                    activity.instance, activity.chunk, activity.peer);
}

/// Is told what NPUs have done. Calls for one node come in order of time and on the thread that owns the node; those
/// of different nodes may come at the same time.
class ActivityProbe {
 public:
  virtual ~ActivityProbe() = default;
  /// `activity` has ended now.
  virtual void activity_ended(NodeId node, Activity activity) = 0;
  /// The rank at `node` has nothing left to do.
  virtual void rank_finished(NodeId node, Cycle now) = 0;
};

/// A message as its sender queues it.
struct MessageNote {
  std::uint32_t sequence = 0;  ///< counts the messages of its sender from 0
  NodeId dst{};                ///< with `multicast` or `flow` only one of the receivers
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
  bool flow = false;       ///< an operand that is reduced with others' on the way
  bool multicast = false;  ///< copied on the way
};

/// Is told what network interfaces do, which is why everything else happens: whatever an NPU starts, it starts while
/// one of its timers fires, one of its messages has left, or a packet arrives. Threads as for ActivityProbe.
class MessageProbe {
 public:
  virtual ~MessageProbe() = default;
  /// A message is queued of which `released` bytes may leave.
  virtual void message_queued(NodeId node, Cycle now, const MessageNote& message, std::uint64_t released) = 0;
  /// So many bytes of a message may leave now, all that were before included.
  virtual void message_released(NodeId node, Cycle now, std::uint32_t sequence, std::uint64_t released) = 0;
  /// The head of the packet with the message's byte `offset` enters the fabric.
  virtual void packet_entered(NodeId node, Cycle now, std::uint32_t sequence, std::uint64_t offset) = 0;
  /// There is something to send, and no credit to send it with, from now on or no longer.
  virtual void credit_missing(NodeId node, Cycle now, bool missing) = 0;
  /// A message's last flit has left; the endpoint is told next.
  virtual void message_left(NodeId node, Cycle now, std::uint32_t sequence) = 0;
  /// A packet is complete; the endpoint is told next of it or of what it had held up.
  virtual void packet_received(NodeId node, Cycle now, const Packet& packet) = 0;
  /// A timer is set; `number` names it among those of the node's region.
  virtual void timer_set(NodeId node, Cycle now, std::uint64_t number, std::uint64_t cookie) = 0;
  /// It fires; the endpoint is told next.
  virtual void timer_fired(NodeId node, Cycle now, std::uint64_t number) = 0;
};

}  // namespace weft
