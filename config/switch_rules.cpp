// SPDX-License-Identifier: Apache-2.0
// Fabrics of FRED switches. What completes their levels is in fred.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/fabric_flows.h"
#include "config/fabric_rules.h"
#include "config/fred_shape.h"
#include "config/plane_rate.h"
#include "config/rules.h"

namespace weft {
namespace {

class SwitchChecks : public Rules {
 public:
  using Rules::Rules;

  void check_all() {
    check_injectors();
    refuse_npu_clock();
    check_modules();
  }

 private:
  void check_injectors() {
    if (!good({"npu.injectors"})) return;
    const int vcs = fabric_.fred.planes * kTrafficClasses;
    if (!raw_.is_bad_within("fabric.levels") && config_.npu.injectors > vcs)
      refuse("npu.injectors",
             fmt::format("{} packets side by side are more than {} planes x {} traffic classes; legal: at "
                         "most {}",
                         config_.npu.injectors, fabric_.fred.planes, kTrafficClasses, vcs));
  }

  /// Links that repair losses know both of their ends.
  void check_modules() {
    if (good({"fabric.form", "fabric.link_layer"}) && fabric_.form == FabricForm::kModules &&
        fabric_.fred.link_layer.go_back_n)
      refuse("fabric.form",
             "'modules' joins switches by flit sockets, which carry no ACKs, but fabric.link_layer is gbn; legal: "
             "region, or fabric.link_layer: credit");
  }
};

class SwitchRules : public FabricRules {
 public:
  bool has(FabricFeature feature) const override {
    return feature == FabricFeature::kAny || feature == FabricFeature::kSwitches;
  }
  std::vector<std::string> required_keys() const override { return {"kind", "levels"}; }
  std::string instead_of(const std::string& others_have) const override { return others_have; }
  std::string words(const FabricSpec& /*fabric*/) const override { return "fabric of FRED switches"; }
  bool switches_reduce(const FabricSpec& fabric) const override { return fabric.fred.in_switch; }
  InterfaceFacts interfaces(const FabricSpec& fabric) const override {
    return {Entry::kSwitches, 0, static_cast<std::uint32_t>(fabric.fred.planes), fabric.size_x};
  }
  bool io_controllers_are_nodes() const override { return true; }
  bool has_flows_of_switches() const override { return true; }

  Rational usual_local_rate(const FabricSpec& fabric) const override {
    return {static_cast<std::uint64_t>(fabric.fred.planes), 1};
  }
  // The number of NPUs and the levels say the size.
  void take_size(FabricSpec& /*fabric*/, const std::vector<std::uint64_t>& /*size*/) const override {
    violation("fabric.size is no key of switches");
  }
  std::string size_text(const FabricSpec& fabric) const override { return fmt::format("{}", fabric.size_x); }

  void take_npu_count(FabricSpec& fabric, std::uint64_t count) const override {
    if (fabric.fred.levels.empty()) return;  // that is an error of its own
    const auto groups = static_cast<std::uint64_t>(fabric.fred.levels[0].groups);
    if (count % groups != 0)
      throw InputError(
          fmt::format("{} NPUs cannot be spread evenly over {} switches, fabric.levels[0].groups; legal: "
                      "multiples of {}",
                      count, groups, groups));
    fabric.size_x = static_cast<int>(count / groups);
    fabric.size_y = static_cast<int>(groups);
  }
  void leave_out_npu_count() const override { throw InputError("is missing; with fabric.kind fred legal: at least 1"); }
  std::string npu_count_text(const FabricSpec& fabric) const override { return fmt::format("{}", fabric.nodes()); }

  Rational io_rate(const Config& config, Rational bandwidth) const override {
    return rate_in_plane(config, bandwidth, 1, "controller");
  }
  std::string io_bandwidth_text(const Config& config) const override {
    return bandwidth_in_all_planes(config, config.fabric.io.rate, 1);
  }

  bool is_size_known(const RawConfig& raw) const override {
    return !raw.is_bad("npu.count") && !raw.is_bad_within("fabric.levels") && raw.has("npu.count");
  }
  void complete(Config& config, const RawConfig& raw, ConfigErrors& errors) const override {
    complete_fred(config, raw, errors);
  }
  void check(const Config& config, const RawConfig& raw, ConfigErrors& errors) const override {
    SwitchChecks(config, raw, errors).check_all();
  }

  Cycle slowest_link(const FabricSpec& fabric, const RawConfig& raw) const override {
    if (raw.is_bad_within("fabric.levels") || raw.is_bad_within("io")) return 0;
    Cycle slowest = 0;
    for (std::size_t level = 0; level < fabric.fred.levels.size(); ++level) {
      for (const FredLink& link : links_into(fabric, level))
        slowest = std::max(slowest, crossing_cycles({link.rate, link.latency_cycles}));
    }
    return slowest;
  }
  Cycle longest_stop(const FabricSpec& fabric, const RawConfig& raw) const override {
    Cycle slowest = slowest_link(fabric, raw);
    if (slowest == 0) return 0;
    for (const FredLevelSpec& level : fabric.fred.levels) slowest = std::max(slowest, level.reconfigure_cycles);
    return slowest;
  }
  Cycle repair_cycles(const FabricSpec& fabric) const override {
    return fabric.fred.link_layer.go_back_n ? fabric.fred.link_layer.retransmit_timeout : 0;
  }

  std::vector<LinkBudget> link_budgets(const Config& config) const override { return switch_budgets(config); }

  std::string one_thread(const Config& config) const override {
    const FredSpec& fred = config.fabric.fred;
    if (config.fabric.form == FabricForm::kModules) return kOneThreadForModules;
    if (fred.link_layer.go_back_n)
      return "with fabric.link_layer gbn the two ends of a link are one block, so that one thread steps all switches";
    for (const FredLevelSpec& level : fred.levels) {
      const std::string& model = level.model.empty() ? fred.model : level.model;
      if (model != "tlm") return fmt::format("with fabric.model {} one thread steps all switches", model);
    }
    if (fred.levels.front().groups == 1) return "threads share the L1 switches, and this fabric has a single one";
    return "";
  }
};

}  // namespace

const FabricRules& switch_rules() {
  static const SwitchRules rules;
  return rules;
}

}  // namespace weft
