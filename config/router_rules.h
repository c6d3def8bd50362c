// SPDX-License-Identifier: Apache-2.0
// What grids and graphs of routers have in common.
#pragma once

#include <string>
#include <vector>

#include "config/fabric_rules.h"
#include "config/policies.h"
#include "config/rules.h"

namespace weft {

class RouterRules : public FabricRules {
 public:
  bool has_set_up_routes(const FabricSpec& fabric) const override {
    return fabric.router.colours > 0 || fabric.router.multicast;
  }
  std::vector<std::string> required_keys() const override { return {"kind", "size"}; }
  Rational usual_local_rate(const FabricSpec& fabric) const override { return fabric.link.flits_per_cycle; }
  void take_npu_count(FabricSpec& fabric, std::uint64_t count) const override;
  Rational io_rate(const Config& config, Rational bandwidth) const override;
  std::string io_bandwidth_text(const Config& config) const override;
  bool is_size_known(const RawConfig& raw) const override;
  Cycle slowest_link(const FabricSpec& fabric, const RawConfig& raw) const override;
  Cycle longest_stop(const FabricSpec& fabric, const RawConfig& raw) const override {
    return slowest_link(fabric, raw);
  }
  std::vector<LinkBudget> link_budgets(const Config& config) const override { return router_budgets(config); }
};

/// Rules between keys that hold for any routers. What differs between sorts is handed over.
class RouterChecks : public Rules {
 public:
  using Rules::Rules;

  /// `most_ports` = ports of the widest router.
  void check_all(std::int64_t most_ports);
  /// Rules for a fabric that is one module and has one clock.
  void check_one_module();
  /// I/O controllers at a fabric without a border.
  void refuse_controllers();

 private:
  void check_size();
  void check_routing(std::int64_t most_ports);
  void check_vcs(const RoutingFacts& rule, std::int64_t ports);
  void check_injectors();
  void check_copies_of_streams();
  void check_orders();
};

}  // namespace weft
