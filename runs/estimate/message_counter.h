// SPDX-License-Identifier: Apache-2.0
// Counts the packets, flits and flit-hops of messages.
#pragma once

#include <cstdint>

#include "config/config.h"
#include "runs/estimate/sent_volume.h"
#include "sc_models/fabric_sketch.h"

namespace weft::runs {

/// What messages are cut into, for one receiver.
struct MessageSize {
  double messages = 0;
  double packets = 0;
  double flits = 0;
  double bytes = 0;
  void add(const MessageSize& other) {
    messages += other.messages;
    packets += other.packets;
    flits += other.flits;
    bytes += other.bytes;
  }
};

class MessageCounter {
 public:
  /// `sketch` outlives the counter.
  MessageCounter(const Config& config, const sc_models::FabricSketch& sketch);

  /// Says what one message of `bytes` bytes is cut into. A message without bytes is a packet of one flit.
  MessageSize size(std::uint64_t bytes) const;
  /// Adds messages to one receiver; each call draws one route for all of them.
  void add(SentVolume& volume, const MessageSize& size, NodeId from, NodeId to, double times = 1);
  /// Adds messages that leave `outputs` outputs of routers or switches on their routes to `receivers` receivers.
  static void add_tree(SentVolume& volume, const MessageSize& size, double outputs, double receivers, double times = 1);

 private:
  const sc_models::FabricSketch& sketch_;
  std::uint64_t packet_bytes_;
  std::uint64_t flit_bytes_;
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

}  // namespace weft::runs
