// SPDX-License-Identifier: Apache-2.0
#include "runs/recording.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.h"
#include "runs/names.h"
#include "runs/uswitch_waves.h"
#include "sc_models/colour_routes.h"
#include "sc_models/fabric_kinds.h"
#include "waves/fst/fst_format.h"

namespace weft::runs {
namespace {

waves::LinkWave link_wave(const network::Network& network, LinkId number, int colours) {
  network::Link link = network.link(number);
  waves::LinkWave wave;
  wave.name = std::move(link.name);
  wave.from = std::move(link.from);
  wave.to = std::move(link.to);
  wave.vcs = link.vcs;
  wave.colours = colours;
  wave.vc_names = std::move(link.vc_names);
  for (const int flits : link.buffer_flits) wave.credits = std::max(wave.credits, flits);
  if (link.buffer_flits.size() > 1) wave.vc_credits = std::move(link.buffer_flits);
  wave.stalls = true;
  wave.several = link.flits_per_cycle.num > link.flits_per_cycle.den;
  wave.clock = link.clock;
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
  const std::shared_ptr<const network::Network> network = make_network(config);
  waves::RecorderSetup setup;
  setup.clocks = {{"clock", config.clock}};
  if (config.npu.clock) setup.clocks.push_back({"npu_clock", *config.npu.clock});
  setup.links = network->links();
  int colours = 0;  // that the workload's routes use
  for (const ColourStop& stop : colour_plan_of(config).stops) colours = std::max(colours, stop.colour + 1);
  setup.link = [network, colours](LinkId link) { return link_wave(*network, link, colours); };
  setup.nodes = network->nodes();
  setup.npu = [network](NodeId number) {
    const network::Node node = network->node(number);
    return waves::NpuWave{node.name, node.clock, node.kind == network::NodeKind::kSwitch};
  };
  if (network->nodes() > network->endpoints()) add_uswitches(config, &setup);
  return setup;
}

std::unique_ptr<waves::Recorder> make_recorder(const Config& config) {
  if (config.waves.file.empty()) return nullptr;
  return std::make_unique<waves::Recorder>(config.waves, config.waves.file, recorder_setup(config));
}

std::vector<ConfigProblem> check_waves(const Config& config) {
  if (config.waves.file.empty()) return {};
  if (!waves::has_fst() && std::filesystem::path(config.waves.file).extension() == ".fst")
    return {{"waves.file", waves::kNoFst}};
  if (config.waves.scope.empty()) return {};
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

}  // namespace weft::runs
