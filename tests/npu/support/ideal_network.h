// SPDX-License-Identifier: Apache-2.0
// A test double for the fabric: n nodes, every pair joined, each sender serialises its packets at a fixed rate
// and every packet then takes a fixed latency. Nothing waits in between, so finish times follow by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <vector>

#include "base/error.h"
#include "base/rational.h"
#include "base/types.h"
#include "npu/interface/network_interface.h"

namespace weft::npu::testing {

/// What an IdealNetwork costs and how it disturbs the order of arrival.
struct IdealNetworkSpec {
  int nodes = 2;
  Cycle latency = 1;                  ///< cycles from a packet's last byte sent to its delivery
  Rational bytes_per_cycle{1, 1};     ///< per sender, exact
  std::uint64_t packet_bytes = 4096;  ///< largest packet
  Cycle jitter = 0;                   ///< each message takes 0..jitter more cycles: messages overtake each other
  std::uint64_t seed = 1;             ///< seed of the jitter
};

/// The network. A packet of b bytes occupies its sender for exactly b / bytes_per_cycle cycles (fractions are kept)
/// and is delivered `latency` cycles after the first cycle edge at or after its end. Higher priority goes first, then
/// the older message; a message that waits for `release` lets others pass. Single-threaded.
class IdealNetwork {
 public:
  explicit IdealNetwork(const IdealNetworkSpec& spec) : spec_(spec), random_(spec.seed) {
    for (int i = 0; i < spec.nodes; ++i) {
      ports_.push_back(std::make_unique<Port>(*this, NodeId{static_cast<std::uint32_t>(i)}));
    }
  }
  IdealNetwork(const IdealNetwork&) = delete;
  IdealNetwork& operator=(const IdealNetwork&) = delete;

  NetworkInterface& at(NodeId node) { return *ports_.at(index(node)); }
  Cycle now() const { return now_; }
  std::uint64_t messages() const { return messages_; }  ///< sent so far
  std::uint64_t bytes() const { return bytes_; }        ///< bytes of all messages sent so far

  /// Runs until nothing is left to do or the next event would be after `until`; returns the last cycle reached.
  Cycle run(Cycle until = kNever - 1) {
    while (!events_.empty() && events_.top().cycle <= until) {
      Event event = events_.top();
      events_.pop();
      now_ = event.cycle;
      event.action();
    }
    return now_;
  }
  bool idle() const { return events_.empty(); }

 private:
  struct Event {
    Cycle cycle;
    std::uint64_t sequence;
    std::function<void()> action;
    friend bool operator<(const Event& a, const Event& b) {  // the queue's top is the earliest
      return a.cycle != b.cycle ? a.cycle > b.cycle : a.sequence > b.sequence;
    }
  };

  struct Outgoing {
    Message message;
    std::uint64_t age = 0;
    std::uint64_t released = 0;
    std::uint64_t formed = 0;  ///< bytes already cut into packets
    Cycle extra_latency = 0;
    bool open = false;  ///< the slot is in use: packets are still to be formed or the last is not out yet
    bool done = false;  ///< its last packet has been formed
  };

  class Port final : public NetworkInterface {
   public:
    Port(IdealNetwork& network, NodeId node) : network_(network), node_(node) {}
    NodeId node() const override { return node_; }
    Cycle now() const override { return network_.now_; }
    void attach(Endpoint& endpoint) override { endpoint_ = &endpoint; }

    MessageId send(const Message& message, std::uint64_t released) override {
      WEFT_CHECK(index(message.dst) < network_.ports_.size(), "a message is sent to a node that does not exist");
      ++network_.messages_;
      network_.bytes_ += message.bytes;
      std::size_t slot = 0;
      while (slot < slots_.size() && slots_[slot].open) ++slot;
      if (slot == slots_.size()) slots_.emplace_back();
      Outgoing out;
      out.message = message;
      out.age = network_.messages_;
      out.released = std::min(released, message.bytes);
      out.extra_latency = network_.draw_jitter();
      out.open = true;
      slots_[slot] = out;
      wake(0);
      return MessageId{static_cast<std::uint32_t>(slot)};
    }

    void release(MessageId id, std::uint64_t bytes) override {
      Outgoing& out = slots_.at(static_cast<std::size_t>(id));
      WEFT_CHECK(out.open && !out.done, "bytes are released for a message that is not being sent");
      WEFT_CHECK(out.released + bytes <= out.message.bytes, "more bytes are released than the message has");
      out.released += bytes;
      wake(0);
    }

    void note_event() override {}
    void note_piece(std::uint64_t /*family*/) override {}
    void note_chunk(std::uint32_t /*left*/) override {}
    void schedule(Cycle delay, std::uint64_t cookie) override {
      network_.after(delay, [this, cookie] { endpoint().on_timer(cookie); });
    }

   private:
    Endpoint& endpoint() {
      WEFT_CHECK(endpoint_ != nullptr, "a network interface without an endpoint is used");
      return *endpoint_;
    }

    // One look at the wire per cycle is enough.
    void wake(Cycle delay) {
      if (waking_ && next_look_ <= network_.now_ + delay) return;
      waking_ = true;
      next_look_ = network_.now_ + delay;
      network_.after(delay, [this, look = next_look_] {
        if (!waking_ || next_look_ != look) return;
        waking_ = false;
        pump();
      });
    }

    std::uint64_t next_packet_bytes(const Outgoing& out) const {
      return std::min(network_.spec_.packet_bytes, out.message.bytes - out.formed);
    }

    std::optional<std::size_t> choose() const {
      std::optional<std::size_t> best;
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        const Outgoing& out = slots_[i];
        if (!out.open || out.done || out.formed + next_packet_bytes(out) > out.released) continue;
        if (best && !goes_before(out, slots_[*best])) continue;
        best = i;
      }
      return best;
    }
    static bool goes_before(const Outgoing& a, const Outgoing& b) {
      return a.message.priority != b.message.priority ? a.message.priority > b.message.priority : a.age < b.age;
    }

    // Sends what can start within this cycle; the time the wire is free is kept in 1/rate.num cycles, so that
    // fractions of a cycle never get lost.
    void pump() {
      const Rational rate = network_.spec_.bytes_per_cycle;
      const UInt128 cycle_start = static_cast<UInt128>(network_.now_) * rate.num;
      while (const std::optional<std::size_t> slot = choose()) {
        if (wire_free_ >= cycle_start + rate.num) {
          wake(static_cast<Cycle>(wire_free_ / rate.num) - network_.now_);
          return;
        }
        Outgoing& out = slots_[*slot];
        const std::uint64_t size = next_packet_bytes(out);
        wire_free_ = std::max(wire_free_, cycle_start) + static_cast<UInt128>(size) * rate.den;
        const Cycle end = static_cast<Cycle>((wire_free_ + rate.num - 1) / rate.num);
        form_packet(*slot, size, end - network_.now_);
      }
    }

    void form_packet(std::size_t slot, std::uint64_t size, Cycle wire_cycles) {
      Outgoing& out = slots_[slot];
      Delivery delivery;
      delivery.src = node_;
      delivery.tag = out.message.tag;
      delivery.message_bytes = out.message.bytes;
      delivery.offset = out.formed;
      delivery.bytes = size;
      out.formed += size;
      out.done = out.formed == out.message.bytes;
      delivery.last = out.done;
      Port* receiver = network_.ports_[index(out.message.dst)].get();
      const std::shared_ptr<Payload> payload = out.message.payload;
      network_.after(wire_cycles + network_.spec_.latency + out.extra_latency, [receiver, delivery, payload]() mutable {
        delivery.data = payload == nullptr ? nullptr : payload->data() + delivery.offset;
        receiver->endpoint().on_data(delivery);
      });
      if (!out.done) return;
      network_.after(wire_cycles, [this, slot] {
        slots_[slot] = Outgoing{};
        endpoint().on_sent(MessageId{static_cast<std::uint32_t>(slot)});
      });
    }

    IdealNetwork& network_;
    NodeId node_;
    Endpoint* endpoint_ = nullptr;
    std::vector<Outgoing> slots_;
    UInt128 wire_free_ = 0;
    bool waking_ = false;
    Cycle next_look_ = 0;
  };

  void after(Cycle delay, std::function<void()> action) {
    events_.push(Event{now_ + delay, sequence_++, std::move(action)});
  }
  Cycle draw_jitter() { return spec_.jitter == 0 ? 0 : random_() % (spec_.jitter + 1); }

  IdealNetworkSpec spec_;
  std::mt19937_64 random_;
  Cycle now_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  std::priority_queue<Event> events_;
  std::vector<std::unique_ptr<Port>> ports_;
};

}  // namespace weft::npu::testing
