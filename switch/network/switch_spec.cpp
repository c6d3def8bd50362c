// SPDX-License-Identifier: Apache-2.0
#include "switch/network/switch_spec.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft::fred {
namespace {

void require_switch(bool good, const std::string& text) {
  if (!good) throw InputError("FRED switch: " + text);
}

}  // namespace

void check_switch_spec(const SwitchSpec& spec) {
  require_switch(spec.flit_bytes >= 4 && spec.flit_bytes % 4 == 0 && spec.flit_bytes <= 4096,
                 fmt::format("flits of {} bytes; 4 to 4096 in steps of 4 are legal", spec.flit_bytes));
  require_switch(spec.lanes == 0 || (spec.flit_bytes / 4) % spec.lanes == 0,
                 fmt::format("{} lanes of 4 bytes do not divide a flit of {} bytes; lanes must divide {}", spec.lanes,
                             spec.flit_bytes, spec.flit_bytes / 4));
  require_switch(spec.packet_flits >= 1 && spec.packet_flits <= 65535,
                 fmt::format("packets of {} flits; 1 to 65535 are legal", spec.packet_flits));
  require_switch(spec.buffer_flits >= spec.packet_flits,
                 fmt::format("input buffers of {} flits are smaller than a packet of {} flits", spec.buffer_flits,
                             spec.packet_flits));
  const std::uint32_t least = spec.flow_control == PortFlowControl::kCutThrough ? spec.packet_flits : 1;
  require_switch(spec.output_credits >= least,
                 fmt::format("{} credits at the output ports; a packet cannot leave with fewer than {}",
                             spec.output_credits, least));
  require_switch(
      spec.traffic_classes >= 1 && spec.traffic_classes <= kMostTrafficClasses,
      fmt::format("{} traffic classes per port; 1 to {} are legal", spec.traffic_classes, kMostTrafficClasses));
  require_switch(spec.traffic_classes < kMostTrafficClasses ||
                     (spec.control_buffer_flits >= 1 && spec.control_output_credits >= 1),
                 "no room for a packet of the control traffic class");
  require_switch(spec.output_packets >= 1 && spec.output_packets <= 1024,
                 fmt::format("output ports for {} packets; 1 to 1024 are legal", spec.output_packets));
  require_switch(spec.port_specs.empty() || spec.port_specs.size() == static_cast<std::size_t>(spec.ports),
                 fmt::format("{} ports are described, it has {}", spec.port_specs.size(), spec.ports));
  for (const PortSpec& port : spec.port_specs) {
    require_switch(!(Rational{1, 1} < port.in_rate) && !(Rational{1, 1} < port.out_rate.flits_per_cycle),
                   "a port carries at most one flit per cycle");
  }
  require_switch(spec.reduce_cycles >= 1 && spec.reduce_cycles <= 64,
                 fmt::format("a reduction of {} cycles; 1 to 64 are legal", spec.reduce_cycles));
  require_switch(spec.register_every >= 1 && spec.register_every <= 32,
                 fmt::format("a register behind every {} uSwitches; 1 to 32 are legal", spec.register_every));
  require_switch(spec.register_every == 1 || spec.reduce_cycles == 1,
                 fmt::format("uSwitches that add in {} cycles need a register each, but only one of {} has one; legal: "
                             "reduce_cycles 1, or register_every 1",
                             spec.reduce_cycles, spec.register_every));
  require_switch(spec.reconfigure_cycles <= 1'000'000,
                 fmt::format("reconfiguration of {} cycles; 0 to 1000000 are legal", spec.reconfigure_cycles));
  require_switch(spec.reload_cycles <= 1'000'000'000,
                 fmt::format("a load of {} cycles; 0 to 1000000000 are legal", spec.reload_cycles));
  require_switch(spec.reload_cycles == 0 || spec.control != FredControl::kSeveralPhases,
                 "several stored settings that are active at once are not reloaded: 0 cycles are legal for a load");
}

}  // namespace weft::fred
