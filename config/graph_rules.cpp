// SPDX-License-Identifier: Apache-2.0
// Graphs of routers. What differs between them is in GraphFacts.
#include <fmt/format.h>

#include "base/error.h"
#include "config/policies.h"
#include "config/router_rules.h"

namespace weft {
namespace {

class GraphRules : public RouterRules {
 public:
  bool has(FabricFeature feature) const override {
    return feature == FabricFeature::kAny || feature == FabricFeature::kRouters;
  }
  std::string words(const FabricSpec& fabric) const override { return std::string(graph_facts(fabric).words); }
  bool wraps_around(const FabricSpec& fabric) const override { return graph_facts(fabric).wraps; }
  InterfaceFacts interfaces(const FabricSpec& /*fabric*/) const override { return {}; }

  void take_size(FabricSpec& fabric, const std::vector<std::uint64_t>& size) const override {
    if (size.size() != 1)
      throw InputError(
          fmt::format("a list cannot be used; legal with kind {}: one number, the NPUs", name_of(fabric.kind)));
    fabric.size_x = static_cast<int>(size[0]);
    fabric.size_y = 1;
  }
  std::string size_text(const FabricSpec& fabric) const override { return fmt::format("{}", fabric.size_x); }

  void check(const Config& config, const RawConfig& raw, ConfigErrors& errors) const override {
    RouterChecks checks(config, raw, errors);
    checks.check_all(graph_facts(config.fabric).ports(config.fabric.nodes()));
    checks.check_one_module();
    checks.refuse_controllers();
  }

  std::string one_thread(const Config& config) const override {
    return fmt::format("one thread steps all routers of fabric.kind {}", name_of(config.fabric.kind));
  }
};

}  // namespace

const FabricRules& graph_rules() {
  static const GraphRules rules;
  return rules;
}

}  // namespace weft
