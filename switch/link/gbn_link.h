// SPDX-License-Identifier: Apache-2.0
// One direction of a link that loses nothing although its wires do: Go-Back-N with numbered packets.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/packet_rate.h"
#include "base/queue_ring.h"
#include "switch/link/link_faults.h"

namespace weft::fred {

/// A flit as the link carries it. It looks at framing and length only.
struct LinkFlit {
  std::uint32_t packet = 0;        ///< the sender's name
  std::uint32_t data = 0;          ///< where its bytes are; they must stay there until released() names it
  std::uint16_t packet_flits = 1;  ///< flits of its packet
  std::uint8_t traffic_class = 0;
  bool head = false;
  bool tail = false;
};

struct GbnSpec {
  PacketRateSpec rate;
  Cycle forward = 2;                  ///< cycles from sending a flit to its arrival
  Cycle backward = 1;                 ///< cycles of an ACK or a NACK
  std::uint32_t replay_packets = 32;  ///< that may be sent and not acknowledged
  std::uint32_t ack_packets = 16;     ///< accepted packets per ACK
  Cycle ack_timeout = 64;             ///< longest wait of an accepted packet for its ACK
  Cycle retransmit_timeout = 256;     ///< from a packet's tail to its being sent again without any answer
};

struct GbnCounters {
  std::uint64_t packets = 0;    ///< begun for the first time
  std::uint64_t resent = 0;     ///< begun again
  std::uint64_t discarded = 0;  ///< by the receiver: incomplete, wrong, of an earlier round or seen before
  std::uint64_t acks = 0;
  std::uint64_t nacks = 0;
  std::uint64_t timeouts = 0;
  GbnCounters& operator+=(const GbnCounters& other);
};

/// Both ends of a link, which know of each other only what the wires bring, at least one cycle later.
///
/// The sender takes flits in the cycle in which an error-free link would have them, keeps them until they are
/// acknowledged, and serialises them itself. The receiver hands on whole packets, each once and in order. Steps:
/// 1. a flit arrives; a tail completes its packet, which is handed on, or is discarded and answered with a NACK;
/// 2. an ACK is due; 3. ACKs and NACKs arrive; 4. the oldest packet's answer is overdue; 5. a flit is sent.
class GbnLink {
 public:
  /// Throws InputError for parameters out of range.
  GbnLink(const GbnSpec& spec, std::unique_ptr<LinkFaults> faults);

  /// The sender wants this flit on the wire in cycle `now`; after step(now), at most one packet at a time.
  void offer(const LinkFlit& flit, Cycle now);
  /// Cycles between `now` and next_work(now) may be left out.
  void step(Cycle now);
  /// First cycle after `now` with work; kNever = when a flit is offered.
  Cycle next_work(Cycle now) const;

  /// The packet that the last step handed on, whole, or nothing.
  const std::vector<LinkFlit>& handed_on() const { return handed_; }
  /// LinkFlit::data of flits that are needed no longer since the last step.
  const std::vector<std::uint32_t>& released() const { return released_; }

  const GbnSpec& spec() const { return spec_; }
  const GbnCounters& counters() const { return counters_; }
  /// Flits offered and not handed on.
  std::uint64_t flits_inside() const { return offered_ - handed_flits_; }
  /// Everything is acknowledged and nothing on the wires.
  bool at_rest() const { return kept_.empty() && wire_.empty() && answers_.empty() && unacknowledged_ == 0; }
  /// `replay_packets` are unacknowledged: no other one is begun.
  bool window_full() const { return first_new_ - oldest_ >= spec_.replay_packets; }
  /// What the link waits for; empty if for nothing.
  std::string waiting() const;
  /// Hash of all state that influences what happens, relative to `now`. What the flits are is left out.
  std::uint64_t state_hash(Cycle now) const;
  /// Writes its state between two steps into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

 private:
  struct Kept {
    LinkFlit flit;
    Cycle sent = 0;  ///< when it was last put on the wire
  };
  struct OnWire {
    LinkFlit flit;
    Cycle at = 0;
    std::uint64_t number = 0;   ///< number of the packet
    std::uint32_t attempt = 0;  ///< attempt of the sender, see attempt_
    bool hit = false;
  };
  struct Answer {
    Cycle at = 0;
    std::uint64_t expected = 0;  ///< all packets before this one were accepted
    std::uint32_t attempt = 0;   ///< in a NACK: the attempt in which the loss was seen
    bool nack = false;
  };

  // Receiver.
  void receive(const OnWire& arrival, Cycle now);
  void finish_packet(std::uint64_t number, Cycle now);
  void lost_packet(Cycle now);
  void answer(bool nack, Cycle now);
  // Sender.
  void take(const Answer& answer);
  void acknowledge(std::uint64_t expected);
  void go_back();
  void send(Cycle now);
  bool may_send() const;
  std::optional<Cycle> overdue_from() const;

  GbnSpec spec_;
  std::unique_ptr<LinkFaults> faults_;
  GbnCounters counters_;
  std::uint64_t offered_ = 0;
  std::uint64_t handed_flits_ = 0;

  // Sender.
  QueueRing<Kept> kept_;         ///< unacknowledged flits, then those that were never sent
  std::size_t next_ = 0;         ///< the first of them to be sent next
  std::uint64_t oldest_ = 0;     ///< number of the front's packet
  std::uint64_t sending_ = 0;    ///< number of the packet at `next_`
  std::uint64_t first_new_ = 0;  ///< first number that was never sent
  std::uint32_t attempt_ = 0;    ///< counts the jumps of `next_`; every flit carries it
  PacketRate rate_;
  // Wires.
  QueueRing<OnWire> wire_;
  QueueRing<Answer> answers_;
  // Receiver.
  std::uint64_t expected_ = 0;
  std::vector<LinkFlit> staged_;  ///< flits of the packet that is coming in
  std::uint64_t open_number_ = 0;
  std::uint32_t seen_attempt_ = 0;
  bool open_ = false;      ///< a packet is coming in
  bool spoilt_ = false;    ///< it lacks a flit, or has a wrong one
  bool answered_ = false;  ///< a NACK was sent in this attempt
  bool repeated_ = false;  ///< an ACK for a packet seen before was sent in this attempt
  std::uint32_t unacknowledged_ = 0;
  Cycle ack_due_ = 0;  ///< cycle in which the ACK for these is due
  std::vector<LinkFlit> handed_;
  std::vector<std::uint32_t> released_;
};

}  // namespace weft::fred
