// SPDX-License-Identifier: Apache-2.0
#include "cli/route/route_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "switch/picture/setting_text.h"

namespace weft::cli {
namespace {

std::string ports_text(const std::vector<PortId>& ports) {
  std::string text;
  for (const PortId port : ports) text += fmt::format("{}{}", text.empty() ? "" : ",", index(port));
  return text;
}

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

void print_chiplets(const RoutedChiplets& chiplets, std::ostream& out) {
  const fred::InterconnectPicture& picture = chiplets.picture;
  out << fmt::format("    {} {}\n", picture.net.name(), fmt::join(chiplets.names, ", "));
  out << fmt::format("      {:<24} {:<16} {:<16} {}\n", "flow", "input ports", "output ports", "middle stages");
  for (std::size_t f = 0; f < picture.flows.size(); ++f) {
    const fred::Flow& flow = picture.flows[f];
    out << fmt::format("      {:<24} {:<16} {:<16} {}\n", flow.name, ports_text(flow.inputs), ports_text(flow.outputs),
                       fred::middles_text(chiplets.middle_stages[f]));
  }
  out << fmt::format("      {:<24} {:<5}  setting\n", "uSwitch", "kind");
  for (std::size_t e = 0; e < picture.net.elements.size(); ++e) {
    const fred::Element& element = picture.net.elements[e];
    const std::string uswitch_setting = fred::setting_text(element.kind, picture.setting[e]);
    if (!uswitch_setting.empty())
      out << fmt::format("      {:<24} {:<5}  {}\n", element.path, fred::name_of(element.kind), uswitch_setting);
  }
}

void print_phase(const RoutedPhase& phase, std::ostream& out) {
  out << fmt::format("phase {}: {} flow{}, {} stored setting{}, {} conflict{}\n", phase.name, phase.flows.size(),
                     plural(phase.flows.size()), phase.settings.size(), plural(phase.settings.size()),
                     phase.conflicts.size(), plural(phase.conflicts.size()));
  for (const fred::FlowConflict& conflict : phase.conflicts)
    out << fmt::format("  conflict: {}\n  done:     {}\n", conflict.found, conflict.done);
  if (!phase.at_endpoints.empty()) out << fmt::format("  at the endpoints: {}\n", fmt::join(phase.at_endpoints, " "));
  for (std::size_t c = 0; c < phase.settings.size(); ++c) {
    const RoutedSetting& setting = phase.settings[c];
    out << fmt::format("  stored setting {}: {}\n", c, fmt::join(setting.flows, " "));
    for (const RoutedChiplets& chiplets : setting.chiplets) print_chiplets(chiplets, out);
  }
}

}  // namespace

void print_routes(const Config& config, const RoutePlan& plan, std::ostream& out) {
  out << fmt::format("{}: {} ranks on {} NPUs, conflict {}\n", config.name, plan.placement.size(),
                     config.fabric.nodes(), config.fabric.fred.conflict);
  if (plan.moved) {
    std::string nodes;
    for (const NodeId node : plan.placement) nodes += fmt::format("{}{}", nodes.empty() ? "" : ", ", index(node));
    out << fmt::format("conflicts with the placement that was given; without any: npu.placement: [{}]\n", nodes);
  }
  const fred::MemoryNeed& memory = plan.memory;
  out << fmt::format("memory: {} stored setting{} in {}, whose {} B hold {} of {} bits\n", memory.most,
                     plural(memory.most), memory.where, memory.memory_bytes, memory.capacity, memory.bits);
  for (const RoutedPhase& phase : plan.phases) print_phase(phase, out);
}

std::string route_svg(const RoutePlan& plan) {
  std::vector<fred::InterconnectPicture> pictures;
  for (const RoutedPhase& phase : plan.phases)
    for (const RoutedSetting& setting : phase.settings)
      for (const RoutedChiplets& chiplets : setting.chiplets) pictures.push_back(chiplets.picture);
  return fred::svg_of(pictures);
}

}  // namespace weft::cli
