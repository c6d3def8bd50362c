// SPDX-License-Identifier: Apache-2.0
#include "runs/uswitch_waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <variant>

#include "network/names.h"
#include "runs/names.h"
#include "sc_models/switch_data.h"
#include "switch/fabric/fred_network.h"
#include "switch/network/datapath_plan.h"

namespace weft::runs {
namespace {

const std::string& model_of(const Config& config, const fred::Chiplet& chiplet) {
  const FredLevelSpec& level = config.fabric.fred.levels[static_cast<std::size_t>(chiplet.coordinates.level)];
  return level.model.empty() ? config.fabric.fred.model : level.model;
}

waves::WireValue value_of(const fred::WireSample& wire, const fred::PacketNames& names) {
  waves::WireValue value;
  value.valid = wire.valid;
  value.ready = wire.ready;
  value.head = wire.head;
  value.tail = wire.tail;
  value.vc = wire.traffic_class;
  const PacketIdentity* const packet = wire.valid ? names.find(wire.packet) : nullptr;
  value.named = packet != nullptr;
  if (value.named) value.packet = *packet;
  return value;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Only RTL has to be built for it.
bool has_rtl(const Config& config) {
  const FredSpec& fred = config.fabric.fred;
  return fred.model == "rtl" || std::any_of(fred.levels.begin(), fred.levels.end(),
                                            [](const FredLevelSpec& level) { return level.model == "rtl"; });
}

/// Stall reasons and credits of links out of chiplets that are in scope.
void watch_reasons(const waves::RecorderSetup& setup, waves::ScopeChoice& choice,
                   std::vector<fred::SwitchWatch>* watches) {
  std::unordered_map<std::string, std::size_t> numbers;  // by name
  for (std::size_t n = 0; n < setup.nodes; ++n) {
    const waves::NpuWave node = setup.npu(static_cast<NodeId>(n));
    if (node.chiplet) numbers.emplace(node.name, numbers.size());
  }
  for (std::size_t n = 0; n < setup.links; ++n) {
    const waves::LinkWave link = setup.link(static_cast<LinkId>(n));
    const auto from = numbers.find(network::in_fabric(link.from));
    if (!link.stalls || from == numbers.end()) continue;
    bool& wanted = (*watches)[from->second].reasons;
    const std::vector<std::string> signals = wanted ? std::vector<std::string>() : waves::link_signals(link);
    for (const std::string& signal : signals) {
      const bool shows = signal == "stall" || signal == "occupancy" || signal.rfind("credits_", 0) == 0;
      wanted = wanted || (shows && choice.match(link.name + "." + signal) == waves::ScopeMatch::kSelected);
    }
  }
}

}  // namespace

void add_uswitches(const Config& config, waves::RecorderSetup* setup) {
  const auto network = std::make_shared<const fred::FredNetwork>(config);
  setup->switches = network->topology().chiplets().size();
  setup->fabric_switch = [network, config](std::size_t chiplet) {
    return inside_of(config, network->topology().chiplets()[chiplet]);
  };
}

waves::SwitchWave inside_of(const Config& config, const fred::Chiplet& chiplet) {
  const fred::Interconnect net = fred::build_interconnect(chiplet.spec.m, chiplet.spec.ports);
  waves::SwitchWave wave;
  wave.name = network::in_fabric(chiplet.name);
  wave.ports = static_cast<std::uint32_t>(net.ports);
  wave.vc_names = {"mp", "pp", "dp", "control"};
  wave.shadow = model_of(config, chiplet) == "lockstep";
  const SwitchData data = switch_data(config);
  if (data.values) {
    fred::SwitchSpec spec = chiplet.spec;
    spec.format = data.format;
    wave.data_bits = static_cast<int>(8 * spec.beat_bytes());
  }
  for (int port = 0; port < net.ports; ++port) wave.wires.push_back(fmt::format("uswitch.port[{}]", port));
  for (const fred::Element& element : net.elements) {
    wave.elements.push_back({"uswitch." + element.path, fred::is_uswitch(element.kind),
                             static_cast<std::uint32_t>(wave.wires.size()),
                             static_cast<std::uint32_t>(element.sinks.size())});
    for (std::size_t pin = 0; pin < element.sinks.size(); ++pin) {
      wave.wires.push_back(fmt::format("uswitch.{}.out[{}]", element.path, pin));
    }
  }
  return wave;
}

std::vector<fred::SwitchWatch> switch_watches(const Config& config, const waves::RecorderSetup& setup) {
  std::vector<fred::SwitchWatch> watches(setup.switches);
  if (config.waves.file.empty()) return watches;
  waves::ScopeChoice choice(config.waves.scope);
  for (std::size_t n = 0; n < watches.size() && choice.asks_inside(); ++n) {
    const waves::SwitchWave wave = setup.fabric_switch(n);
    if (choice.match_inside(wave.name) == waves::ScopeMatch::kNone) continue;
    waves::visit_inside(wave, [&](const std::string& name) {
      if (choice.match_inside(name) != waves::ScopeMatch::kSelected) return;
      watches[n].wires = true;
      if (ends_with(name, ".data")) watches[n].data = true;
    });
  }
  if (has_rtl(config)) watch_reasons(setup, choice, &watches);
  return watches;
}

void UswitchWaves::wires(Cycle now, std::uint32_t chiplet, const fred::SwitchModel& fred,
                         const fred::PacketNames& names) {
  const fred::SettingStore& store = fred.settings();
  if (waves::WireBank* const bank = recorder_.touch_wires(now, chiplet, false)) fill(*bank, fred, store, names);
  const fred::SwitchModel* const shadow = fred.shadow();
  if (shadow == nullptr) return;
  if (waves::WireBank* const bank = recorder_.touch_wires(now, chiplet, true)) fill(*bank, *shadow, store, names);
}

void UswitchWaves::fill(waves::WireBank& bank, const fred::SwitchModel& fred, const fred::SettingStore& store,
                        const fred::PacketNames& names) {
  const fred::WireWatch& watch = *fred.wires();
  for (waves::WireBank::Wire& wire : bank.wires) {
    const fred::WireSample& sample = watch.wires()[wire.number];
    waves::WireValue value = value_of(sample, names);
    if (sample.has_data) value.data = watch.data(wire.number);
    waves::WireBank::set(wire, value);
  }
  for (waves::WireBank::Element& element : bank.elements) {
    element.action = static_cast<std::uint8_t>(fred::action_of(fred.interconnect(), store, watch, element.number));
  }
  for (waves::WireBank::Wire& port : bank.ports) {
    waves::WireValue value;
    for (const fred::SentFlit& sent : fred.sent()) {
      if (index(sent.port) != port.number) continue;
      fred::WireSample sample;
      sample.valid = true;
      sample.packet = sent.flit.packet;
      value = value_of(sample, names);
    }
    waves::WireBank::set(port, value);
  }
}

}  // namespace weft::runs
