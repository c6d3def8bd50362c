// SPDX-License-Identifier: Apache-2.0
// A FRED switch whose senders and receivers follow a list: packets with their cycles, receivers that may hold credits.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <vector>

#include "switch/network/fred_switch.h"

namespace weft::fred::testing {

/// A switch with all traffic classes and room for four packets of 8 flits in each; two cycles to another setting.
inline SwitchSpec spec_of(int m, int port_count) {
  SwitchSpec spec;
  spec.m = m;
  spec.ports = port_count;
  spec.flit_bytes = 16;
  spec.traffic_classes = kMostTrafficClasses;
  spec.packet_flits = 8;
  spec.buffer_flits = 32;
  spec.control_buffer_flits = 8;
  spec.output_credits = 32;
  spec.control_output_credits = 8;
  spec.memory_bytes = 100000;
  spec.reconfigure_cycles = 2;
  return spec;
}

/// A packet that some port sends from cycle `at` on.
struct SentPacket {
  Cycle at = 0;
  std::uint32_t name = 0;
  std::uint8_t traffic_class = 0;
  std::uint32_t setting = kUnicasts;
  std::uint8_t output = 0;
  std::uint16_t flits = 1;
  Cycle flit_gap = 1;  ///< cycles from one flit to the next
};

/// A packet that came out of a port.
struct Received {
  std::uint32_t port = 0;
  std::uint32_t name = 0;
  std::uint8_t traffic_class = 0;
  Cycle head = 0;
  Cycle tail = 0;
};

class PacketBench {
 public:
  explicit PacketBench(const SwitchSpec& spec) : fred(spec), queues_(static_cast<std::size_t>(spec.ports)) {}

  void send(std::uint32_t port, SentPacket packet) { queues_[port].push_back(packet); }
  /// All operands of a flow.
  void send_flow(const Flow& flow, const SentPacket& packet) {
    for (const PortId port : flow.inputs) send(index(port), packet);
  }
  /// Receivers at `port` keep credits of `traffic_class` back until cycle `until`.
  void hold(std::uint32_t port, std::uint8_t traffic_class, Cycle until) { held_[{port, traffic_class}] = until; }

  /// Runs until everything has come out, `most` cycles at most. Credits come back in the cycle after a flit left.
  void run(Cycle most = 20000) {
    for (Cycle now = 0; now < most; ++now) {
      bool waiting = false;
      for (std::uint32_t port = 0; port < queues_.size(); ++port) waiting |= offer(port, now);
      for (auto& [key, count] : owed_) {
        const auto held = held_.find(key);
        if (held != held_.end() && now < held->second) continue;
        for (; count > 0; --count) fred.credit(PortId{static_cast<std::uint8_t>(key.first)}, key.second);
      }
      fred.step(now);
      for (const FreedSlot freed : fred.freed()) --used_[{index(freed.port), freed.traffic_class}];
      for (const SentFlit& sent : fred.sent()) take(sent, now);
      if (!waiting && !fred.busy() && nothing_owed()) {
        fred.step(now + 1);
        return;
      }
    }
    std::string text;
    for (const std::string& sentence : fred.waiting()) text += "\n" + sentence;
    FAIL() << "not done:" << text;
  }

  /// The packet of that name that left `port`.
  const Received& at(std::uint32_t port, std::uint32_t name) const {
    for (const Received& packet : received) {
      if (packet.port == port && packet.name == name) return packet;
    }
    ADD_FAILURE() << "packet " << name << " did not leave port " << port;
    static const Received kNone;
    return kNone;
  }

  FredSwitch fred;
  std::vector<Received> received;  ///< in order of their tails

 private:
  using Key = std::pair<std::uint32_t, std::uint8_t>;

  /// Puts the next flit of the port's first packet in; whether there is more to come.
  bool offer(std::uint32_t port, Cycle now) {
    auto& queue = queues_[port];
    if (queue.empty()) return false;
    SentPacket& packet = queue.front();
    const std::uint32_t slots = fred.spec().buffer_of(packet.traffic_class);
    if (now < packet.at || used_[{port, packet.traffic_class}] >= slots) return true;
    const std::uint16_t number = sent_flits_[port]++;
    PortFlit flit;
    flit.packet = packet.name;
    flit.setting = packet.setting;
    flit.packet_flits = packet.flits;
    flit.head = number == 0;
    flit.tail = number + 1 == packet.flits;
    flit.traffic_class = packet.traffic_class;
    flit.output = packet.output;
    flit.match = packet.name;
    fred.receive(PortId{static_cast<std::uint8_t>(port)}, flit);
    ++used_[{port, packet.traffic_class}];
    packet.at = now + packet.flit_gap;
    if (flit.tail) {
      queue.pop_front();
      sent_flits_[port] = 0;
    }
    return true;
  }
  void take(const SentFlit& sent, Cycle now) {
    const std::uint32_t port = index(sent.port);
    if (sent.flit.head) open_[port] = {port, sent.flit.packet, sent.flit.traffic_class, now, now};
    Received& packet = open_[port];
    EXPECT_EQ(packet.name, sent.flit.packet) << "packets are mixed up at port " << port;
    packet.tail = now;
    if (sent.flit.tail) received.push_back(packet);
    ++owed_[{port, sent.flit.traffic_class}];
  }
  bool nothing_owed() const {
    for (const auto& entry : owed_) {
      if (entry.second > 0) return false;
    }
    return true;
  }

  std::vector<std::deque<SentPacket>> queues_;
  std::map<std::uint32_t, std::uint16_t> sent_flits_;
  std::map<Key, std::uint32_t> used_;
  std::map<Key, std::uint32_t> owed_;
  std::map<Key, Cycle> held_;
  std::map<std::uint32_t, Received> open_;
};

}  // namespace weft::fred::testing
