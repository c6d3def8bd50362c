// SPDX-License-Identifier: Apache-2.0
// FRED switches as estimates see them.
#include "config/fabric_facts.h"
#include "sc_models/fabric_sketch.h"
#include "sc_models/sketch_text.h"
#include "switch/fabric/flow_compiler.h"
#include "switch/fabric/fred_network.h"

namespace weft::sc_models {
namespace {

/// The placement that `replace` looks for takes as many outputs as the one that is given: what does not run together
/// runs one after the other.
std::string answer_of(const FredSpec& fred) { return fred.conflict == "replace" ? "serialize" : fred.conflict; }

class SwitchSketch final : public FabricSketch {
 public:
  SwitchSketch(const NetworkPointer& network, const FabricSpec& fabric)
      : FabricSketch(network),
        fabric_(fabric),
        topology_(static_cast<const fred::FredNetwork&>(*network).topology()),
        compiler_(topology_, answer_of(fabric.fred)) {}

  const char* hop_name() const override { return "switches"; }
  HopCost hop_cost() const override { return {60, 0, 90}; }
  std::string text(const Config& config) const override {
    std::map<int, std::size_t> chiplets;
    for (const fred::Chiplet& chiplet : topology_.chiplets()) ++chiplets[chiplet.spec.ports];
    return describe_switches(config, chiplets);
  }
  FabricParts parts() const override {
    FabricParts parts;
    parts.chiplets = static_cast<double>(topology_.chiplets().size());
    for (const fred::Chiplet& chiplet : topology_.chiplets()) {
      const FredLevelSpec& level = fabric_.fred.levels[static_cast<std::size_t>(chiplet.coordinates.level)];
      const int ports = chiplet.spec.ports;
      parts.chiplet_ports += ports;
      if (level.model != "tlm") parts.rtl_ports += ports;
      parts.chiplet_buffer += ports * ((kTrafficClasses - 1) * level.buffer_flits + fabric_.fred.control_buffer_flits);
    }
    return parts;
  }
  // Up to the lowest switch above both, and down again.
  std::uint32_t hops(NodeId from, NodeId to, std::uint64_t /*random*/) const override {
    const int a = topology_.group_of(index(from));
    const int b = topology_.group_of(index(to));
    int level = 0;
    while (topology_.group_at(level, a) != topology_.group_at(level, b)) ++level;
    return static_cast<std::uint32_t>(2 * level + 1);
  }
  std::uint32_t longest() const override { return static_cast<std::uint32_t>(2 * topology_.levels().size()); }

  FlowDirectory* flows() override { return switches_reduce(fabric_) ? &compiler_ : nullptr; }
  std::optional<fred::MemoryNeed> setting_need() const override {
    if (compiler_.settings() == 0) return std::nullopt;
    std::vector<fred::FabricSetting> settings;
    for (std::uint32_t i = 0; i < compiler_.settings(); ++i) settings.push_back(compiler_.setting(i));
    return fred::memory_need(topology_, settings);
  }
  double flow_outputs(std::uint32_t flow) const override {
    const fred::CompiledFlow& compiled = compiler_.flow(flow);
    double outputs = 0;
    for (const std::uint32_t stripe : compiled.stripes) {
      for (const fred::FlowSet& at_switch : compiler_.setting(stripe).flows) {
        for (const fred::Flow& part : at_switch) {
          if (part.name == compiled.name) outputs += static_cast<double>(part.outputs.size());
        }
      }
    }
    return outputs / static_cast<double>(compiled.stripes.size());
  }

  double flow_receivers(std::uint32_t flow) const override {
    return static_cast<double>(compiler_.flow(flow).flow.outputs.size());
  }

 private:
  FabricSpec fabric_;
  const fred::FredTopology& topology_;
  fred::FlowCompiler compiler_;
};

}  // namespace

std::unique_ptr<FabricSketch> sketch_of_switches(const NetworkPointer& network, const Config& config) {
  return std::make_unique<SwitchSketch>(network, config.fabric);
}

}  // namespace weft::sc_models
