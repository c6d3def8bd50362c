// SPDX-License-Identifier: Apache-2.0
// A FRED switch with a sender at each input port and a receiver at each output port, all of which may pause at random.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "switch/network/fred_switch.h"

namespace weft::fred::testing {

/// A packet of a flow as its output ports should send it.
struct ExpectedPacket {
  std::uint32_t packet = 0;
  std::uint32_t setting = 0;
  std::size_t flow = 0;
  std::uint16_t flits = 1;
  std::vector<std::uint8_t> data;
};

/// When a flit was sent.
struct Departure {
  std::uint32_t port = 0;
  std::uint64_t step = 0;
  bool head = false;
  bool tail = false;
};

class SwitchBench {
 public:
  /// Chances per cycle, in percent, that a sender with credit, or a receiver with a flit, does nothing.
  SwitchBench(const SwitchSpec& spec, std::uint64_t seed, unsigned pause_percent)
      : fred(with_pauses(spec, pause_percent)),
        spec_(spec),
        random_(seed, NodeId{2}),
        pause_(pause_percent),
        to_send_(spec.ports),
        upstream_credits_(spec.ports, spec.buffer_flits),
        expected_(spec.ports),
        received_flits_(spec.ports, 0),
        held_(spec.ports, 0) {}

  /// Queues one packet of every input of the flow, with random data, and what its outputs should send.
  void queue_packet(std::uint32_t setting, std::size_t flow, std::uint16_t flits);
  /// One cycle; false if everything was sent and received before it.
  bool step();
  /// Steps until all is done; fails after `most` cycles.
  void run(std::uint64_t most = 200000);
  /// At the end: nothing left over, all credits home.
  void expect_clean() const;

  FredSwitch fred;
  std::vector<Departure> departures;
  std::uint64_t steps = 0;
  std::uint64_t flits_entered = 0;
  std::uint64_t expected_reductions = 0;  ///< in beats

 private:
  static SwitchSpec with_pauses(SwitchSpec spec, unsigned pause_percent);
  struct Outgoing {
    PortFlit flit;
    std::vector<std::uint8_t> data;
  };
  bool pause() { return random_.below(100) < pause_; }
  std::vector<std::uint8_t> random_data(std::size_t bytes);
  std::vector<std::uint8_t> reduced(const Flow& flow, const std::vector<std::vector<std::uint8_t>>& operands) const;
  std::deque<ExpectedPacket>::iterator first_of_flow(std::deque<ExpectedPacket>& left, const SentFlit& sent) const;
  void check(const SentFlit& sent);

  SwitchSpec spec_;
  RandomStream random_;
  unsigned pause_;
  std::vector<std::deque<Outgoing>> to_send_;
  std::vector<std::uint32_t> upstream_credits_;
  std::vector<std::deque<ExpectedPacket>> expected_;
  std::vector<std::uint32_t> received_flits_;
  std::vector<std::uint32_t> held_;  ///< flits that receivers have not taken yet
  std::uint32_t packets_ = 0;
};

}  // namespace weft::fred::testing
