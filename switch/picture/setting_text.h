// SPDX-License-Identifier: Apache-2.0
// The setting of a uSwitch, demux or mux in words.
#pragma once

#include <string>

#include "switch/routing/switch_setting.h"

namespace weft::fred {

/// What goes where: "0+1 -> mid[2]" adds, "mid[0] -> 0,1" copies, "0 -> mid[1]; 1 -> mid[0]" passes; "" = not in use.
/// Pins of R and D towards the middle stages are named after these; a demux or mux has its port on the other side.
std::string setting_text(ElementKind kind, const UswitchSetting& uswitch_setting);

/// "mid[1].mid[0]": the middle stages of a flow at depth 0, 1, ...; "-" where there are none.
std::string middles_text(const std::vector<int>& middles);

}  // namespace weft::fred
