// SPDX-License-Identifier: Apache-2.0
// What an NPU has of the streams of all I/O controllers.
#pragma once

#include <cstdint>
#include <vector>

#include "npu/interface/network_interface.h"
#include "sc_models/io_stream.h"

namespace weft::sc_models {

/// What a node has of a stream. Cycles of the NPU clock.
struct IoArrival {
  std::uint64_t bytes = 0;
  std::uint64_t first_bytes = 0;  ///< bytes of the packet that came first
  Cycle first = 0;                ///< when it was complete
  Cycle last = 0;                 ///< when the latest packet was complete
  std::vector<bool> packets;      ///< those that are here
};

/// Takes what of all streams arrives at one NPU. Throws ViolationError where a packet comes twice or with other numbers
/// than it was sent with.
class IoStreamReceiver final : public npu::Endpoint {
 public:
  /// Attaches itself to `interface`.
  IoStreamReceiver(const IoStreamRules& rules, npu::NetworkInterface& interface);

  void on_data(const npu::Delivery& delivery) override;
  void on_sent(npu::MessageId id) override;
  void on_timer(std::uint64_t cookie) override;
  void keep(Checkpoint& checkpoint) override;

  /// Has everything from all streams.
  bool finished() const { return missing_ == 0; }
  /// Has everything from some stream.
  bool has_a_whole_stream() const { return missing_ < arrivals_.size(); }
  std::uint64_t bytes_received() const { return bytes_received_; }
  /// Packets that it has of every stream, from the first one on, and has taken.
  std::uint64_t taken() const { return taken_; }
  NodeId node() const { return interface_.node(); }
  const IoArrival& arrival(std::uint32_t stream) const { return arrivals_[stream]; }

 private:
  void take(std::uint64_t packet);
  void check(std::uint32_t stream, std::uint64_t from, const npu::Delivery& delivery) const;

  const IoStreamRules& rules_;
  npu::NetworkInterface& interface_;
  std::vector<IoArrival> arrivals_;  ///< by stream
  std::uint32_t missing_;            ///< streams of which something has not come yet
  std::uint64_t bytes_received_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace weft::sc_models
