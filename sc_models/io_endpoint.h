// SPDX-License-Identifier: Apache-2.0
// What sits at the network interfaces when I/O controllers stream: streams that leave, and what of all of them arrives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "mem/io/line_pace.h"
#include "npu/interface/network_interface.h"

namespace weft::sc_models {

/// What all endpoints of a run have in common.
struct IoRules {
  std::uint64_t bytes = 0;  ///< of each stream
  std::uint64_t packet_bytes = 4096;
  std::uint64_t flit_bytes = 1;
  std::uint32_t streams = 0;
  Rational line_rate;        ///< flits per cycle of the line that feeds a controller at a router
  bool values = false;       ///< streams carry numbers, which receivers check
  std::uint64_t window = 0;  ///< packets of each stream that a receiver has room for; 0 = all
};

/// How a stream enters the fabric.
struct IoStream {
  std::uint32_t number = 0;  ///< of the controller
  npu::Message message;      ///< all but tag, bytes and payload
  /// The controller's line ends at a router whose port carries more: it hands over packet by packet, each when the line
  /// has brought all of it. Otherwise the controller has a link of its own into the fabric, which takes its time.
  bool by_packets = false;
  std::vector<NodeId> receivers;  ///< where the fabric does not copy: one message for each; else empty
};

/// What a node has of a stream. Cycles of the NPU clock.
struct IoArrival {
  std::uint64_t bytes = 0;
  std::uint64_t first_bytes = 0;  ///< of the packet that came first
  Cycle first = 0;                ///< when it was complete
  Cycle last = 0;                 ///< when the latest packet was complete
  std::vector<bool> packets;      ///< those that are here
};

/// One node: the streams of controllers here, and what of all streams has arrived. Throws ViolationError where a packet
/// comes twice or with other numbers than it was sent with.
class IoEndpoint final : public npu::Endpoint {
 public:
  IoEndpoint(const IoRules& rules, npu::NetworkInterface& interface, bool receives);

  void add_stream(IoStream stream);
  /// In cycle 0.
  void start();
  /// All receivers have taken `packets` of every stream; the streams that start here learn it `delay` cycles after
  /// cycle `now`. Outside of a cycle; calls come with ever larger numbers and the same delay.
  void taken_everywhere(std::uint64_t packets, Cycle now, Cycle delay);
  void on_data(const npu::Delivery& delivery) override;
  void on_sent(npu::MessageId id) override;
  void on_timer(std::uint64_t cookie) override;

  /// Has everything from all streams, if it is a receiver.
  bool finished() const { return missing_ == 0; }
  /// Has everything from some stream.
  bool has_a_whole_stream() const { return missing_ < arrivals_.size(); }
  std::uint64_t bytes_received() const { return bytes_received_; }
  /// Packets that a receiver has of every stream, from the first one on, and has taken.
  std::uint64_t taken() const { return taken_; }
  bool receives() const { return !arrivals_.empty(); }
  NodeId node() const { return interface_.node(); }
  /// Only of a receiver.
  const IoArrival& arrival(std::uint32_t stream) const { return arrivals_[stream]; }

 private:
  /// A line that feeds packets into a router: one comes in while the one before waits or is sent.
  struct Line {
    Line(IoStream s, Rational rate) : stream(std::move(s)), pace(rate) {}
    IoStream stream;
    mem::LinePace pace;
    std::uint64_t begun = 0;    ///< packets that the line has begun to bring
    std::uint64_t arrived = 0;  ///< that it has brought
    std::uint64_t sent = 0;     ///< handed over
    bool sending = false;       ///< one of them is on its way into the fabric
    npu::MessageId id{};        ///< that one
  };

  /// A message that is a whole stream.
  struct Whole {
    npu::MessageId id{};
    std::uint64_t released = 0;  ///< bytes
  };

  /// Packets of each stream that may be on their way or at receivers.
  std::uint64_t allowed() const { return rules_.window == 0 ? packets() : std::min(packets(), floor_ + rules_.window); }
  std::uint64_t allowed_bytes() const { return std::min(rules_.bytes, allowed() * rules_.packet_bytes); }
  void widen();
  void take(std::uint64_t packet);
  std::uint64_t packets() const { return (rules_.bytes + rules_.packet_bytes - 1) / rules_.packet_bytes; }
  std::uint64_t packet_size(std::uint64_t number) const;
  void send_whole(const IoStream& stream);
  void go_on(std::size_t line);
  void begin_packet(std::size_t line);
  std::shared_ptr<npu::Payload> payload(std::uint32_t stream, std::uint64_t from, std::uint64_t bytes) const;
  void check(std::uint32_t stream, std::uint64_t from, const npu::Delivery& delivery) const;

  const IoRules& rules_;
  npu::NetworkInterface& interface_;
  std::vector<IoStream> whole_;
  std::vector<Whole> messages_;       ///< of whole_
  std::deque<std::uint64_t> floors_;  ///< that the streams here will learn
  std::uint64_t floor_ = 0;           ///< packets of every stream that all receivers have taken, as far as known here
  std::vector<Line> lines_;
  std::vector<IoArrival> arrivals_;  ///< by stream; empty where nothing is received
  std::uint32_t missing_ = 0;        ///< streams of which something has not come yet
  std::uint64_t bytes_received_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace weft::sc_models
