// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/pool_need.h"

#include "mem/pool/pool_config.h"
#include "npu/player/node_rules.h"
#include "npu/player/workload_check.h"

namespace weft::sc_models {
namespace {

std::vector<npu::SharedGroup> groups_of(const Config& config) {
  const npu::GroupTable table = npu::groups_of_trace(std::get<TraceWorkload>(config.workload));
  return npu::comm_groups(table, config.npu.placement);
}

std::vector<std::string> names_of(const std::vector<npu::SharedGroup>& groups) {
  std::vector<std::string> names;
  for (const npu::SharedGroup& group : groups) names.push_back(group->name);
  return names;
}

}  // namespace

PoolNeed::PoolNeed(const Config& config)
    : groups_(groups_of(config)),
      plan_(config, nullptr),
      need_(mem::pool_of(config), config.npu.placement.size(), names_of(groups_), plan_.shares()) {
  plan_.use_groups(groups_);
}

void PoolNeed::add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
  const std::uint64_t bytes = node.tensor_bytes.value_or(0);
  if (!npu::is_memory(node.type) || bytes == 0) return;
  if (group == nullptr || group->members.size() == 1) return need_.add({false, index(rank)}, node.name, bytes);
  const npu::CommGroup& shared = *groups_.at(group->number);
  const bool store = node.type == npu::TraceNodeType::kMemStore;
  if (store ? plan_.reduces(shared) : plan_.copies(shared)) return need_.add({true, group->number}, node.name, bytes);
  const std::uint64_t part = npu::part_of(bytes, *group, rank);
  if (part > 0) need_.add({false, index(rank)}, node.name, part);
}

}  // namespace weft::sc_models
