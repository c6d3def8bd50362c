// SPDX-License-Identifier: Apache-2.0
#include "cli/engine_need.h"

#include <algorithm>

#include "kernel/position_of.h"
#include "npu/player/node_rules.h"
#include "npu/player/value_check.h"
#include "npu/player/workload_check.h"
#include "npu/program/held_instructions.h"

namespace weft::cli {
namespace {

double pieces_at_once(const CollectiveSpec& spec) {
  return spec.active_chunks == 0 ? spec.chunks : std::min(spec.active_chunks, spec.chunks);
}

/// Of all members of a group.
EngineNeed need_of(const npu::Program& program, const CollectiveSpec& spec, std::uint64_t bytes) {
  EngineNeed need;
  need.instructions = npu::held_instructions(program) * pieces_at_once(spec);
  if (spec.data == DataMode::kValues) need.value_bytes = npu::bytes_of_values(program.shape(), bytes);
  return need;
}

}  // namespace

void TraceEngines::add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
  if (node.type != npu::TraceNodeType::kCollective || group == nullptr || npu::moves_nothing(node, *group)) return;
  const auto [entry, fresh] = of_member_.try_emplace({*node.collective, group->number, node.comm_bytes});
  EngineNeed& own = entry->second;
  if (fresh) {
    const auto program = programs_.get(*node.collective, npu::comm_group(*group, config_.npu.placement), 0);
    own = need_of(*program, npu::collective_spec(config_), node.comm_bytes);
    own.instructions /= static_cast<double>(group->members.size());
    own.value_bytes /= static_cast<double>(group->members.size());
  }
  EngineNeed& most = most_[rank];
  most.instructions = std::max(most.instructions, own.instructions);
  most.value_bytes = std::max(most.value_bytes, own.value_bytes);
}

EngineNeed TraceEngines::need() const {
  EngineNeed sum;
  for (const auto& [rank, most] : most_) {
    sum.instructions += most.instructions;
    sum.value_bytes += most.value_bytes;
  }
  return sum;
}

EngineNeed engine_need(const Config& config) {
  EngineNeed sum;
  const auto* workload = std::get_if<CollectiveWorkload>(&config.workload);
  if (workload == nullptr) return sum;
  const CollectiveSpec& spec = workload->collective;
  npu::ProgramCache programs(config);
  npu::TraceNode node;
  node.collective = spec.kind;
  node.comm_bytes = spec.bytes;
  for (const npu::ProcessGroup& group : npu::groups_of_collective(*workload, config.npu.placement.size())) {
    if (npu::moves_nothing(node, group)) continue;
    const auto root = workload->parallelism.empty() ? position_of(group.members, spec.root) : std::nullopt;
    const auto program = programs.get(spec.kind, npu::comm_group(group, config.npu.placement),
                                      static_cast<std::uint32_t>(root.value_or(0)));
    const EngineNeed need = need_of(*program, spec, spec.bytes);
    sum.instructions += need.instructions;
    sum.value_bytes += need.value_bytes;
  }
  return sum;
}

}  // namespace weft::cli
