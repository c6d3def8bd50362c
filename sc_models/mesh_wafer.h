// SPDX-License-Identifier: Apache-2.0
// A wafer of mesh or torus routers. The constructor's parts show the wiring.
#pragma once

#include <memory>
#include <vector>

#include "network/grid_network.h"
#include "npu/interface/interface_module.h"
#include "npu/traffic/pattern.h"
#include "router/region_module.h"
#include "sc_models/partition.h"
#include "sc_models/wafer.h"

namespace weft::sc_models {

/// Routers and network interfaces. All modules below it live as long as it does.
class MeshWafer final : public Wafer {
 public:
  /// Throws InputError for what cannot be built.
  MeshWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
            const TestKnobs& knobs = {});
  ~MeshWafer() override;

  npu::NetworkInterface& interface(NodeId node) override;
  const FabricPart& part_of(NodeId node, std::uint32_t* number) const override;
  std::uint64_t flits_inside() const override;
  std::uint64_t flits_moved() const override;
  bool empty() const override;
  void require_empty() const override;
  std::string waiting_report() const override;
  void finish_statistics(Cycle cycles) override;
  LinkCounts link_counts(std::size_t number) const override;
  void read_link_flits(std::uint64_t* flits) const override;
  double link_carried(std::size_t number, Cycle now) const override;

 private:
  Cycle last_npu_edge(Cycle now) const;
  void build_partitions(FabricProbe* probe, const TestKnobs& knobs = {});
  void build_modules(FabricProbe* probe, const TestKnobs& knobs = {});
  void join_modules();
  std::unique_ptr<npu::LocalBlock> make_local(std::vector<NodeId> nodes, FabricPart* part);
  router::RegionParameters region_parameters(router::Rectangle rectangle, const TestKnobs& knobs) const;
  std::vector<NodeId> nodes_of(router::Rectangle rectangle) const;

  MeshWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
            const TestKnobs& knobs, std::shared_ptr<const network::GridNetwork> network);

  std::shared_ptr<const network::GridNetwork> shape_;
  router::Grid grid_;
  std::unique_ptr<npu::TrafficPattern> pattern_;
  std::unique_ptr<PartitionedFabric> partitions_;
  std::vector<std::unique_ptr<router::RegionModule>> routers_;
  std::vector<std::unique_ptr<npu::InterfaceModule>> interfaces_;
  ColourPlan colours_;                       ///< routes that are set up before the run
  MulticastPlan multicast_;                  ///< trees for packets that are copied through VCs
  std::unique_ptr<PacketData> packet_data_;  ///< for packets that routers copy or merge; null in timing mode
  int rows_per_part_ = 0;                    ///< with partitions; the last one may have fewer
};

}  // namespace weft::sc_models
