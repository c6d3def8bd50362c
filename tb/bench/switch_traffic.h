// SPDX-License-Identifier: Apache-2.0
// Random traffic for a FRED switch: senders that keep the order of flows and their credits, receivers that may be slow.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "base/random.h"
#include "switch/network/switch_model.h"

namespace weft::tb {

/// What the RTL of a switch was built with.
struct SwitchShape {
  int m = 0;
  int ports = 0;
  std::uint32_t lanes = 0;
  std::uint32_t beats = 1;
  bool accumulate_fp32 = false;
  int traffic_classes = 0;
  std::uint32_t settings = 0;
  std::uint32_t buffer_flits = 0;
  std::uint32_t control_buffer_flits = 0;
  std::uint32_t output_flits = 0;
  std::uint32_t reduce_cycles = 1;
  bool skid = false;
};

/// Parameters of a switch that RTL of that shape can have.
fred::SwitchSpec random_spec(const SwitchShape& shape, RandomStream& random);

class Traffic {
 public:
  /// `stall`: chance per cycle that a sender that could begin a packet, or a receiver that owes a credit, waits.
  Traffic(const fred::SwitchSpec& spec, RandomStream& random, double stall = 0.0);

  /// Random flows, up to `indices` - 1 settings.
  void store_settings(fred::SettingStore& store, std::uint32_t indices);

  struct Arrival {
    std::size_t port = 0;
    fred::PortFlit flit;
    std::vector<std::uint8_t> data;
  };
  /// Decides what arrives in this cycle; `more`: new packets may be made.
  void cycle(Cycle now, bool more);
  const std::vector<Arrival>& arrivals() const { return arrivals_; }
  /// Port and traffic class.
  const std::vector<std::pair<std::size_t, std::uint8_t>>& credits() const { return credits_; }
  /// Learns what the step sent and freed.
  void happened(const fred::SwitchModel& fred, Cycle now) { happened(fred.sent(), fred.freed(), now); }
  void happened(const std::vector<fred::SentFlit>& sent, const std::vector<fred::FreedSlot>& freed, Cycle now);
  /// Everything has been sent, and all credits are home.
  bool done() const;

  /// No slot is free in the input buffer.
  bool full(std::size_t port, int traffic_class) const { return ports_[port].slots[traffic_class] == 0; }

  /// All slots are free.
  bool empty(std::size_t port, int traffic_class) const {
    return ports_[port].slots[traffic_class] == spec_.buffer_of(traffic_class);
  }

  std::uint64_t unicasts() const { return unicasts_; }
  std::uint64_t flows() const { return flows_; }

 private:
  struct Packet {
    std::uint32_t setting = 0;
    std::uint8_t output = 0;
    std::uint16_t flits = 1;
    std::uint32_t name = 0;
    std::uint64_t match = 0;
  };
  struct Port {
    std::deque<Packet> queues[fred::kMostTrafficClasses];  ///< to be sent, by traffic class
    std::uint32_t slots[fred::kMostTrafficClasses] = {};   ///< free slots of the switch's buffer, by traffic class
    int traffic_class = -1;                                ///< traffic class of the packet that is being sent
    std::uint16_t sent = 0;                                ///< flits of it
    Cycle pause_until = 0;
    Cycle hold_until[fred::kMostTrafficClasses] = {};  ///< credits are kept back
    std::deque<Cycle> owed[fred::kMostTrafficClasses];
  };

  bool stalls() { return stall_ > 0.0 && random_.unit() <= stall_; }
  void make_packets(Cycle now);
  void make_flow(std::uint8_t traffic_class);
  void make_unicast(std::uint8_t traffic_class);
  void send(std::size_t number, Cycle now);
  void return_credits(std::size_t number, Cycle now);
  std::vector<std::uint8_t> random_data();
  std::uint16_t random_length(std::uint8_t traffic_class);
  std::uint32_t backlog(std::size_t port) const;

  const fred::SwitchSpec& spec_;
  RandomStream& random_;
  double stall_;
  std::vector<Port> ports_;
  std::vector<std::pair<std::uint32_t, fred::Flow>> stored_;  ///< setting and flow
  std::vector<Arrival> arrivals_;
  std::vector<std::pair<std::size_t, std::uint8_t>> credits_;
  static constexpr std::uint32_t kNames = 1U << 24;
  void next_name() { made_ = (made_ + 1) % kNames; }

  std::uint32_t made_ = 0;  ///< packets, from a random number on: 24 bits of their names
  std::uint64_t unicasts_ = 0;
  std::uint64_t flows_ = 0;
  // Habits of this seed.
  std::uint64_t unicast_share_ = 0;  ///< unicasts beside flows, in percent
  std::uint64_t pauses_ = 0;         ///< chance of a pause per cycle, in 1/1000
  std::uint64_t holds_ = 0;
  Cycle credit_delay_ = 1;
  std::uint32_t most_backlog_ = 4;
};

}  // namespace weft::tb
