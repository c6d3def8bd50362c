// SPDX-License-Identifier: Apache-2.0
// Parameters of one FRED switch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fabric_flows.h"
#include "base/packet_rate.h"
#include "config/config.h"
#include "switch/arith/lane_format.h"

namespace weft::fred {

/// What keeps a uSwitch's output.
enum class StageBuffer {
  kRegister,  ///< one register; takes a new beat in the cycle in which the old one leaves: ready runs back through all
              ///< stages
  kSkid,      ///< two registers; ready is a register, so that no path is longer than a stage
};

/// When a packet may leave through an output port.
enum class PortFlowControl {
  kCutThrough,  ///< when all its output ports have credits for the whole packet
  kWormhole,    ///< flit by flit; a port without credit stalls the flow back to its inputs
};

/// Most traffic classes of a port.
inline constexpr int kMostTrafficClasses = kTrafficClasses;

/// A port as its links make it.
struct PortSpec {
  Rational in_rate{1, 1};         ///< flits per cycle; packets of a slower link start when all of a packet is here
  bool whole_packets = false;     ///< start packets of this port only when all of a packet is here, whatever the rate
  std::uint32_t out_credits = 0;  ///< slots behind the port, per data traffic class; 0 = SwitchSpec::output_credits
  PacketRateSpec out_rate;        ///< flit_bytes is the switch's
};

/// What of a switch is shown beside its ports; RTL is built with wires that lead there.
struct SwitchWatch {
  bool wires = false;    ///< valid, ready and side wires between its elements
  bool data = false;     ///< and their data, where beats have some
  bool reasons = false;  ///< why nothing starts, see SwitchModel::stalls, and the control unit's credits
};

struct SwitchSpec {
  int m = 3;
  int ports = 12;
  std::uint32_t flit_bytes = 512;
  std::uint32_t lanes = 0;                 ///< 4-byte lanes of a port; 0 = flit_bytes / 4: one flit per cycle
  std::uint32_t packet_flits = 8;          ///< flits of the largest packet
  int traffic_classes = 1;                 ///< traffic classes of each port; number 3, if there, is control
  std::uint32_t buffer_flits = 16;         ///< flits of the buffer of each input port and traffic class
  std::uint32_t control_buffer_flits = 4;  ///< flits of the buffer of each input port's control traffic class
  std::uint32_t output_credits = 16;       ///< flits that the buffer behind each output port holds, per traffic class
  std::uint32_t control_output_credits = 4;
  std::uint32_t output_packets = 2;  ///< that an output port holds beside what is on its way through the stages
  std::vector<PortSpec> port_specs;  ///< by port; empty = one flit per cycle without headers
  int first_uplink = 0;              ///< ports first_uplink .. first_uplink + uplinks - 1 lead to the level above
  int uplinks = 0;
  PortFlowControl flow_control = PortFlowControl::kCutThrough;
  FredControl control = FredControl::kOnePhase;
  std::string matching = "maximum";  ///< which unicasts start
  StageBuffer stage = StageBuffer::kRegister;
  int register_every = 1;                ///< uSwitches of a route per register; see stage_registers
  std::uint32_t reduce_cycles = 1;       ///< cycles of a uSwitch that adds; one that passes or copies takes 1
  std::uint32_t reconfigure_cycles = 1;  ///< between the last beat of a setting and the first of another
  /// Packets that start under one setting while another one waits; 0 = no bound.
  std::uint32_t stay_packets = static_cast<std::uint32_t>(FredSpec().stay_packets);
  std::size_t memory_bytes = 1536;  ///< for stored settings
  std::uint32_t reload_cycles = 0;  ///< more to activate one that is not in the memory; 0 = all have to fit
  bool values = false;              ///< operands carry data
  LaneFormat format;                ///< format of the data
  ReduceOp op = ReduceOp::kSum;
  SwitchWatch watch;
  std::size_t kept_datapaths = 16;  ///< unicasts' datapaths per port: memory against time, nothing else

  std::uint32_t buffer_of(int traffic_class) const {
    return traffic_class == static_cast<int>(TrafficClass::kControl) ? control_buffer_flits : buffer_flits;
  }
  std::uint32_t credits_of(std::size_t port, int traffic_class) const {
    if (traffic_class == static_cast<int>(TrafficClass::kControl)) return control_output_credits;
    const std::uint32_t own = port_specs.empty() ? 0 : port_specs[port].out_credits;
    return own > 0 ? own : output_credits;
  }
  /// Beats of a flit: cycles that it takes on one wire.
  std::uint32_t beats() const { return lanes == 0 ? 1 : flit_bytes / (4 * lanes); }
  /// Bytes of data of a beat between the elements.
  std::size_t beat_bytes() const {
    return std::size_t{lanes == 0 ? flit_bytes / 4 : lanes} * (format.fp32_accumulation ? 8 : 4);
  }
};

/// Throws InputError unless all parameters are in their ranges and fit each other.
void check_switch_spec(const SwitchSpec& spec);

}  // namespace weft::fred
