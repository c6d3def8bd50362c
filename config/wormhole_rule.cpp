// SPDX-License-Identifier: Apache-2.0
#include "config/wormhole_rule.h"

#include <fmt/format.h>

namespace weft {
namespace {

constexpr int kNonBlockingMiddles = 3;  // fewest middle stages with which unicasts are strictly non-blocking

std::string refusal(const std::string& reason) {
  return fmt::format("wormhole can deadlock {}; legal: cut_through", reason);
}

/// "unicasts and 2 stored settings of flows".
std::string describe(bool unicasts, std::uint64_t settings) {
  const std::string flows = fmt::format("{} stored setting{} of flows", settings, settings == 1 ? "" : "s");
  return unicasts ? "unicasts and " + flows : flows;
}

}  // namespace

bool wormhole_between_switches(const FabricSpec& fabric) {
  return fabric.fred.wormhole && !fabric.fred.levels.empty() && fabric.fred.levels.front().groups > 1;
}

std::string wormhole_deadlock(const FabricSpec& fabric, const WormholeLoad& load) {
  const bool crosses = load.unicasts_cross || load.crossing_settings > 0;
  if (!wormhole_between_switches(fabric) || !crosses) return "";
  const FredSpec& fred = fabric.fred;
  if (fred.control == FredControl::kOneTree) {
    return refusal(
        "with fabric.control: one_tree: a packet that waits for room in the next switch keeps all others out of its "
        "own, and two switches can wait for each other");
  }
  if (load.unicasts_cross && fred.m < kNonBlockingMiddles) {
    return refusal(
        fmt::format("with fabric.m: {}: a unicast on its way down can wait for wires that one on its way up holds, "
                    "which waits for room above",
                    fred.m));
  }
  if (fred.control == FredControl::kOnePhase && load.settings + (load.unicasts ? 1 : 0) > 1) {
    return refusal(
        fmt::format("with fabric.control: one_phase and {}: packets of one stored setting that wait for room in the "
                    "next switch keep those of the others out, and two switches can wait for each other",
                    describe(load.unicasts, load.settings)));
  }
  if (fred.control == FredControl::kSeveralPhases && load.crossing_settings + (load.unicasts_cross ? 1 : 0) > 1) {
    return refusal(
        fmt::format("with fabric.control: several_phases and {} between switches: a packet that waits for room in the "
                    "next switch holds outputs and wires that others need, which can hold up that room",
                    describe(load.unicasts_cross, load.crossing_settings)));
  }
  return "";
}

}  // namespace weft
