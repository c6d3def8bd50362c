// SPDX-License-Identifier: Apache-2.0
// From flows between nodes to the settings of all chiplets: done before a run, or when a flow is first asked for.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/fabric_flows.h"
#include "base/growing_table.h"
#include "switch/fabric/topology.h"
#include "switch/routing/route.h"

namespace weft::fred {

/// "{0,4}" where all give and get, else "{0,4}->{1}".
std::string name_of(const FabricFlow& flow);

/// A setting of the whole fabric: what its index in a packet's header means at each chiplet. Planes are alike.
struct FabricSetting {
  std::vector<FlowSet> flows;           ///< by position; empty = takes no part
  std::vector<SwitchSetting> settings;  ///< by position; of those that take part
};

/// A flow as it was compiled. Its packets use its stripes round-robin.
struct CompiledFlow {
  FabricFlow flow;
  std::string name;
  std::vector<std::uint32_t> stripes;  ///< indices of FabricSettings, one per route over the uplinks
};

/// Flows that did not run together as they were asked for.
struct FlowConflict {
  std::string found;  ///< which flows conflict, and where
  std::string done;   ///< what was done about it
};

/// Flows asked for together, and what became of them.
struct CompiledPhase {
  std::vector<std::uint32_t> numbers;  ///< numbers of the flows, in order; kNoFlow = left to the endpoints
  std::vector<FlowConflict> conflicts;
};

/// A flow goes up to the lowest level that joins all its nodes: each switch on the way reduces what comes from below,
/// the topmost one reduces and copies, the others copy on the way down. A flow with one input is copied on its way up,
/// too, and does not come back over the links that it took. Flows of one phase that meet in a switch take
/// different uplinks; where there are more uplinks, and one is slower than the slowest link of a flow's nodes, the flow
/// is striped over several. Flows of I/O controllers whose lines need fewer uplinks than an NPU's link begin with one
/// uplink after the other.
///
/// Several threads may ask while a fabric runs. What becomes of a phase depends on its flows alone; numbers follow the
/// order in which phases were first asked for, and are nothing but names. Flows and settings may be read by whoever has
/// been told their numbers, the other tables between cycles.
class FlowCompiler final : public FlowDirectory {
 public:
  /// `answer` to conflicts: serialize, decompose, refuse, or replace: what conflicts with the placement that
  /// was searched before the run is refused, too.
  FlowCompiler(const FredTopology& topology, std::string answer);

  std::uint32_t number_of(const std::vector<FabricFlow>& flows, std::size_t which) override;
  /// The phase of these flows, compiled if it is new. Throws InputError where a flow cannot be carried.
  const CompiledPhase& compile(const std::vector<FabricFlow>& flows);

  void keep(Checkpoint& checkpoint) override;

  const CompiledFlow& flow(std::uint32_t number) const { return flows_[number]; }
  std::uint32_t flows() const { return flows_.size(); }
  const FabricSetting& setting(std::uint32_t index) const { return settings_[index]; }
  std::uint32_t settings() const { return settings_.size(); }
  const std::map<std::vector<FabricFlow>, CompiledPhase>& phases() const { return phases_; }

 private:
  /// The part of a flow in one chiplet, in one direction.
  struct Part {
    std::uint32_t position = 0;
    Flow flow;
  };
  struct Round {
    std::vector<std::size_t> flows;    ///< indices of flows of the phase
    std::vector<std::uint32_t> route;  ///< per flow: number of its first route over the uplinks
    std::uint32_t distance = 1;        ///< between the routes of two flows of one switch
    std::vector<FabricSetting> stripes;
  };

  std::vector<Part> parts(const FabricFlow& flow, const std::string& name, std::uint32_t route) const;
  void check(const std::vector<FabricFlow>& flows) const;
  int top_level(const FabricFlow& flow) const;
  std::uint32_t routes() const;
  std::uint32_t colour_routes(const std::vector<FabricFlow>& flows, Round& round) const;
  std::uint32_t uplinks_needed(const std::vector<FabricFlow>& flows, const Round& round) const;
  std::uint32_t first_controller(const std::vector<FabricFlow>& flows, const Round& round) const;
  bool route(const std::vector<FabricFlow>& flows, Round& round, std::string* why) const;
  bool route_from(std::uint32_t first, std::uint32_t stripes, const std::vector<FabricFlow>& flows, Round& round,
                  std::string* why) const;
  void keep(const std::vector<FabricFlow>& flows, const Round& round, CompiledPhase& phase);

  const FredTopology& topology_;
  std::string answer_;
  std::mutex mutex_;
  GrowingTable<CompiledFlow> flows_;
  GrowingTable<FabricSetting> settings_;
  std::map<std::vector<FabricFlow>, CompiledPhase> phases_;
  std::vector<const std::vector<FabricFlow>*> in_order_;  ///< keys of phases_, as they were first asked for
};

}  // namespace weft::fred
