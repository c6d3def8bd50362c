// SPDX-License-Identifier: Apache-2.0
// A wafer of FRED switches. The constructor shows the wiring.
#pragma once

#include <memory>
#include <vector>

#include "npu/interface/interface_module.h"
#include "switch/fabric/chiplet_module.h"
#include "switch/fabric/fred_fabric.h"
#include "wafer/wafer.h"

namespace weft::wafer {

/// Switches in levels and planes, and the network interfaces of NPUs and I/O controllers: all as one block, or each
/// chiplet and each node as a module.
class FredWafer final : public Wafer {
 public:
  /// `probe` may be null. Throws InputError for what cannot be built.
  FredWafer(const sc_core::sc_module_name& name, const Config& config, FabricProbe* probe, const TestKnobs& knobs = {});
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
  void record_insides(waves::Recorder& recorder) override;
  void finish_statistics(Cycle cycles) override;
  StallCycles stall_totals() const override;
  void add_to(RunResult* result) const override;
  std::size_t links() const override { return links_.size(); }
  LinkRecord link(std::size_t number, Cycle cycles) const override;
  void read_link_flits(std::uint64_t* flits) const override;
  double link_carried(std::size_t number, Cycle now) const override;
  std::size_t nodes() const override { return fabric_->topology().nodes(); }
  NodeRecord node(std::size_t number) const override;

 private:
  /// The fabric and the network interfaces in one step.
  class Block;
  /// An output port of a chiplet, or, with `chiplet` = kInterface, the links of network interface `port`.
  struct LinkName {
    std::uint32_t chiplet = 0;
    std::uint32_t port = 0;
  };
  static constexpr std::uint32_t kInterface = ~std::uint32_t{0};

  void build_region(FabricProbe* probe);
  void build_modules(FabricProbe* probe, const TestKnobs& knobs);
  void build_chiplet(std::uint32_t chiplet, FabricProbe* probe);
  void build_interface(std::uint32_t node, FabricProbe* probe);
  void join_modules();
  std::string peer_name(const fred::PortPeer& peer) const;

  std::unique_ptr<PacketData> packet_data_;
  PacketPool pool_;
  std::unique_ptr<fred::FredFabric> fabric_;
  std::unique_ptr<npu::MessageInterfaces> messages_;               ///< all, in one region
  std::unique_ptr<Block> block_;                                   ///< in one region
  std::vector<std::unique_ptr<fred::ChipletModule>> chiplets_;     ///< by number
  std::vector<std::unique_ptr<npu::InterfaceModule>> interfaces_;  ///< by node
  std::vector<LinkName> links_;
  std::unique_ptr<fred::UswitchProbe> insides_;
};

/// Names of what is at the ends of links, as results and waves show them: npu[3], io[0], l1[2].plane[0].
std::string fred_node_name(const fred::FredTopology& topology, std::uint32_t node);
/// Name of the link out of a chiplet's port: fabric.l1[2].plane[0].port[3].
std::string fred_link_name(const fred::FredTopology& topology, std::uint32_t chiplet, std::uint32_t port);

}  // namespace weft::wafer
