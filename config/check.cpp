// SPDX-License-Identifier: Apache-2.0
#include "config/check.h"

#include <fmt/format.h>

#include <utility>

#include "base/rational_math.h"
#include "config/effects.h"
#include "config/link_budget.h"

namespace weft {
namespace {

/// A link of a FRED fabric whose buffers are below rate x round trip, and what it carries with them.
std::string starved_plane(const LinkBudget& budget, const Config& config) {
  const FabricSpec& fabric = config.fabric;
  const auto bandwidth = [&](double flits_per_cycle) {
    const double bytes = flits_per_cycle * static_cast<double>(fabric.flit_bytes) * config.clock.hertz.value();
    return fmt::format("{:.4g} GB/s", bytes / 1e9);
  };
  const double carried = budget.carried_by(budget.buffer_flits);
  return fmt::format(
      "{} is credit-starved: {} flits of buffer ({}) are below rate x round trip = {} x {} cycles = {} flits; each "
      "plane carries at most {:.4g} flits per cycle, {} instead of {}",
      budget.link, budget.buffer_flits, budget.buffers, short_text(budget.rate), budget.round_trip,
      short_text(budget.needed_flits), carried, bandwidth(carried), bandwidth(budget.rate.value()));
}

/// Flits are whole: what does not fill the last one is carried all the same.
void warn_of_packets(const Config& config, std::vector<std::string>& warnings) {
  const std::uint64_t packet = config.npu.packet_bytes;
  const std::uint64_t flit = config.fabric.flit_bytes;
  const std::uint64_t flits = (packet + flit - 1) / flit;
  const double share = static_cast<double>(packet) / static_cast<double>(flits * flit);
  constexpr double kLeastShare = 0.9;
  if (share >= kLeastShare) return;
  warnings.push_back(fmt::format(
      "npu.packet_bytes {} is no whole number of flits of {} bytes, fabric.flit_bytes: a packet of {} flit{} "
      "carries {:.3g} % payload",
      packet, flit, flits, flits == 1 ? "" : "s", 100 * share));
}

}  // namespace

std::vector<std::string> config_warnings(const Config& config) {
  std::vector<std::string> warnings = config.load_warnings;
  const RouterSpec& router = config.fabric.router;
  for (const LinkBudget& budget : link_budgets(config)) {
    if (!budget.is_starved()) continue;
    if (!budget.buffers.empty()) {
      warnings.push_back(starved_plane(budget, config));
      continue;
    }
    const std::string vcs = budget.set_up ? "1 colour"
                            : budget.vcs == router.vcs
                                ? fmt::format("{} VCs", router.vcs)
                                : fmt::format("{} of {} VCs that one packet may use,", budget.vcs, router.vcs);
    warnings.push_back(fmt::format(
        "{} is credit-starved: {} flits of buffer ({} x {}) are below rate x round trip = {} x {} cycles = {} "
        "flits; it carries at most {:.4g} flits per cycle",
        budget.link + (budget.set_up ? " on a set-up route" : ""), budget.buffer_flits, vcs, router.buffer_flits,
        short_text(budget.rate), budget.round_trip, short_text(budget.needed_flits),
        budget.carried_by(budget.buffer_flits)));
  }
  const auto* traffic = std::get_if<TrafficWorkload>(&config.workload);
  const double local = config.fabric.local.flits_per_cycle.value();
  if (traffic != nullptr && traffic->rate > local)
    warnings.push_back(
        fmt::format("workload.traffic.rate {} is more than fabric.local carries, {} flits per cycle: "
                    "the run will be saturated",
                    traffic->rate, short_text(config.fabric.local.flits_per_cycle)));
  if (traffic == nullptr) warn_of_packets(config, warnings);
  for (std::string& sentence : keys_without_effect(config)) warnings.push_back(std::move(sentence));
  return warnings;
}

}  // namespace weft
