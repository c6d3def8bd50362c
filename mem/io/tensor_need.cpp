// SPDX-License-Identifier: Apache-2.0
#include "mem/io/tensor_need.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/checked.h"
#include "base/error.h"
#include "base/position_of.h"
#include "base/text_distance.h"
#include "base/units.h"

namespace weft::mem {
namespace {

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

TensorNeed::TensorNeed(PoolFile pool, std::size_t ranks, std::vector<std::string> groups, const IoShares& shares)
    : pool_(std::move(pool)), groups_(std::move(groups)), shares_(shares), layout_(pool_, ranks, groups_.size()) {}

void TensorNeed::add(PoolOwner owner, const std::string& name, std::uint64_t bytes) {
  arenas_[{owner.grouped, owner.number}][{name, bytes}] = layout_.whole_pages(shares_.most_of_one(bytes));
}

void TensorNeed::check() const {
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
      who.first ? fmt::format("process group {}", groups_.at(who.second)) : fmt::format("rank {}", who.second);
  throw InputError(
      fmt::format("{}: size: {} give each rank and process group {} at each I/O controller, and {} needs {} for the "
                  "tensors of the trace; legal: {} and more",
                  pool_.source, bytes_text(pool_.size), bytes_text(layout_.arena_bytes()), name, bytes_text(most),
                  bytes_text(layout_.size_for(most))));
}

PoolTensor TensorNeed::tensor_of(const std::pair<bool, std::uint32_t>& owner, const std::string& name) const {
  if (owner.first) return {name, groups_.at(owner.second), 0};
  return {name, "", owner.second};
}

std::vector<std::string> TensorNeed::warnings() const {
  std::set<const PoolGrant*> meant;
  std::set<const PoolGrant*> deciding;
  std::set<std::string> names;
  for (const auto& [owner, tensors] : arenas_) {
    for (const auto& [tensor, bytes] : tensors) {
      const PoolTensor each = tensor_of(owner, tensor.name);
      names.insert(tensor.name);
      deciding.insert(deciding_grant(pool_.grants, each));
      for (const PoolGrant& grant : pool_.grants) {
        if (means(grant, each)) meant.insert(&grant);
      }
    }
  }
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < pool_.grants.size(); ++i) {
    const PoolGrant& grant = pool_.grants[i];
    if (deciding.count(&grant) > 0) continue;
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string why = meant.count(&grant) > 0 ? "decides nothing: grants before it mean all that it means"
                                                    : fmt::format("means no load or store of the trace; there are {}{}",
                                                                  some_of(known), did_you_mean(grant.tensor, known));
    warnings.push_back(fmt::format("{}: grants[{}] {}", grant.origin.text(), i, why));
  }
  return warnings;
}

}  // namespace weft::mem
