// SPDX-License-Identifier: Apache-2.0
// Outputs that a switch has in simulation only: they show what goes on inside and nothing depends on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "switch/network/switch_spec.h"
#include "switch/topology/interconnect.h"

namespace weft::fred {

/// What the names of each wire's outputs begin with, by channel (ChannelNumbers): `watch_in_2__o0`, to which come
/// `_valid_o`, `_ready_o`, `_side_o` and, with `watch.data`, `_data_o`. The side wires are, the lowest first: head,
/// tail, flit_end, setting, packet_flits, tag, traffic class, packet, route.
std::vector<std::string> watch_wire_names(const Interconnect& net);

/// What the control unit knows of the next packet of each buffer, and credits: `watch_next_valid_o` and so on, by port
/// and traffic class.
struct WatchReasonSv {
  std::string_view output;
  std::string_view signal;  ///< signal of fred_core
  std::string_view bits;    ///< bits of one buffer
};
const std::vector<WatchReasonSv>& watch_reasons_sv();

// Lines for the interconnect's and the switch's modules; "" without a watch.
std::string watch_net_ports_sv(const Interconnect& net, const SwitchWatch& watch);
std::string watch_net_assigns_sv(const Interconnect& net, const SwitchWatch& watch);
std::string watch_net_connections_sv(const Interconnect& net, const SwitchWatch& watch);
std::string watch_core_ports_sv(const Interconnect& net, const SwitchWatch& watch);
std::string watch_core_assigns_sv(const SwitchWatch& watch);

}  // namespace weft::fred
