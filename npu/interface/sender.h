// SPDX-License-Identifier: Apache-2.0
// What one network interface has to send: its messages, and the packets that are entering the fabric.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/packet.h"
#include "npu/interface/network_interface.h"
#include "npu/interface/payload_holder.h"
#include "npu/interface/ready_messages.h"

namespace weft::npu {

/// A message that is being sent.
struct Outgoing {
  MessageFields message;
  PayloadHolder* payload = nullptr;
  std::uint64_t released = 0;  ///< bytes that may leave
  std::uint64_t formed = 0;    ///< bytes put into packets
  std::uint64_t ticket = 0;    ///< ticket of its next packet, see Precedence
  Cycle ready_since = 0;       ///< statistics: when its next bytes became ready
  std::uint32_t sequence = 0;
  bool all_formed = false;
  bool kept = false;  ///< a derived SendingSide holds it, not `Sender::ready`
  bool in_use = false;
};
static_assert(sizeof(Outgoing) == 88, "an NPU holds many of these in an all-to-all");

/// A packet that is entering the fabric.
struct Injector {
  PacketIndex packet = 0;
  std::uint32_t flits_left = 0;  ///< 0 = free
  std::uint32_t flits = 0;
  std::uint32_t message = 0;
  std::uint8_t vc = 0;
  bool last = false;  ///< the last packet of its message
  Cycle tail_at = 0;  ///< cycle in which the tail of a packet that is sent as a train leaves
};

/// The injectors of one node, which lie beside those of the others.
class Injectors {
 public:
  Injectors() = default;
  Injectors(Injector* first, std::uint32_t count) : first_(first), count_(count) {}

  std::uint32_t size() const { return count_; }
  Injector* begin() const { return first_; }
  Injector* end() const { return first_ + count_; }
  Injector& operator[](std::size_t i) const { return first_[i]; }

 private:
  Injector* first_ = nullptr;
  std::uint32_t count_ = 0;
};

/// The sending side of one node.
struct Sender {
  NodeId id{};
  std::uint32_t entering = 0;  ///< packets that are entering the fabric: injectors in use
  std::uint32_t next_injector = 0;
  bool credit_missing = false;  ///< as last told to the message probe
  Injectors injectors;
  ReadyMessages ready;  ///< messages that can form a packet and that no other queue holds
  std::vector<Outgoing> messages;
  std::vector<std::uint32_t> free_messages;
  std::uint64_t tickets = 0;
  Endpoint* endpoint = nullptr;
  std::uint32_t packet_sequence = 0;
  std::uint32_t message_sequence = 0;
  std::uint64_t packets_sent = 0;

  /// Whether the next flit of some packet may be the last one of its message.
  bool ends_message() const {
    return std::any_of(injectors.begin(), injectors.end(),
                       [](const Injector& injector) { return injector.flits_left == 1 && injector.last; });
  }
};

}  // namespace weft::npu
