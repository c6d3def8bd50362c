// SPDX-License-Identifier: Apache-2.0
// A wafer of routers that are joined in any way. The constructor shows the wiring.
#pragma once

#include <memory>

#include "network/graph_network.h"
#include "npu/traffic/pattern.h"
#include "router/general/general_routers.h"
#include "sc_models/fabric_block.h"
#include "sc_models/wafer.h"

namespace weft::sc_models {

/// All routers and all network interfaces as one block.
class GraphWafer final : public Wafer {
 public:
  /// Throws InputError for what cannot be built.
  GraphWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
             const TestKnobs& knobs = {});

  npu::NetworkInterface& interface(NodeId node) override;
  const FabricPart& part_of(NodeId node, std::uint32_t* number) const override;
  std::uint64_t flits_inside() const override { return routers_->flits_inside(); }
  std::uint64_t flits_moved() const override { return routers_->flits_moved(); }
  bool empty() const override;
  void require_empty() const override;
  std::string waiting_report() const override;
  void finish_statistics(Cycle cycles) override;
  LinkCounts link_counts(std::size_t number) const override;
  void read_link_flits(std::uint64_t* flits) const override;
  double link_carried(std::size_t number, Cycle now) const override;

 private:
  GraphWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
             const TestKnobs& knobs, std::shared_ptr<const network::GraphNetwork> network);
  const npu::LocalBlock& local() const { return *parts_.front().local; }

  std::shared_ptr<const network::GraphNetwork> shape_;
  std::unique_ptr<npu::TrafficPattern> pattern_;
  PacketPool pool_;
  std::unique_ptr<router::GeneralRouters> routers_;
  std::unique_ptr<npu::LocalBlock> interfaces_;
  std::unique_ptr<FabricBlock<router::GeneralRouters>> block_;
};

}  // namespace weft::sc_models
