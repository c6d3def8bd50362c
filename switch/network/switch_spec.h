// SPDX-License-Identifier: Apache-2.0
// Parameters of one FRED switch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/config.h"
#include "switch/arith/lane_format.h"

namespace weft::fred {

/// What keeps a uSwitch's output.
enum class StageBuffer {
  kRegister,  ///< one place; takes a new beat in the cycle in which the old one leaves: ready runs back through all
              ///< stages
  kSkid,      ///< two places; ready is a register, so that no path is longer than a stage
};

/// When a packet may leave through an output port.
enum class PortFlowControl {
  kCutThrough,  ///< when all its output ports have credits for the whole packet
  kWormhole,    ///< flit by flit; a port without credit stalls the flow back to its inputs
};

struct SwitchSpec {
  int m = 3;
  int ports = 12;
  std::uint32_t flit_bytes = 512;
  std::uint32_t lanes = 0;            ///< of 4 bytes, between the ports; 0 = flit_bytes / 4: one flit per cycle
  std::uint32_t packet_flits = 8;     ///< of the largest packet
  std::uint32_t buffer_flits = 16;    ///< of each input port
  std::uint32_t output_credits = 16;  ///< flits that the buffer behind each output port holds
  PortFlowControl flow_control = PortFlowControl::kCutThrough;
  StageBuffer stage = StageBuffer::kRegister;
  std::uint32_t reduce_cycles = 1;       ///< of a uSwitch that adds; one that passes or copies takes 1
  std::uint32_t reconfigure_cycles = 1;  ///< from drained to the first beat of another configuration
  std::uint32_t stay_packets = 64;       ///< that start under one configuration while another one waits; 0 = no bound
  std::size_t memory_bytes = 1536;       ///< for stored configurations
  bool values = false;                   ///< flits carry data
  LaneFormat format;                     ///< of the data
  ReduceOp op = ReduceOp::kSum;

  /// Beats of a flit: cycles that it takes on one wire.
  std::uint32_t beats() const { return lanes == 0 ? 1 : flit_bytes / (4 * lanes); }
};

/// Throws InputError unless all parameters are in their ranges and fit each other.
void check_switch_spec(const SwitchSpec& spec);

}  // namespace weft::fred
