// SPDX-License-Identifier: Apache-2.0
// What must come out of a FRED switch, whenever it comes: packets of each flow in their order, with the right data.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "switch/network/fred_switch.h"
#include "tb/bench/block_bench.h"
#include "tb/bench/switch_traffic.h"

namespace weft::tb {

/// Compares data per flow, whatever the latency. Sums come from a switch of the model, which gets the same operands at
/// a time of its own and is never short of credits; data of unicasts is what was sent.
class SwitchOrder {
 public:
  /// `spec` and `stored`: the switch that is looked at, and its stored settings.
  SwitchOrder(const fred::SwitchSpec& spec, const fred::SettingStore& stored);
  /// A flit goes into the switch.
  void arrived(const Traffic::Arrival& arrival, std::uint64_t now);
  /// A slot behind an output port is free again.
  void credited(std::size_t port, std::uint8_t traffic_class) { ++credits_[slot(port, traffic_class)]; }
  /// Looks at what came out; `data`: bytes of all output ports, one flit after the other.
  std::optional<Mismatch> check(const std::vector<fred::SentFlit>& sent, const std::vector<fred::FreedSlot>& freed,
                                const std::uint8_t* data, std::uint64_t now);
  /// All that went in has come out.
  bool empty() const { return packets_.empty(); }

 private:
  using Data = std::vector<std::uint8_t>;
  /// A packet, or all operands of a sum.
  struct Packet {
    std::uint32_t name = 0;  ///< with which it comes out
    std::uint32_t setting = 0;
    int flow = -1;  ///< -1: unicast
    std::uint8_t traffic_class = 0;
    std::uint16_t flits = 1;
    std::uint64_t mask = 0;                   ///< outputs
    bool any = false;                         ///< one of them
    std::map<std::size_t, unsigned> arrived;  ///< flits, by input port
    std::vector<Data> data;                   ///< as far as known
    struct Output {
      unsigned sent = 0;
      std::deque<Data> early;  ///< flits that came before the model's
    };
    std::map<std::size_t, Output> outputs;
    std::uint64_t complete = 0;  ///< cycle in which the last flit went in; 0 = not yet
  };
  /// Packets that come out one after the other: output, setting, flow or input port, traffic class.
  using PacketPath = std::tuple<std::size_t, std::uint32_t, std::size_t, std::uint8_t>;

  std::size_t slot(std::size_t port, std::uint8_t traffic_class) const {
    return port * fred::kMostTrafficClasses + traffic_class;
  }
  Packet& packet_of(const Traffic::Arrival& arrival);
  std::optional<Mismatch> check_flit(const fred::SentFlit& sent, const std::uint8_t* data, std::uint64_t now);
  std::optional<Mismatch> check_start(const fred::SentFlit& sent, Packet& packet, std::uint64_t now);
  std::optional<Mismatch> compare(std::size_t port, Packet& packet, unsigned flit, const Data& actual,
                                  std::uint64_t now) const;
  std::optional<Mismatch> step_model(std::uint64_t now);
  void feed_model();
  void finish(std::uint32_t number);
  std::string flow_of(const Packet& packet) const;

  fred::SwitchSpec spec_;
  fred::FredSwitch model_;
  Cycle model_now_ = 0;
  std::map<std::uint32_t, Packet> packets_;  ///< under way, by the number that all operands' names begin with
  std::map<PacketPath, std::deque<std::uint32_t>> order_;  ///< numbers of those that have not begun to come out
  std::vector<std::optional<std::uint32_t>> open_;         ///< packet that comes out, by output port and traffic class
  std::vector<std::uint32_t> credits_;                     ///< by output port and traffic class
  std::vector<std::uint32_t> held_;                        ///< flits in input buffers, by port and traffic class
  std::vector<std::deque<Traffic::Arrival>> waiting_;      ///< for the model, by port and traffic class
  std::vector<std::uint32_t> model_slots_;                 ///< free ones of its buffers, the same way
  std::vector<std::optional<std::uint8_t>> model_traffic_classes_;  ///< by port: class of the packet that goes into it
};

}  // namespace weft::tb
