// SPDX-License-Identifier: Apache-2.0
// Finds out which uSwitches of an interconnect keep their outputs in registers, and whether the rest of it settles.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/topology/interconnect.h"

namespace weft::fred {

/// The time that stages take.
struct StageTiming {
  std::uint32_t reduce_cycles = 1;  ///< cycles of a registered uSwitch that adds; one that passes or copies takes 1
  std::vector<std::uint8_t> registered;  ///< by element; what has no register takes no cycle
};

/// A register behind every `every`-th element of a route from the input ports on, and always behind the last one:
/// outputs of a switch come from registers. By element.
std::vector<std::uint8_t> stage_registers(const Interconnect& net, int every);

/// Throws InputError that names the elements where data could run in a circle without meeting a register. Readiness
/// runs back along the same wires, so it settles where data does: an element's outputs take their copies one by one
/// (eager fork), so that none of them depends on the readiness of another.
void require_settled(const Interconnect& net, const std::vector<std::uint8_t>& registered);

}  // namespace weft::fred
