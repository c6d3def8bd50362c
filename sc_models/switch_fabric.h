// SPDX-License-Identifier: Apache-2.0
// FRED switches in levels and planes: as plain state in parts, one per thread, or one module for each chiplet.
#pragma once

#include <memory>
#include <vector>

#include "sc_models/fabric.h"
#include "sc_models/part_threads.h"
#include "sc_models/switch_part.h"
#include "switch/fabric/chiplet_module.h"
#include "switch/fabric/fred_fabric.h"
#include "switch/fabric/fred_network.h"

namespace weft::sc_models {

/// All FRED switches of a fabric.
class SwitchFabric final : public Fabric {
 public:
  /// Throws InputError for what cannot be built.
  SwitchFabric(const fred::FredNetwork& network, const FabricSetup& setup);
  ~SwitchFabric() override;

  fred::FredFabric& switches() { return switches_; }

  bool in_modules() const override { return fabric_.form == FabricForm::kModules; }
  std::vector<std::vector<NodeId>> parts() const override;
  FabricProbe* attach(std::size_t part, npu::LocalBlock& interfaces) override;
  Block& join_parts() override;

  std::size_t modules() const override { return switches_.chiplets(); }
  void build_module(std::size_t number) override;
  void join_modules() override;
  int interface_ports() const override { return switches_.topology().planes(); }
  int interface_vcs() const override { return interface_ports() * kTrafficClasses; }
  LinkEnd& link_to(NodeId node, int port) override;

  FlowDirectory* flows() override;
  void show_insides(fred::UswitchProbe* probe) override;

  std::uint64_t flits_inside() const override;
  std::uint64_t flits_moved() const override { return switches_.flits_moved(); }
  std::size_t packets() const override;
  void require_empty() const override { switches_.require_empty(); }
  std::string waiting_report() const override;
  void settle(Cycle end) override { switches_.settle(end); }
  Cycle passes_until() const override { return switches_.passes_until(); }
  Pulse pulse() const override { return {switches_.groups().front()->pulse(), 0}; }
  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override;
  void finish_statistics(Cycle cycles) override { switches_.finish_stalls(cycles); }
  void add_to(RunResult* result) const override;
  bool counts_flits() const override { return true; }
  LinkCounts link_counts(network::LinkSource source) const override;
  std::uint64_t link_flits(network::LinkSource source) const override;
  double link_flits_after(network::LinkSource source, Cycle end) const override;

 private:
  const FabricSpec& fabric_;
  ClockDomain& clock_;
  PacketData* packet_data_;
  FabricProbe* probe_;
  int threads_;  ///< step the parts; 0 = one each
  fred::FredFabric switches_;
  std::vector<std::unique_ptr<SwitchPart>> parts_;              ///< unless it is built as modules
  std::unique_ptr<PartThreads> block_;                          ///< steps all parts
  std::unique_ptr<fred::UswitchProbe> wires_;                   ///< wires of several parts, joined
  std::vector<std::unique_ptr<fred::ChipletModule>> chiplets_;  ///< by number
};

}  // namespace weft::sc_models
