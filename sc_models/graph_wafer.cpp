// SPDX-License-Identifier: Apache-2.0
#include "sc_models/graph_wafer.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "sc_models/waiting_report.h"

namespace weft::sc_models {

GraphWafer::GraphWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
                       const TestKnobs& knobs)
    : GraphWafer(name, config, observers, knobs, std::make_shared<const network::GraphNetwork>(config)) {}

GraphWafer::GraphWafer(const sc_core::sc_module_name& name, const Config& config, const Observers& observers,
                       const TestKnobs& knobs, std::shared_ptr<const network::GraphNetwork> network)
    : Wafer(name, config, config, network), shape_(std::move(network)) {
  routers_ = std::make_unique<router::GeneralRouters>(
      router::GeneralParameters{shape_->graph(), shape_->routing(), config_.fabric.router, config_.npu.message_classes,
                                config_.seed, config_.fabric.statistics, knobs.sleep, knobs.shuffle});
  FabricPart part;
  for (std::uint32_t node = 0; node < shape_->endpoints(); ++node) part.nodes.push_back(NodeId{node});
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config_.workload)) {
    pattern_ = npu::make_pattern(*traffic, config_.fabric.size_x, config_.fabric.size_y);
    auto sources = std::make_unique<npu::TrafficSources>(config_, part.nodes, *pattern_);
    part.traffic = sources.get();
    interfaces_ = std::move(sources);
  } else {
    auto messages = std::make_unique<npu::MessageInterfaces>(config_, part.nodes);
    part.messages = messages.get();
    interfaces_ = std::move(messages);
  }
  part.local = interfaces_.get();
  part.probe = observers.probe;
  parts_.push_back(std::move(part));
  routers_->connect(interfaces_.get(), &pool_, observers.probe);
  interfaces_->connect(routers_.get(), &pool_, observers.probe);
  block_ = std::make_unique<FabricBlock<router::GeneralRouters>>(*routers_, *interfaces_);
  fabric_clock_->add(*block_);
}

npu::NetworkInterface& GraphWafer::interface(NodeId node) { return parts_.front().messages->at(index(node)); }

const FabricPart& GraphWafer::part_of(NodeId node, std::uint32_t* number) const {
  *number = index(node);
  return parts_.front();
}

bool GraphWafer::empty() const { return flits_inside() == 0 && local().idle(); }

void GraphWafer::require_empty() const {
  routers_->require_empty();
  local().ports().require_empty();
  WEFT_CHECK(pool_.in_use() == 0, fmt::format("{} packets are left that nobody waits for", pool_.in_use()));
}

std::string GraphWafer::waiting_report() const {
  std::string text;
  for (const std::string& sentence : routers_->waiting(kMaxWaiting)) text += sentence + "\n";
  return text;
}

void GraphWafer::finish_statistics(Cycle cycles) {
  routers_->finish_statistics(cycles);
  parts_.front().local->finish_stalls(cycles);
}

LinkCounts GraphWafer::link_counts(std::size_t number) const {
  const auto link = static_cast<std::uint32_t>(number);
  LinkCounts counts;
  if (link < nodes()) {
    counts.flits = local().ports().flits(link);
    if (config_.fabric.statistics) counts.values = local().link_values(link);
    return counts;
  }
  const network::Attachment at = shape_->graph().port_of(LinkId{link});
  counts.flits = routers_->flits(at);
  if (config_.fabric.statistics) counts.values = routers_->link_values(at);
  return counts;
}

void GraphWafer::read_link_flits(std::uint64_t* flits) const {
  for (std::size_t number = 0; number < links(); ++number) *flits++ = link_counts(number).flits;
}

double GraphWafer::link_carried(std::size_t number, Cycle now) const {
  const auto link = static_cast<std::uint32_t>(number);
  if (link < nodes()) {
    const npu::InjectionLinks& ports = local().ports();
    return static_cast<double>(ports.flits(link)) - ports.flits_after(link, now + 1);
  }
  const network::Attachment at = shape_->graph().port_of(LinkId{link});
  return static_cast<double>(routers_->flits(at)) - routers_->flits_after(at, now + 1);
}

}  // namespace weft::sc_models
