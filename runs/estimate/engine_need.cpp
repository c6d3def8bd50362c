// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/engine_need.h"

#include <algorithm>

#include "base/position_of.h"
#include "config/chunks.h"
#include "npu/player/node_rules.h"
#include "npu/player/value_check.h"
#include "npu/player/workload_check.h"

namespace weft::runs {
namespace {

int chunks_at_once(const CollectiveSpec& spec, std::uint64_t bytes) {
  const int chunks = chunks_of(spec, bytes);
  return spec.active_chunks == 0 ? chunks : std::min(spec.active_chunks, chunks);
}

/// What all members of a group need together.
EngineNeed need_of(const npu::Program& program, const CollectiveSpec& spec, int at_once, std::uint64_t bytes) {
  EngineNeed need;
  need.instructions = npu::held_instructions(program);
  need.instructions.started *= at_once;
  need.instructions.waiting *= at_once;
  if (spec.data == DataMode::kValues) need.value_bytes = npu::bytes_of_values(program.shape(), bytes);
  return need;
}

}  // namespace

void TraceEngines::add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
  if (node.type != npu::TraceNodeType::kCollective || group == nullptr || npu::moves_nothing(node, *group)) return;
  const CollectiveSpec& spec = npu::collective_spec(config_);
  const Key key{*node.collective, group->number, chunks_at_once(spec, node.comm_bytes),
                spec.data == DataMode::kValues || programs_.by_bytes() ? node.comm_bytes : 0};
  groups_.try_emplace(key, *group);
  collectives_[rank].insert(key);
}

EngineNeed TraceEngines::need() {
  std::map<Key, EngineNeed> of_member;
  for (const auto& [key, group] : groups_) {
    const auto program =
        programs_.get(std::get<0>(key), npu::comm_group(group, config_.npu.placement), 0, std::get<3>(key));
    EngineNeed& own = of_member[key] =
        need_of(*program, npu::collective_spec(config_), std::get<2>(key), std::get<3>(key));
    own.instructions.started /= static_cast<double>(group.members.size());
    own.instructions.waiting /= static_cast<double>(group.members.size());
    own.value_bytes /= static_cast<double>(group.members.size());
  }
  EngineNeed sum;
  for (const auto& [rank, keys] : collectives_) {
    EngineNeed most;
    for (const Key& key : keys) {
      const npu::HeldInstructions& held = of_member[key].instructions;
      most.instructions.started = std::max(most.instructions.started, held.started);
      most.instructions.waiting = std::max(most.instructions.waiting, held.waiting);
      most.value_bytes = std::max(most.value_bytes, of_member[key].value_bytes);
    }
    sum.instructions.started += most.instructions.started;
    sum.instructions.waiting += most.instructions.waiting;
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
                                      static_cast<std::uint32_t>(root.value_or(0)), spec.bytes);
    const EngineNeed need = need_of(*program, spec, chunks_at_once(spec, spec.bytes), spec.bytes);
    sum.instructions.started += need.instructions.started;
    sum.instructions.waiting += need.instructions.waiting;
    sum.value_bytes += need.value_bytes;
  }
  return sum;
}

}  // namespace weft::runs
