// SPDX-License-Identifier: Apache-2.0
// Routers that are joined in any way, as one block of plain state.
#pragma once

#include <memory>

#include "network/graph_network.h"
#include "router/general/general_routers.h"
#include "sc_models/fabric.h"
#include "sc_models/fabric_block.h"

namespace weft::sc_models {

/// All routers of a network::GraphNetwork.
class GraphFabric final : public Fabric {
 public:
  /// Throws InputError for what cannot be built.
  GraphFabric(const network::GraphNetwork& network, const FabricSetup& setup);

  bool in_modules() const override { return false; }
  std::vector<std::vector<NodeId>> parts() const override;
  FabricProbe* attach(std::size_t part, npu::LocalBlock& interfaces) override;
  Block& join_parts() override { return *block_; }

  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override;
  std::uint64_t flits_inside() const override { return routers_.flits_inside(); }
  std::uint64_t flits_moved() const override { return routers_.flits_moved(); }
  PulseWords pulse_words() const override { return {&routers_.flits_moved(), &routers_.flits_inside()}; }
  std::size_t packets() const override { return pool_.in_use(); }
  void require_empty() const override { routers_.require_empty(); }
  std::string waiting_report() const override;
  void finish_statistics(Cycle cycles) override { routers_.finish_statistics(cycles); }
  bool counts_flits() const override { return statistics_; }
  LinkCounts link_counts(network::LinkSource source) const override;
  std::uint64_t link_flits(network::LinkSource source) const override;
  double link_flits_after(network::LinkSource source, Cycle end) const override;

 private:
  std::size_t endpoints_;
  bool statistics_;
  FabricProbe* probe_;
  npu::LocalBlock* interfaces_ = nullptr;
  PacketPool pool_;
  router::GeneralRouters routers_;
  std::unique_ptr<FabricBlock<router::GeneralRouters>> block_;
};

}  // namespace weft::sc_models
