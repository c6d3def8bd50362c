// SPDX-License-Identifier: Apache-2.0
// A stream that an I/O controller sends to all NPUs.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "sc_models/io_controller.h"
#include "sc_models/io_stream.h"

namespace weft::sc_models {

/// How a stream enters the fabric.
struct IoStreamPath {
  npu::Message message;  ///< all but tag, bytes and payload
  /// Packet by packet, each when the line of the controller has brought all of it; otherwise as whole messages.
  bool by_packets = false;
  std::vector<NodeId> receivers;  ///< where the fabric does not copy: one message for each; else empty
};

/// Sends one stream as far as receivers have room for it.
class IoStreamSource final : public IoService {
 public:
  /// `number`: that of the stream and its controller. All outlive it. Sets itself as the service of `controller`.
  IoStreamSource(const IoStreamRules& rules, std::uint32_t number, IoStreamPath path, IoController& controller);

  /// In cycle 0.
  void start();
  /// All receivers have taken `packets` of every stream; the controller learns it `delay` cycles after cycle `now`.
  /// Outside of a cycle; calls come with ever larger numbers and the same delay.
  void taken_everywhere(std::uint64_t packets, Cycle now, Cycle delay);

  std::uint64_t next_packet() override;
  bool may_enter() const override { return sent_ < allowed(); }
  npu::Message take_packet() override;
  void on_data(const npu::Delivery& delivery) override;
  void on_timer(std::uint64_t cookie) override;
  void keep(Checkpoint& checkpoint) override;

 private:
  /// A message that is a whole stream.
  struct Whole {
    npu::MessageId id{};
    std::uint64_t released = 0;  ///< bytes
  };

  /// Packets of each stream that may be on their way or at receivers.
  std::uint64_t allowed() const;
  std::uint64_t allowed_bytes() const;
  void send_whole();
  std::shared_ptr<npu::Payload> payload(std::uint64_t from, std::uint64_t bytes) const;

  const IoStreamRules& rules_;
  std::uint32_t number_;
  IoStreamPath path_;
  IoController& controller_;
  std::vector<Whole> messages_;       ///< not by packets
  std::uint64_t sent_ = 0;            ///< packets that have entered the fabric
  std::deque<std::uint64_t> floors_;  ///< that the controller will learn
  std::uint64_t floor_ = 0;           ///< packets of every stream that all receivers have taken, as far as known here
};

}  // namespace weft::sc_models
