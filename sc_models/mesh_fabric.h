// SPDX-License-Identifier: Apache-2.0
// The routers of a mesh or torus: bands of rows as plain state, one per thread, or one module for each router.
#pragma once

#include <memory>
#include <vector>

#include "network/grid_network.h"
#include "router/region_module.h"
#include "sc_models/fabric.h"
#include "sc_models/part_threads.h"
#include "sc_models/partition.h"
#include "sc_models/resting_parts.h"

namespace weft::sc_models {

/// All routers of a grid.
class MeshFabric final : public Fabric {
 public:
  /// Throws InputError for what cannot be built.
  MeshFabric(const network::GridNetwork& network, const FabricSetup& setup);
  ~MeshFabric() override;

  bool in_modules() const override;
  std::vector<std::vector<NodeId>> parts() const override;
  FabricProbe* attach(std::size_t part, npu::LocalBlock& interfaces) override;
  Block& join_parts() override;

  std::size_t modules() const override { return static_cast<std::size_t>(grid_.nodes()); }
  void build_module(std::size_t number) override;
  void join_modules() override;
  int interface_ports() const override { return 1; }
  int interface_vcs() const override;
  LinkEnd& link_to(NodeId node, int port) override;

  bool parts_may_rest() const override { return resting_ != nullptr; }
  void wake_all(Cycle end) override {
    if (resting_) resting_->wake_all(end);
  }
  Cycle rest_until() const override { return resting_ ? resting_->rest_until() : 0; }
  Cycle left_out() const override { return resting_ ? resting_->left_out() : 0; }
  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override;
  PulseWords pulse_words() const override;
  std::uint64_t flits_inside() const override;
  std::uint64_t flits_moved() const override;
  std::size_t packets() const override;
  void require_empty() const override;
  std::string waiting_report() const override;
  void finish_statistics(Cycle cycles) override;
  bool counts_flits() const override { return config_.fabric.statistics; }
  LinkCounts link_counts(network::LinkSource source) const override;
  std::uint64_t link_flits(network::LinkSource source) const override;
  double link_flits_after(network::LinkSource source, Cycle end) const override;

 private:
  /// A router: its region, and its number there.
  struct RouterOf {
    router::Region* region;
    std::uint32_t number;
  };

  void build_partitions();
  int columns_that_rest() const;
  Block& join_resting_parts();
  router::RegionParameters region_parameters(router::Rectangle rectangle) const;
  std::vector<NodeId> nodes_of(const router::Region& region) const;
  RouterOf router_of(network::LinkSource source) const;

  const Config& config_;
  ClockDomain& clock_;
  PacketData* packet_data_;
  FabricProbe* probe_;
  int threads_;  ///< step the parts; 0 = one each
  TestKnobs knobs_;
  router::Grid grid_;
  ColourPlan colours_;                        ///< routes that are set up before the run
  MulticastPlan multicast_;                   ///< trees for packets that are copied through VCs
  std::size_t links_;                         ///< that are there
  int rows_per_part_ = 0;                     ///< with partitions; the last one may have fewer
  int columns_per_part_ = 0;                  ///< with partitions; the last one may have fewer
  std::vector<npu::LocalBlock*> interfaces_;  ///< by partition
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::unique_ptr<PartThreads> block_;     ///< steps all partitions
  std::unique_ptr<RestingParts> resting_;  ///< does so where they may rest
  std::vector<std::unique_ptr<router::RegionModule>> routers_;
  std::vector<router::Region*> regions_;  ///< by partition, or by node with modules
};

}  // namespace weft::sc_models
