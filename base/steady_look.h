// SPDX-License-Identifier: Apache-2.0
// What is looked at, and what is moved, where a run goes on at the rates that it has had: docs/fast_forward.md.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/types.h"

namespace weft {

/// Names a message by its sender and its number there.
inline std::uint64_t message_name(NodeId src, std::uint32_t sequence) {
  return std::uint64_t{index(src)} << 32 | sequence;
}

/// A message that is being sent, and how far it has come.
struct MessageProgress {
  NodeId src{};
  NodeId dst{};
  std::uint32_t sequence = 0;  ///< number of the message at its sender
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t packet_bytes = 0;  ///< payload of each packet but the last one
  std::uint64_t released = 0;      ///< bytes that may leave
  std::uint64_t formed = 0;        ///< bytes that have been put into packets
  Cycle ready_since = 0;           ///< of its next packet
  bool streams = false;            ///< it is sent as the message of `from` with `from_tag` comes in
  NodeId from{};
  std::uint64_t from_tag = 0;
};

/// A load or store whose pieces follow each other as messages, with tags of one family (StateForm::TagFamily).
struct StreamProgress {
  std::uint64_t family = 0;
  std::uint64_t pieces = 0;
  std::uint64_t begun = 0;        ///< pieces that have begun
  std::uint64_t ended = 0;        ///< pieces that have ended
  std::uint64_t piece_bytes = 0;  ///< of each piece but the last one
  std::uint64_t come = 0;         ///< bytes that have come, where the stream is a load
  std::size_t senders = 0;        ///< members that send those bytes of a store; 0: it is a load
  std::uint64_t tag_step = 0;     ///< from the tags of a piece to those of the next one
};

/// A moment of a run: its counters in a fixed order, and the messages that are being sent.
struct SteadyLook {
  Cycle at = 0;
  std::vector<std::uint64_t> counters;
  std::vector<MessageProgress> messages;
  std::vector<StreamProgress> streams;
  std::unordered_map<std::uint64_t, std::uint64_t> unsent;  ///< bytes of messages of streams, by family
  /// Bytes of each message of which some have come, by message_name.
  std::unordered_map<std::uint64_t, std::uint64_t> received;
  Cycle event_at = kNever;  ///< the first thing that has nothing to do with rates happens in this cycle
  Cycle goes_on_until = 0;  ///< and the last one that is known in this one

  void clear() {
    counters.clear();
    messages.clear();
    streams.clear();
    unsent.clear();
    received.clear();
    event_at = kNever;
    goes_on_until = 0;
  }
  /// Returns how many pieces of a stream have flowed: those that have come of a load, or that each sender has sent of a
  /// store.
  double flow_of(const StreamProgress& stream) const {
    const auto piece = static_cast<double>(stream.piece_bytes);
    if (stream.senders == 0) return static_cast<double>(stream.come) / piece;
    const auto waits = unsent.find(stream.family);
    const double bytes = waits == unsent.end() ? 0 : static_cast<double>(waits->second);
    return static_cast<double>(stream.begun) - bytes / static_cast<double>(stream.senders) / piece;
  }
};

/// By how many bytes a message is moved on.
struct MessageJump {
  std::uint64_t released = 0;
  std::uint64_t formed = 0;  ///< and so received, given to the adder, and the offset of each packet on its way
};

/// By how many pieces a stream is moved on: what is on its way belongs to pieces so much further on.
struct StreamJump {
  std::uint64_t family = 0;
  std::uint64_t pieces = 0;
  std::uint64_t tag_growth = 0;
};

/// By how much a run is moved on: counters by their amounts, messages by whole packets, streams by whole pieces.
class SteadyJump {
 public:
  std::vector<std::uint64_t> counters;
  std::vector<StreamJump> streams;
  bool whole = false;       ///< all that has happened happens again: all counters and timers move on
  Cycle period = 0;         ///< with `whole`: it happens again every so many cycles
  Cycle measured_from = 0;  ///< what was made before this cycle keeps the time at which it was made

  void clear() {
    counters.clear();
    streams.clear();
    whole = false;
    by_number_.clear();
    by_tag_.clear();
  }
  void add(const MessageProgress& message, const MessageJump& jump) {
    by_number_[message_name(message.src, message.sequence)] = jump;
    by_tag_[{ends(message.src, message.dst), message.tag}] = jump;
  }
  /// The jump of the stream of this family; no jump where there is none.
  StreamJump of_stream(std::uint64_t family) const {
    for (const StreamJump& stream : streams) {
      if (stream.family == family) return stream;
    }
    return {};
  }
  /// The message of `src` with this number; no jump where it is not being sent any more.
  MessageJump of(NodeId src, std::uint32_t sequence) const {
    const auto found = by_number_.find(message_name(src, sequence));
    return found == by_number_.end() ? MessageJump() : found->second;
  }
  /// The message with this tag from `src` to `dst`.
  MessageJump of(NodeId src, NodeId dst, std::uint64_t tag) const {
    const auto found = by_tag_.find({ends(src, dst), tag});
    return found == by_tag_.end() ? MessageJump() : found->second;
  }

 private:
  struct Tagged {
    std::uint64_t ends = 0;
    std::uint64_t tag = 0;
    friend bool operator==(const Tagged& a, const Tagged& b) { return a.ends == b.ends && a.tag == b.tag; }
  };
  static std::uint64_t ends(NodeId src, NodeId dst) { return std::uint64_t{index(src)} << 32 | index(dst); }
  struct Hash {
    std::size_t operator()(const Tagged& name) const {
      return static_cast<std::size_t>((name.ends * 0x9E3779B97F4A7C15 ^ name.tag) * 0x9E3779B97F4A7C15 >> 16);
    }
  };

  std::unordered_map<std::uint64_t, MessageJump> by_number_;
  std::unordered_map<Tagged, MessageJump, Hash> by_tag_;
};

}  // namespace weft
