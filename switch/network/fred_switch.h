// SPDX-License-Identifier: Apache-2.0
// A FRED switch, cycle by cycle: input buffers, control unit, elastic network, credits at its ports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/types.h"
#include "switch/network/configuration_store.h"
#include "switch/network/elastic_network.h"
#include "switch/network/port_buffer.h"
#include "switch/network/switch_spec.h"

namespace weft::fred {

/// A flit that left the switch in the last step.
struct SentFlit {
  PortId port{};
  PortFlit flit;                       ///< `packet` is the name that the flow's first input gave
  const std::uint8_t* data = nullptr;  ///< flit_bytes, valid until the next step; nullptr without values
};

/// Steps:
/// 1. control: the packets of a flow start together, when the heads of all its inputs are here and, with cut-through,
/// all
///    its outputs have credits for a packet; once nothing is under way and only flows of another configuration can
///    start, the next such configuration, in cyclic order, is loaded;
/// 2. started packets offer a beat each, the elastic network moves;
/// 3. flits that left give credits back upstream; complete flits are sent;
/// 4. what arrived during this cycle is written: it can be seen in the next one.
/// A flit received before step t, which meets nobody, is sent by step t + 1 + d, d = sum of the cycles of the
/// uSwitches, demuxes and muxes on its way, plus beats - 1; the first of a new configuration reconfigure_cycles later.
class FredSwitch {
 public:
  /// Throws InputError for parameters that are illegal.
  explicit FredSwitch(const SwitchSpec& spec);
  FredSwitch(const FredSwitch&) = delete;
  FredSwitch& operator=(const FredSwitch&) = delete;

  const Interconnect& interconnect() const { return net_; }
  /// To be filled before the first flit.
  ConfigurationStore& configurations() { return store_; }

  /// A flit arrives at an input port. `data` = flit_bytes with values, else nullptr. Upstream must have a credit; it
  /// starts with buffer_flits.
  void receive(PortId port, const PortFlit& flit, const std::uint8_t* data = nullptr);
  /// The buffer behind an output port has one place more again.
  void credit(PortId port) { ++credits_arrived_[index(port)]; }
  void step();
  /// What the last step sent, by port.
  const std::vector<SentFlit>& sent() const { return sent_; }
  /// Input ports whose buffers the last step freed by one flit.
  const std::vector<PortId>& freed() const { return freed_; }

  /// Anything inside, buffers included. Without it steps change nothing but credits.
  bool busy() const { return !arrivals_.empty() || buffered_ > 0 || outputs_pending_ > 0 || reconfiguring_ > 0; }
  std::uint32_t credits(PortId port) const { return credits_[index(port)]; }
  std::uint64_t uswitch_hops() const { return network_.moves(); }
  std::uint64_t reductions() const { return network_.reductions(); }
  /// Beats whose data is kept somewhere inside.
  std::size_t slots_in_use() const { return pool_.in_use(); }
  std::uint64_t reconfigurations() const { return reconfigurations_; }
  /// Who waits for what: one sentence per input port with flits.
  std::vector<std::string> waiting() const;

 private:
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};
  /// An output port in the middle of a flit.
  struct OutputState {
    std::uint32_t beats = 0;  ///< so far
    bool head = false;        ///< the flit is the first one of its packet
  };
  struct Arrival {
    PortId port{};
    PortFlit flit;
  };

  void control();
  bool start_flows();
  bool can_start(std::uint32_t configuration, const Flow& flow) const;
  void start(const Flow& flow);
  std::uint32_t next_configuration() const;
  bool drained() const { return outputs_pending_ == 0 && network_.empty(); }
  void offer();
  void take();
  void send();
  void write_arrivals();
  void check_arrival(PortId port, const PortFlit& flit) const;

  SwitchSpec spec_;
  Interconnect net_;
  ConfigurationStore store_;
  WordPool pool_;
  ElasticNetwork network_;
  std::vector<PortBuffer> buffers_;
  std::vector<std::uint32_t> beat_;  ///< by input port: of the front flit, the next to enter
  std::vector<OutputState> outputs_;
  std::vector<std::uint32_t> credits_;
  std::vector<std::uint32_t> credits_arrived_;
  std::vector<Arrival> arrivals_;
  std::vector<std::uint8_t> arrived_bytes_;
  std::vector<SentFlit> sent_;
  std::vector<std::uint8_t> sent_bytes_;
  std::vector<PortId> freed_;
  std::uint64_t buffered_ = 0;
  std::uint64_t outputs_pending_ = 0;  ///< packets that outputs have still to send
  std::uint32_t active_ = kNothing;
  std::uint32_t loading_ = kNothing;
  std::uint32_t reconfiguring_ = 0;
  std::uint32_t started_since_load_ = 0;
  std::uint64_t reconfigurations_ = 0;
};

}  // namespace weft::fred
