// SPDX-License-Identifier: Apache-2.0
// An NPU's network interface with its DRAM behind it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "mem/dram/local_dram.h"
#include "npu/player/memory_port.h"

namespace weft::sc_models {

/// Between an NPU and its network interface: with `messages`, what is sent leaves as it has been read from the DRAM,
/// and packets are delivered, in their order, when they have been written there. The NPU's own streams share it.
class MemoryNetwork final : public npu::NetworkInterface, public npu::LocalMemory, private npu::Endpoint {
 public:
  /// Attaches itself to `network`, which outlives it.
  MemoryNetwork(npu::NetworkInterface& network, const mem::DramTiming& timing, const mem::DramOptions& options,
                const Clock& clock, bool messages);

  NodeId node() const override { return network_.node(); }
  Cycle now() const override { return network_.now(); }
  npu::MessageId send(const npu::Message& message, std::uint64_t released) override;
  void release(npu::MessageId id, std::uint64_t bytes) override;
  void schedule(Cycle delay, std::uint64_t cookie) override { network_.schedule(delay, cookie); }
  void note_event() override { network_.note_event(); }
  void note_piece(std::uint64_t family) override { network_.note_piece(family); }
  void note_chunk(std::uint32_t left) override { network_.note_chunk(left); }
  void attach(npu::Endpoint& endpoint) override { endpoint_ = &endpoint; }

  void stream(bool write, std::uint64_t bytes, std::function<void()> done) override;

  /// Who is told of all requests of the DRAM.
  void set_probe(AccessProbe* probe);
  std::vector<mem::MemoryRow> figures();

 private:
  /// A packet that is being written.
  struct Arrival {
    npu::Delivery delivery;
    std::vector<std::uint8_t> data;
    std::uint64_t left = 0;  ///< bytes not yet written
  };

  void on_data(const npu::Delivery& delivery) override;
  void on_sent(npu::MessageId id) override { endpoint_->on_sent(id); }
  void on_timer(std::uint64_t cookie) override;
  void deliver();

  npu::NetworkInterface& network_;
  npu::Endpoint* endpoint_ = nullptr;
  bool messages_;
  mem::LocalDram dram_;
  std::deque<Arrival> arrivals_;
};

}  // namespace weft::sc_models
