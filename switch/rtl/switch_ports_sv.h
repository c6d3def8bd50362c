// SPDX-License-Identifier: Apache-2.0
// Ports and parameters of a whole switch in SystemVerilog, as fred_core, fred_switch_mM_pP and in_switch_reducer share
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft::fred {

/// What a port of the switch is for.
enum class SwitchPortUse { kClock, kStrap, kSetting, kTraffic };

/// A port of the switch.
struct SwitchPortSv {
  std::string_view direction;
  std::string_view type;  ///< P = ports, F = bits of a flit
  std::string_view name;
  SwitchPortUse use = SwitchPortUse::kTraffic;
};

/// All but cfg_index_i and cfg_settings_i, whose widths the switch and fred_core do not share.
const std::vector<SwitchPortSv>& switch_ports_sv();

/// The type as it stands in the header of a module.
std::string port_type_sv(const SwitchPortSv& port, int ports);

/// The declarations of the parameters, and their names.
std::string_view switch_parameters_sv();
const std::vector<std::string_view>& switch_parameter_names_sv();

}  // namespace weft::fred
