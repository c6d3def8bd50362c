// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/pool_need.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/checked.h"
#include "base/error.h"
#include "base/position_of.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "npu/player/node_rules.h"
#include "npu/player/workload_check.h"
#include "sc_models/memory/pool_config.h"

namespace weft::sc_models {
namespace {

std::vector<npu::SharedGroup> groups_of(const Config& config) {
  const npu::GroupTable table = npu::groups_of_trace(std::get<TraceWorkload>(config.workload));
  return npu::comm_groups(table, config.npu.placement);
}

std::string bytes_text(std::uint64_t bytes) { return format_quantity(Rational{bytes, 1}, Dimension::kBytes); }

/// The first names, and how many more there are.
std::string some_of(const std::vector<std::string_view>& names) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) shown.push_back(in_quotes(names[i]));
  if (names.size() > kShown) shown.push_back(fmt::format("{} more", names.size() - kShown));
  return names.empty() ? "none" : fmt::format("{}", fmt::join(shown, ", "));
}

}  // namespace

PoolNeed::PoolNeed(const Config& config)
    : config_(config),
      pool_(pool_of(config)),
      groups_(groups_of(config)),
      plan_(config, nullptr),
      layout_(pool_, config.npu.placement.size(), groups_.size()) {
  plan_.use_groups(groups_);
}

void PoolNeed::add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
  const std::uint64_t bytes = node.tensor_bytes.value_or(0);
  if (!npu::is_memory(node.type) || bytes == 0) return;
  if (group == nullptr || group->members.size() == 1) return place({false, index(rank)}, node.name, bytes);
  const npu::CommGroup& shared = *groups_.at(group->number);
  const bool store = node.type == npu::TraceNodeType::kMemStore;
  if (store ? plan_.reduces(shared) : plan_.copies(shared)) return place({true, group->number}, node.name, bytes);
  const std::uint64_t part = npu::part_of(bytes, *group, rank);
  if (part > 0) place({false, index(rank)}, node.name, part);
}

void PoolNeed::place(PoolOwner owner, const std::string& name, std::uint64_t bytes) {
  arenas_[{owner.grouped, owner.number}][{name, bytes}] = layout_.whole_pages(plan_.shares().most_of_one(bytes));
}

void PoolNeed::check() const {
  std::uint64_t most = 0;
  std::pair<bool, std::uint32_t> who;
  for (const auto& [owner, tensors] : arenas_) {
    std::uint64_t sum = 0;
    for (const auto& [tensor, bytes] : tensors)
      sum = checked_add(sum, bytes, "bytes of the tensors of a rank or group");
    if (sum > most) who = owner;
    most = std::max(most, sum);
  }
  if (most <= layout_.arena_bytes()) return;
  const std::string name =
      who.first ? fmt::format("process group {}", groups_.at(who.second)->name) : fmt::format("rank {}", who.second);
  throw InputError(
      fmt::format("{}: size: {} give each rank and process group {} at each I/O controller, and {} needs {} for the "
                  "tensors of the trace; legal: {} and more",
                  pool_.source, bytes_text(pool_.size), bytes_text(layout_.arena_bytes()), name, bytes_text(most),
                  bytes_text(layout_.size_for(most))));
}

mem::PoolTensor PoolNeed::tensor_of(const std::pair<bool, std::uint32_t>& owner, const std::string& name) const {
  if (owner.first) return {name, groups_.at(owner.second)->name, 0};
  return {name, "", owner.second};
}

std::vector<std::string> PoolNeed::warnings() const {
  std::set<const mem::PoolGrant*> meant;
  std::set<const mem::PoolGrant*> deciding;
  std::set<std::string> names;
  for (const auto& [owner, tensors] : arenas_) {
    for (const auto& [tensor, bytes] : tensors) {
      const mem::PoolTensor each = tensor_of(owner, tensor.name);
      names.insert(tensor.name);
      deciding.insert(mem::deciding_grant(pool_.grants, each));
      for (const mem::PoolGrant& grant : pool_.grants) {
        if (mem::means(grant, each)) meant.insert(&grant);
      }
    }
  }
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < pool_.grants.size(); ++i) {
    const mem::PoolGrant& grant = pool_.grants[i];
    if (deciding.count(&grant) > 0) continue;
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string why = meant.count(&grant) > 0 ? "decides nothing: grants before it mean all that it means"
                                                    : fmt::format("means no load or store of the trace; there are {}{}",
                                                                  some_of(known), did_you_mean(grant.tensor, known));
    warnings.push_back(fmt::format("{}: grants[{}] {}", grant.origin.text(), i, why));
  }
  return warnings;
}

}  // namespace weft::sc_models
