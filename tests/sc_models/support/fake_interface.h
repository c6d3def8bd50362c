// SPDX-License-Identifier: Apache-2.0
// A network interface that a test plays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "npu/interface/network_interface.h"

namespace weft::sc_models {

/// Remembers what is asked for.
class FakeInterface final : public npu::NetworkInterface {
 public:
  struct Sent {
    Cycle at = 0;
    npu::Message message;
    std::uint64_t released = 0;
  };
  NodeId node() const override { return NodeId{7}; }
  Cycle now() const override { return now_; }
  npu::MessageId send(const npu::Message& message, std::uint64_t released) override {
    sent.push_back({now_, message, released});
    return npu::MessageId(static_cast<std::uint32_t>(sent.size() - 1));
  }
  void release(npu::MessageId id, std::uint64_t bytes) override { sent[index(id)].released += bytes; }
  void schedule(Cycle delay, std::uint64_t cookie) override { timers.push_back({now_ + delay, cookie}); }
  void note_event() override { ++events; }
  void note_piece(std::uint64_t family) override { pieces.push_back(family); }
  void note_chunk(std::uint32_t left) override { chunks_left.push_back(left); }
  void attach(npu::Endpoint& endpoint) override { endpoint_ = &endpoint; }

  /// Fires the timers up to `end`; a message that is sent has entered the fabric `busy` cycles later.
  void run_to(Cycle end, Cycle busy) {
    for (; now_ < end; ++now_) {
      for (std::size_t i = 0; i < timers.size(); ++i) {
        if (timers[i].first == now_) endpoint_->on_timer(timers[i].second);
      }
      if (told < sent.size() && sent[told].at + busy <= now_) {
        endpoint_->on_sent(npu::MessageId(static_cast<std::uint32_t>(told++)));
      }
    }
  }

  /// Fires one of its timers now.
  void tell_timer(std::size_t number) { endpoint_->on_timer(timers[number].second); }

  std::vector<Sent> sent;
  std::vector<std::pair<Cycle, std::uint64_t>> timers;
  std::size_t told = 0;
  int events = 0;
  std::vector<std::uint32_t> chunks_left;
  std::vector<std::uint64_t> pieces;  ///< families of those that have come

 private:
  npu::Endpoint* endpoint_ = nullptr;
  Cycle now_ = 0;
};

}  // namespace weft::sc_models
