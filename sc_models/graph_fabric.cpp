// SPDX-License-Identifier: Apache-2.0
#include "sc_models/graph_fabric.h"

#include "sc_models/waiting_report.h"

namespace weft::sc_models {

GraphFabric::GraphFabric(const network::GraphNetwork& network, const FabricSetup& setup)
    : endpoints_(network.endpoints()),
      statistics_(setup.config.fabric.statistics),
      probe_(setup.given.probe),
      routers_({network.graph(), network.routing(), setup.config.fabric.router, setup.config.npu.message_classes,
                setup.config.seed, statistics_, setup.knobs.sleep, setup.knobs.shuffle}) {}

std::vector<std::vector<NodeId>> GraphFabric::parts() const {
  std::vector<NodeId> all;
  for (std::uint32_t node = 0; node < endpoints_; ++node) all.push_back(NodeId{node});
  return {all};
}

FabricProbe* GraphFabric::attach(std::size_t /*part*/, npu::LocalBlock& interfaces) {
  interfaces_ = &interfaces;
  routers_.connect(&interfaces, &pool_, probe_);
  interfaces.connect(&routers_, &pool_, probe_);
  block_ = std::make_unique<FabricBlock<router::GeneralRouters>>(routers_, interfaces);
  return probe_;
}

void GraphFabric::put_state(StateForm& form) {
  routers_.put_state(form);
  interfaces_->put_state(form);
  form.all_packets(pool_);
}

void GraphFabric::keep(Checkpoint& checkpoint) {
  if (probe_ != nullptr) Checkpoint::refuse("log.level: steps or packets, or waves.file, watches the fabric");
  pool_.keep(checkpoint);
  routers_.keep(checkpoint);
  interfaces_->keep(checkpoint);
}

std::string GraphFabric::waiting_report() const {
  std::string text;
  for (const std::string& sentence : routers_.waiting(kMaxWaiting)) text += sentence + "\n";
  return text;
}

LinkCounts GraphFabric::link_counts(network::LinkSource source) const {
  LinkCounts counts;
  counts.flits = link_flits(source);
  if (statistics_) counts.values = routers_.link_values({source.owner, source.port});
  return counts;
}

std::uint64_t GraphFabric::link_flits(network::LinkSource source) const {
  return routers_.flits({source.owner, source.port});
}

double GraphFabric::link_flits_after(network::LinkSource source, Cycle end) const {
  return routers_.flits_after({source.owner, source.port}, end);
}

}  // namespace weft::sc_models
