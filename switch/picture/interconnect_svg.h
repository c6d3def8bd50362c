// SPDX-License-Identifier: Apache-2.0
// Pictures of configured interconnects as SVG.
#pragma once

#include <string>
#include <vector>

#include "switch/routing/route.h"

namespace weft::fred {

/// One interconnect with what runs on it.
struct InterconnectPicture {
  std::string title;
  Interconnect net;
  FlowSet flows;
  SwitchSetting setting;
};

/// A page with the pictures below each other. Each uSwitch is a `rect` of class `uswitch`, a demux or mux one of class
/// `joint`, each wire a `line` of class `wire`, with class `idle` where no flow uses it and in the flow's colour
/// elsewhere. A uSwitch that adds says +, one that copies *. Hovering shows paths, uSwitch settings and flows.
std::string svg_of(const std::vector<InterconnectPicture>& pictures);

}  // namespace weft::fred
