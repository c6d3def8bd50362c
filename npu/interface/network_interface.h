// SPDX-License-Identifier: Apache-2.0
// The message API: what collective engines, graph players and outside front ends see of the network.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/checkpoint.h"
#include "base/fabric_flows.h"
#include "base/state_form.h"
#include "base/types.h"

namespace weft::npu {

/// Message classes travel in separate VCs, so that a request can never block a reply. On a fabric of FRED switches they
/// are its traffic classes.
enum class MessageClass : std::uint8_t { kRequest = 0, kReply = 1 };
constexpr MessageClass class_of(TrafficClass traffic_class) {
  return MessageClass(static_cast<std::uint8_t>(traffic_class));
}

/// Bytes of a message in `data: values` mode. The sender fills bytes before it releases them.
using Payload = std::vector<std::uint8_t>;

/// Names a message at its sender until `Endpoint::on_sent`; slots are used again afterwards.
enum class MessageId : std::uint32_t {};

/// What a message says of itself; source and tag are all that the receiver can match on. Senders hold many of these.
struct MessageFields {
  std::uint64_t tag = 0;    ///< meaning belongs to the endpoints
  std::uint64_t bytes = 0;  ///< 0 is legal: one packet without payload
  NodeId dst{};
  std::uint32_t order = 0;  ///< lower goes first where priorities are equal, on a mesh if `npu.message_order` says so
  /// Number of the flow that FRED switches carry the message in. Those of one traffic class leave one after the other,
  /// in the order of `send`: all participants of flows must issue them in one order.
  std::uint32_t switch_flow = kNoFlow;
  std::uint32_t stripe = 0;  ///< with switch_flow: plane of the first packet, modulo their number; alike at all senders
  int colour = -1;           ///< set-up route that it takes, -1 = none; messages of a colour leave one after the other
  MessageClass message_class = MessageClass::kRequest;
  std::uint8_t priority = 0;  ///< higher goes first at the sender
  bool multicast = false;     ///< for several nodes, to which routers copy it; `dst` is only one of them
  bool flow = false;          ///< an operand that is reduced with others' on the way; with a colour or `switch_flow`
};

/// A message on its way into the network interface.
struct Message : MessageFields {
  std::shared_ptr<Payload> payload;  ///< null in timing mode
};

/// `Delivery::src` of what came out of an in-fabric reduction.
inline constexpr NodeId kFlowSource{0xffffffff};

/// One packet of a message that has arrived completely.
struct Delivery {
  NodeId src{};
  std::uint64_t tag = 0;
  std::uint64_t message_bytes = 0;     ///< bytes of the whole message
  std::uint64_t offset = 0;            ///< offset of this packet within the message
  std::uint64_t bytes = 0;             ///< bytes of this packet
  bool last = false;                   ///< all bytes of the message are here now
  const std::uint8_t* data = nullptr;  ///< this packet's bytes; null in timing mode
};

/// What sits behind a network interface. Called in the cycle of the event, on the thread that owns the node:
/// it may touch only what belongs to this node, and may call its NetworkInterface at once.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  /// A packet has been received completely. Packets of one message arrive in order; different messages of one
  /// sender may overtake each other.
  virtual void on_data(const Delivery& delivery) = 0;
  /// The tail flit of the message's last packet has entered the fabric.
  virtual void on_sent(MessageId id) = 0;
  /// A time asked for with `schedule` has come.
  virtual void on_timer(std::uint64_t cookie) = 0;
  /// One of these calls is about to come. Fetches into the caches what it will touch: with `depth` 0 what the endpoint
  /// points to, with 1, a little later, what that points to. Changes nothing.
  virtual void fetch_ahead(int /*depth*/) const {}
  /// Whether a timer comes in its cycle whatever has repeated itself until then. Other timers belong to what repeats.
  virtual bool timer_stays(std::uint64_t /*cookie*/) const { return false; }
  /// Whether a timer belongs to the stream of packets of a message, so that there is one for each of them.
  virtual bool timer_streams(std::uint64_t /*cookie*/) const { return false; }
  /// These give `form` what a timer and a message that is being sent are for, and its state, or refuse with a reason.
  virtual void put_timer(StateForm& form, std::uint64_t cookie) { form.same(cookie); }
  virtual void put_message(StateForm& form, MessageId id) { form.same(static_cast<std::uint64_t>(id)); }
  virtual void put_state(StateForm& form) { form.refuse("what is behind network interfaces does not take part yet"); }
  /// Writes its state into `checkpoint`, or takes it from there.
  virtual void keep(Checkpoint& /*checkpoint*/) { Checkpoint::refuse("what is behind network interfaces is not kept"); }
};

/// Network interface of one node.
class NetworkInterface {
 public:
  virtual ~NetworkInterface() = default;
  virtual NodeId node() const = 0;
  /// Current cycle of the interface's clock domain.
  virtual Cycle now() const = 0;
  /// Queues a message of which `released` bytes are ready (all of them by default); the rest follows by `release`.
  /// Packets are formed in order and leave as soon as their bytes are released.
  virtual MessageId send(const Message& message, std::uint64_t released = ~std::uint64_t{0}) = 0;
  /// Makes `bytes` more bytes of a streamed message ready.
  virtual void release(MessageId id, std::uint64_t bytes) = 0;
  /// Calls `Endpoint::on_timer(cookie)` `delay` cycles from now; delay 0 means later in this same cycle.
  virtual void schedule(Cycle delay, std::uint64_t cookie) = 0;
  /// The endpoint begins or ends something that is not part of what repeats itself, such as a computation.
  virtual void note_event() = 0;
  /// A piece of a stream of messages has come, all tags of which are of `family`. Tells where such streams are in
  /// phase.
  virtual void note_piece(std::uint64_t family) = 0;
  /// A chunk of a collective has ended and another one has begun; `left` are still to begin. Tells where chunks are in
  /// phase.
  virtual void note_chunk(std::uint32_t left) = 0;
  /// Sets who receives the calls. Must be done before the first cycle.
  virtual void attach(Endpoint& endpoint) = 0;
};

}  // namespace weft::npu
