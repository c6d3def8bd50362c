// SPDX-License-Identifier: Apache-2.0
// All FRED switches of a fabric: as one block, or as groups that threads or modules step.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/block.h"
#include "switch/fabric/chiplet_group.h"
#include "switch/fabric/memory_need.h"
#include "switch/fabric/switch_report.h"

namespace weft::fred {

/// Links: a flit that a port sends in cycle t, or that a network interface injects for cycle t, arrives flit_cycles +
/// latency later; a credit `latency` cycles after the slot became free. Network interfaces are those of all nodes, in
/// order; VCs are plane_vc(plane, traffic class). With Go-Back-N a packet arrives as a whole, when its tail does;
/// within a cycle the fabric is stepped before network interfaces inject.
class FredFabric final : public Block, public FabricSide {
 public:
  /// Groups of chiplets: with kRegion `parts` at most, see deal_chiplets; one of all is stepped by this block. With
  /// kModules one of each chiplet, which a ChipletModule steps. Throws InputError where the parameters do not fit each
  /// other.
  FredFabric(const FabricSpec& fabric, const FabricParameters& parameters, FabricForm form = FabricForm::kRegion,
             int parts = 1);
  FredFabric(const FredFabric&) = delete;
  FredFabric& operator=(const FredFabric&) = delete;

  /// With one group: joins it to the network interfaces, whose packet pool it shares. Before the first step; `probe`
  /// and `data` may be null, `data` in timing mode only.
  void connect(LocalSide* local, PacketPool* pool, PacketData* data, FabricProbe* probe);
  /// Who is shown the wires of switches with SwitchSpec::watch.wires; only with a probe. Before the first step.
  void show_wires(UswitchProbe* probe) {
    for (const auto& group : groups_) group->show_wires(probe);
  }
  /// Who numbers flows; may be asked while the fabric runs.
  FlowCompiler& compiler() { return compiler_; }
  const FlowCompiler& compiler() const { return compiler_; }
  const FredTopology& topology() const { return topology_; }
  const SwitchModel& chiplet(std::uint32_t number) const { return *switches_[number]; }
  std::uint32_t chiplets() const { return static_cast<std::uint32_t>(switches_.size()); }
  const PortCounters& counters(std::uint32_t chiplet, std::uint32_t port) const {
    const ChipletGroup& group = group_of(chiplet);
    return group.counters(group.first_port(chiplet) + port);
  }
  /// Why an output carried nothing; no values where its switch does not know. After `finish_stalls`.
  LinkValues link_values(std::uint32_t chiplet, std::uint32_t port) const {
    const ChipletGroup& group = group_of(chiplet);
    return group.link_values(group.first_port(chiplet) + port);
  }
  /// Counts up to `end`, the first cycle that was not executed.
  void finish_stalls(Cycle end) {
    for (const auto& group : groups_) group->finish_stalls(end);
  }
  /// Counts what passes without a step up to and with cycle `end`, the last one that has been executed.
  void settle(Cycle end) {
    for (const auto& group : groups_) group->settle(end);
  }
  /// The last cycle in which something passes without a step; 0 = nothing does.
  Cycle passes_until() const;
  /// Settings that this chiplet has stored.
  std::uint32_t stored_settings(std::uint32_t chiplet) const { return switches_[chiplet]->settings().size() - 1; }

  /// The chiplet that has stored most settings so far.
  MemoryNeed memory_need() const;
  /// One report per chiplet, in their order.
  std::vector<SwitchReport> switch_reports() const;
  /// What happened in all chiplets together.
  SwitchCounters switch_totals() const;

  // With one group.
  void step(Cycle now) override { groups_.front()->step(now); }
  Cycle next_work(Cycle now) const override { return groups_.front()->next_work(now); }
  void inject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override {
    groups_.front()->inject(node, vc, flit, at);
  }
  void return_credit(std::uint32_t node, VcId vc, Cycle at) override { groups_.front()->return_credit(node, vc, at); }

  std::vector<std::unique_ptr<ChipletGroup>>& groups() { return groups_; }
  const std::vector<std::unique_ptr<ChipletGroup>>& groups() const { return groups_; }
  /// Number of the group that has a chiplet.
  std::uint32_t group_number(std::uint32_t chiplet) const { return group_of_[chiplet]; }

  /// What happened on the links, with Go-Back-N; all zero without.
  GbnCounters link_totals() const { return groups_.front()->link_totals(); }
  /// Go-Back-N links: first those into each port, then those out of ports to nodes. Null where there is none.
  const GbnLink* link_into(std::uint32_t chiplet, std::uint32_t port) const {
    const ChipletGroup& all = *groups_.front();
    return all.repaired_link(all.first_port(chiplet) + port);
  }
  const GbnLink* link_to_node(std::uint32_t chiplet, std::uint32_t port) const {
    const ChipletGroup& all = *groups_.front();
    return all.repaired_link(all.ports() + all.first_port(chiplet) + port);
  }

  /// Flits on links and in chiplets; 0 = empty.
  std::uint64_t flits_inside() const;
  /// Flits that passed output ports.
  std::uint64_t flits_moved() const;
  std::uint64_t uswitch_hops() const;
  /// Throws ViolationError unless nothing is inside and all credits are home.
  void require_empty() const;
  /// Who waits for whom, in sentences, `most` at most.
  std::vector<std::string> waiting(std::size_t most) const;
  /// Number of the link out of a port, for probes; those of network interfaces, plane_link(), come before.
  LinkId link_of(std::uint32_t chiplet, std::uint32_t port) const { return topology_.link_of(chiplet, port); }
  /// Hash of all state that influences what happens, relative to `now`; the same in all forms.
  std::uint64_t state_hash(Cycle now) const;

 private:
  const ChipletGroup& group_of(std::uint32_t chiplet) const { return *groups_[group_of_[chiplet]]; }
  void make_switches();
  void make_groups(FabricForm form, int parts);

  FabricSpec fabric_;
  FabricParameters parameters_;
  FredTopology topology_;
  FlowCompiler compiler_;
  std::vector<std::unique_ptr<SwitchModel>> switches_;
  std::vector<std::unique_ptr<ChipletGroup>> groups_;
  std::vector<std::uint32_t> group_of_;  ///< by chiplet
};

}  // namespace weft::fred
