// SPDX-License-Identifier: Apache-2.0
// A wafer of FRED switches. The constructor shows the wiring.
#pragma once

#include <memory>
#include <vector>

#include "npu/interface/interface_module.h"
#include "sc_models/fabric_block.h"
#include "sc_models/wafer.h"
#include "switch/fabric/chiplet_module.h"
#include "switch/fabric/fred_fabric.h"
#include "switch/fabric/fred_network.h"

namespace weft::sc_models {

/// Switches in levels and planes, and the network interfaces of NPUs and I/O controllers: all as one block, or each
/// chiplet and each node as a module.
class FredWafer final : public Wafer {
 public:
  /// Throws InputError for what cannot be built.
  FredWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
            const TestKnobs& knobs = {});
  ~FredWafer() override;

  fred::FredFabric& fabric() { return *fabric_; }
  FlowDirectory* flows() override;
  npu::NetworkInterface& interface(NodeId node) override;
  const FabricPart& part_of(NodeId node, std::uint32_t* number) const override;
  std::uint64_t flits_inside() const override { return fabric_->flits_inside(); }
  std::uint64_t flits_moved() const override { return fabric_->flits_moved(); }
  bool empty() const override;
  void require_empty() const override;
  std::string waiting_report() const override;
  void show_insides(fred::UswitchProbe* probe) override;
  void finish_statistics(Cycle cycles) override;
  void add_to(RunResult* result) const override;
  bool counts_flits() const override { return true; }
  LinkCounts link_counts(std::size_t number) const override;
  void read_link_flits(std::uint64_t* flits) const override;
  double link_carried(std::size_t number, Cycle now) const override;

 private:
  FredWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
            const TestKnobs& knobs, std::shared_ptr<const fred::FredNetwork> network);
  void build_region(FabricProbe* probe);
  void build_modules(FabricProbe* probe, const TestKnobs& knobs);
  void build_chiplet(std::uint32_t chiplet, FabricProbe* probe);
  void build_interface(std::uint32_t node, FabricProbe* probe);
  void join_modules();

  std::shared_ptr<const fred::FredNetwork> shape_;
  std::unique_ptr<PacketData> packet_data_;
  PacketPool pool_;
  std::unique_ptr<fred::FredFabric> fabric_;
  std::unique_ptr<npu::MessageInterfaces> messages_;               ///< all, in one region
  std::unique_ptr<FabricBlock<fred::FredFabric>> block_;           ///< in one region
  std::vector<std::unique_ptr<fred::ChipletModule>> chiplets_;     ///< by number
  std::vector<std::unique_ptr<npu::InterfaceModule>> interfaces_;  ///< by node
};

}  // namespace weft::sc_models
