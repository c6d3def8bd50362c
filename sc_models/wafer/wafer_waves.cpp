// SPDX-License-Identifier: Apache-2.0
#include "wafer/wafer_waves.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/error.h"
#include "router/link_ids.h"
#include "wafer/colour_routes.h"
#include "wafer/fred_waves.h"

namespace weft::wafer {
namespace {

waves::LinkWave link_wave(const Config& config, const router::Grid& grid, LinkId link, int colours) {
  const NodeId node{index(link) / kLinksPerNode};
  const std::uint32_t slot = index(link) % kLinksPerNode;
  const router::Place place = grid.place(node);
  const PortId port{static_cast<std::uint8_t>(slot)};
  const std::string router = fmt::format("router[{},{}]", place.x, place.y);
  const std::string npu = fmt::format("npu[{}]", index(node));
  waves::LinkWave wave;
  wave.vcs = config.fabric.router.vcs;
  wave.colours = colours;
  wave.credits = config.fabric.router.buffer_flits;
  wave.stalls = true;
  const bool local = slot == kInjectionSlot || port == router::kLocal;
  const bool along_x = port == router::kEast || port == router::kWest;
  const LinkSpec& spec = local ? config.fabric.local : along_x ? config.fabric.link : config.fabric.link_along_y();
  const Rational rate = spec.flits_per_cycle;
  wave.several = rate.num > rate.den;
  wave.name = router::link_name(grid, link);
  if (slot == kInjectionSlot) {
    wave.from = npu;
    wave.to = router;
    wave.clock = config.npu.clock ? 1 : 0;
    return wave;
  }
  router::Place there;
  wave.from = router;
  if (local) {
    wave.to = npu;
  } else if (grid.neighbour(place, port, &there)) {
    wave.to = fmt::format("router[{},{}]", there.x, there.y);
  } else {
    wave.name.clear();  // an edge of the mesh
  }
  return wave;
}

/// Shows the choice every name that can be recorded, until it has found something for each pattern.
void match_names(const waves::RecorderSetup& setup, waves::ScopeChoice& choice) {
  for (std::size_t n = 0; n < setup.nodes && !choice.all_found(); ++n) {
    const waves::NpuWave npu = setup.npu(static_cast<NodeId>(n));
    for (const std::string& signal : waves::npu_signals(npu)) choice.match(npu.name + "." + signal);
  }
  for (std::size_t n = 0; n < setup.switches && choice.asks_inside() && !choice.all_found(); ++n) {
    const waves::SwitchWave inside = setup.fabric_switch(n);
    if (choice.match_inside(inside.name) == waves::ScopeMatch::kNone) continue;
    waves::visit_inside(inside, [&choice](const std::string& name) { choice.match_inside(name); });
  }
  for (std::size_t n = 0; n < setup.links && !choice.all_found(); ++n) {
    const waves::LinkWave link = setup.link(static_cast<LinkId>(n));
    if (link.name.empty()) continue;
    for (const std::string& signal : waves::link_signals(link)) choice.match(link.name + "." + signal);
  }
}

}  // namespace

waves::RecorderSetup recorder_setup(const Config& config) {
  if (config.fabric.kind == FabricKind::kFred) return fred_recorder_setup(config);
  const router::Grid grid(config.fabric);
  waves::RecorderSetup setup;
  setup.clocks = {{"clock", config.clock}};
  if (config.npu.clock) setup.clocks.push_back({"npu_clock", *config.npu.clock});
  setup.links = static_cast<std::size_t>(grid.nodes()) * kLinksPerNode;
  int colours = 0;  // that the workload's routes use
  for (const ColourStop& stop : colour_plan_of(config).stops) colours = std::max(colours, stop.colour + 1);
  setup.link = [config, grid, colours](LinkId link) { return link_wave(config, grid, link, colours); };
  setup.nodes = static_cast<std::size_t>(grid.nodes());
  const std::size_t npu_clock = config.npu.clock ? 1 : 0;
  setup.npu = [npu_clock](NodeId node) { return waves::NpuWave{fmt::format("npu[{}]", index(node)), npu_clock}; };
  return setup;
}

std::unique_ptr<waves::Recorder> make_recorder(const Config& config) {
  if (config.waves.file.empty()) return nullptr;
  return std::make_unique<waves::Recorder>(config.waves, config.waves.file, recorder_setup(config));
}

std::vector<ConfigProblem> check_waves(const Config& config) {
  if (config.waves.file.empty() || config.waves.scope.empty()) return {};
  try {
    const waves::RecorderSetup setup = recorder_setup(config);
    waves::ScopeChoice choice(config.waves.scope);
    match_names(setup, choice);
    choice.require_all_found(setup);
  } catch (const InputError& error) {
    std::string sentence = error.what();
    const std::string key = "waves.scope: ";
    if (sentence.rfind(key, 0) == 0) sentence.erase(0, key.size());
    return {{"waves.scope", sentence}};
  }
  return {};
}

}  // namespace weft::wafer
