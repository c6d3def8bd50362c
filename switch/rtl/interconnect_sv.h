// SPDX-License-Identifier: Apache-2.0
// SystemVerilog of an interconnect and of the switch around it, written from the same description as the model.
#pragma once

#include <string>

#include "switch/network/switch_spec.h"
#include "switch/topology/interconnect.h"

namespace weft::fred {

/// "m3_p12": what the names of the modules of Fred_3(12) end with.
std::string rtl_suffix(const Interconnect& net);

/// Bits of a unicast's route: the output port, and at each level around the innermost one a middle stage.
int route_bits(const Interconnect& net);

/// Module fred_interconnect_<suffix>: an instance of fred_element for each element, named by its path (in[2] of mid[1]
/// is `mid_1__in_2`), and the wires between them. With a watch it has outputs that show them (watch_sv.h).
std::string interconnect_sv(const Interconnect& net, const SwitchWatch& watch = {});
/// What a wire of it is called by where it comes from; its signals are <name>_valid, _ready, _side and _data.
std::string wire_name_sv(const Interconnect& net, Terminal source);

/// Module fred_switch_<suffix>, whose ports docs/rtl_ports.md names: fred_core joined with that interconnect.
std::string fred_switch_sv(const Interconnect& net, const SwitchWatch& watch = {});

/// Module in_switch_reducer, the top of a block to be placed: that switch with its straps and setting memory
/// behind a write port of 32 bits (rtl_register_writes gives what to write).
std::string in_switch_reducer_sv(const Interconnect& net);

}  // namespace weft::fred
