// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/io_plan.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "config/fabric_facts.h"
#include "config/wormhole_rule.h"

namespace weft::sc_models {
namespace {

std::vector<NodeId> ascending(std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace

IoPlan::IoPlan(const Config& config, FlowDirectory* flows)
    : config_(config),
      flows_(flows),
      sites_(io_sites(config.fabric)),
      shares_{static_cast<std::uint32_t>(sites_.size()), config.memory.piece, config.npu.packet_bytes,
              own_nodes() ? static_cast<std::uint32_t>(config.fabric.fred.planes) : 1} {}

npu::MessageClass IoPlan::control_class() const {
  return own_nodes() ? npu::class_of(TrafficClass::kControl) : npu::MessageClass::kRequest;
}

npu::MessageClass IoPlan::store_class(const npu::CommGroup* group) const {
  if (!own_nodes()) return npu::MessageClass::kRequest;
  const auto traffic_class = group == nullptr ? std::nullopt : flow_groups_.traffic_class(group->number, false);
  return npu::class_of(traffic_class.value_or(TrafficClass::kPp));
}

void IoPlan::use_groups(const std::vector<npu::SharedGroup>& groups) {
  groups_ = groups;
  std::vector<npu::SharedGroup> several;
  const auto has_several = [](const npu::SharedGroup& group) { return group->nodes.size() > 1; };
  std::copy_if(groups.begin(), groups.end(), std::back_inserter(several), has_several);
  if (own_nodes()) flow_groups_ = npu::FlowGroups(several, config_.fabric.size_x);
}

bool IoPlan::reduces(const npu::CommGroup& group) const {
  return switches_reduce(config_.fabric) && flow_groups_.traffic_class(group.number, false) &&
         flow_groups_.phase(group.number, false).size() <= sites_.size();
}

bool IoPlan::copies(const npu::CommGroup& group) const {
  if (own_nodes()) return config_.fabric.fred.in_switch;
  return config_.fabric.router.multicast && static_cast<int>(group.nodes.size()) == config_.fabric.nodes();
}

void IoPlan::refuse_deadlock() const {
  const std::string reason = wormhole_deadlock(config_.fabric, kFlowOfTrace);
  if (!reason.empty()) throw InputError("fabric.flow_control: " + reason);
}

std::uint32_t IoPlan::load_flow(std::uint32_t site, const npu::CommGroup& group) const {
  if (flows_ == nullptr) return kNoFlow;
  refuse_deadlock();
  return flows_->number_of({FabricFlow{{sites_[site].node}, ascending(group.nodes)}}, 0);
}

std::uint32_t IoPlan::store_flow(std::uint32_t site, const npu::CommGroup& group) const {
  if (flows_ == nullptr) return kNoFlow;
  refuse_deadlock();
  const std::vector<npu::SharedGroup>& together = flow_groups_.phase(group.number, false);
  const auto mine = std::find_if(together.begin(), together.end(),
                                 [&group](const npu::SharedGroup& each) { return each->number == group.number; });
  const auto which = static_cast<std::size_t>(mine - together.begin());
  std::vector<FabricFlow> flows;
  for (std::size_t i = 0; i < together.size(); ++i) {
    const std::size_t its_site = (site + sites_.size() - which + i) % sites_.size();
    flows.push_back({ascending(together[i]->nodes), {sites_[its_site].node}});
  }
  return flows_->number_of(flows, which);
}

}  // namespace weft::sc_models
