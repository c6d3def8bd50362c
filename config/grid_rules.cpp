// SPDX-License-Identifier: Apache-2.0
// Grids of routers: mesh and torus.
#include <fmt/format.h>

#include "base/error.h"
#include "base/region_ports.h"
#include "base/units.h"
#include "config/router_rules.h"

namespace weft {
namespace {

/// I/O controllers at the border of a mesh.
class BorderChecks : public Rules {
 public:
  using Rules::Rules;

  void check_all() {
    const IoSpec& io = fabric_.io;
    if (io.controllers == 0 || !good({"io.controllers", "fabric.kind"}) || !has_size()) return;
    const int sites = 2 * (fabric_.size_x + fabric_.size_y);
    if (io.controllers > sites)
      refuse("io.controllers",
             fmt::format("{} controllers are more than the border of a {} x {} mesh has places for; "
                         "legal: at most 2 x ({} + {}) = {}",
                         io.controllers, fabric_.size_x, fabric_.size_y, fabric_.size_x, fabric_.size_y, sites));
    if (good({"io.bandwidth", "fabric.local.bandwidth", "clock", "fabric.flit_bytes"}) &&
        fabric_.local.flits_per_cycle < io.rate)
      refuse("io.bandwidth",
             fmt::format(
                 "a controller on a mesh enters at the port of its NPU and cannot be faster; legal: at most "
                 "fabric.local.bandwidth = {}",
                 format_quantity(bandwidth_of(fabric_.local.flits_per_cycle, fabric_.flit_bytes, config_.clock.hertz),
                                 Dimension::kBandwidth)));
  }
};

class GridRules : public RouterRules {
 public:
  explicit constexpr GridRules(bool wraps) : wraps_(wraps) {}

  bool has(FabricFeature feature) const override { return feature != FabricFeature::kSwitches; }
  // A grid is the default kind.
  std::vector<std::string> required_keys() const override { return {"size"}; }
  std::string words(const FabricSpec& fabric) const override { return std::string(name_of(fabric.kind)); }
  bool wraps_around(const FabricSpec& /*fabric*/) const override { return wraps_; }
  InterfaceFacts interfaces(const FabricSpec& /*fabric*/) const override {
    return {Entry::kRouter, index(injection_link(NodeId{0})), kLinksPerNode, 0};
  }

  void take_size(FabricSpec& fabric, const std::vector<std::uint64_t>& size) const override {
    if (size.size() != 2)
      throw InputError(fmt::format("{} is one number; legal for a {}: [x, y]", size[0], name_of(fabric.kind)));
    fabric.size_x = static_cast<int>(size[0]);
    fabric.size_y = static_cast<int>(size[1]);
  }
  std::string size_text(const FabricSpec& fabric) const override {
    return fmt::format("[{}, {}]", fabric.size_x, fabric.size_y);
  }

  void check(const Config& config, const RawConfig& raw, ConfigErrors& errors) const override {
    RouterChecks checks(config, raw, errors);
    checks.check_all(1);  // a router of a grid has few ports
    if (wraps_) {
      checks.refuse_controllers();
    } else {
      BorderChecks(config, raw, errors).check_all();
    }
  }

  std::string one_thread(const Config& config) const override {
    if (config.fabric.form == FabricForm::kModules) return kOneThreadForModules;
    if (config.npu.clock) return "with npu.clock routers and network interfaces are modules, and one thread steps them";
    return config.fabric.size_y == 1 ? "threads share the rows of a grid, and this one has a single row" : "";
  }

 private:
  bool wraps_;
};

}  // namespace

const FabricRules& mesh_rules() {
  static const GridRules rules(false);
  return rules;
}

const FabricRules& torus_rules() {
  static const GridRules rules(true);
  return rules;
}

}  // namespace weft
