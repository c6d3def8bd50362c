// SPDX-License-Identifier: Apache-2.0
// What a configuration knows of a kind of fabric. A class in a file of its own answers for each sort: grids of routers
// (grid_rules.cpp), graphs of routers (graph_rules.cpp) and FRED switches (switch_rules.cpp). What both sorts of
// routers share is in router_rules.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/fabric_facts.h"
#include "config/link_budget.h"
#include "config/resolve.h"

namespace weft {

inline constexpr const char* kOneThreadForModules = "with fabric.form modules one thread steps all modules";

class FabricRules {
 public:
  virtual ~FabricRules() = default;

  virtual bool has(FabricFeature feature) const = 0;
  /// Keys of the section `fabric` that a complete file has.
  virtual std::vector<std::string> required_keys() const = 0;
  /// What this fabric has in place of a key that is not for it; "" where nothing is like it.
  virtual std::string instead_of(const std::string& /*others_have*/) const { return ""; }

  // The facts of fabric_facts.h.
  virtual std::string words(const FabricSpec& fabric) const = 0;
  virtual bool wraps_around(const FabricSpec& /*fabric*/) const { return false; }
  virtual bool switches_reduce(const FabricSpec& /*fabric*/) const { return false; }
  virtual InterfaceFacts interfaces(const FabricSpec& fabric) const = 0;
  virtual bool io_controllers_are_nodes() const { return false; }

  /// Packets follow routes that are set up in routers before the run, for one group.
  virtual bool has_set_up_routes(const FabricSpec& /*fabric*/) const { return false; }
  /// Switches can carry flows of algorithms for them.
  virtual bool has_flows_of_switches() const { return false; }

  // Keys that each sort takes and shows in its own way. Those that take throw InputError without a place.
  virtual Rational usual_local_rate(const FabricSpec& fabric) const = 0;
  /// `fabric.size`; the text is YAML.
  virtual void take_size(FabricSpec& fabric, const std::vector<std::uint64_t>& size) const = 0;
  virtual std::string size_text(const FabricSpec& fabric) const = 0;
  /// `npu.count`; "" where the size says it already, so that the size can be changed alone.
  virtual void take_npu_count(FabricSpec& fabric, std::uint64_t count) const = 0;
  virtual void leave_out_npu_count() const {}
  virtual std::string npu_count_text(const FabricSpec& /*fabric*/) const { return ""; }
  /// Flits per cycle of an I/O controller in each plane, and its bandwidth as YAML.
  virtual Rational io_rate(const Config& config, Rational bandwidth) const = 0;
  virtual std::string io_bandwidth_text(const Config& config) const = 0;

  /// True when the number of nodes can be relied on.
  virtual bool is_size_known(const RawConfig& raw) const = 0;
  /// Fills in what the keys leave open, and checks what it needs for that.
  virtual void complete(Config& /*config*/, const RawConfig& /*raw*/, ConfigErrors& /*errors*/) const {}
  /// Rules between keys that only this sort has, or has in its own way.
  virtual void check(const Config& config, const RawConfig& raw, ConfigErrors& errors) const = 0;

  // Cycles in which a flit, alone in the fabric, moves nothing else; 0 where the keys are wrong.
  virtual Cycle slowest_link(const FabricSpec& fabric, const RawConfig& raw) const = 0;
  virtual Cycle longest_stop(const FabricSpec& fabric, const RawConfig& raw) const = 0;
  /// Cycles until a lost packet is sent again; 0 = nothing is lost.
  virtual Cycle repair_cycles(const FabricSpec& /*fabric*/) const { return 0; }

  /// See link_budgets and one_thread_because.
  virtual std::vector<LinkBudget> link_budgets(const Config& config) const = 0;
  virtual std::string one_thread(const Config& config) const = 0;
};

const FabricRules& mesh_rules();
const FabricRules& torus_rules();
const FabricRules& graph_rules();
const FabricRules& switch_rules();

inline const FabricRules& rules_of(const FabricSpec& fabric) { return rules_of(fabric.kind); }

}  // namespace weft
