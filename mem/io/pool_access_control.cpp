// SPDX-License-Identifier: Apache-2.0
#include "mem/io/pool_access_control.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "network/names.h"

namespace weft::mem {
namespace {

std::unique_ptr<ValidationUnit> unit_of(const PoolFile& pool, const PoolLayout& layout, std::uint32_t controller) {
  const AddressRange slice{layout.slice_bytes() * controller, layout.slice_bytes()};
  GrantTable grants(layout.page_bytes(), {{network::io_name(controller), slice}});
  return std::make_unique<ValidationUnit>(*pool.access, std::move(grants));
}

}  // namespace

PoolAccessControl::PoolAccessControl(const PoolFile& pool, const PoolLayout& layout, std::vector<NodeId> placement,
                                     std::uint32_t nodes, NodeId summed)
    : pool_(pool),
      slice_bytes_(layout.slice_bytes()),
      placement_(std::move(placement)),
      nodes_(nodes),
      summed_(summed) {
  for (std::uint32_t rank = 0; rank < placement_.size(); ++rank) rank_of_[placement_[rank]] = rank;
  for (std::uint32_t c = 0; c < pool.spec.controllers; ++c) units_.push_back(unit_of(pool, layout, c));
}

void PoolAccessControl::use_groups(std::vector<PoolGroup> groups) {
  groups_ = std::move(groups);
  ConfigErrors errors;
  for (const PoolGrant& grant : pool_.grants) {
    const auto is_it = [&grant](const PoolGroup& group) { return group.name == *grant.group; };
    if (grant.group && std::none_of(groups_.begin(), groups_.end(), is_it))
      errors.add(grant.origin,
                 fmt::format("group: there is no process group '{}'; legal: one of the trace's, or all", *grant.group));
  }
  errors.throw_if_any();
}

Initiator PoolAccessControl::initiator(NodeId source, bool grouped, std::uint32_t who) const {
  if (!grouped || who >= groups_.size()) return index(source);
  const std::vector<NodeId>& members = groups_[who].nodes;
  const bool is_member = std::find(members.begin(), members.end(), source) != members.end();
  return is_member || source == summed_ ? nodes_ + who : index(source);
}

const PoolGrant* PoolAccessControl::grant_of(const PoolOpening& tensor) const {
  const PoolOwner owner = tensor.owner;
  if (owner.grouped) return deciding_grant(pool_.grants, {tensor.name, groups_[owner.number].name, 0});
  return deciding_grant(pool_.grants, {tensor.name, "", owner.number});
}

PoolAccessControl::Admission PoolAccessControl::admission_of(const PoolOpening& tensor) const {
  Admission admission;
  const PoolGroup* group = tensor.owner.grouped ? &groups_[tensor.owner.number] : nullptr;
  if (const PoolGrant* grant = grant_of(tensor)) {
    admission.owner = index(placement_[grant->owner]);
    for (std::uint32_t rank = 0; rank < placement_.size(); ++rank) {
      const Rights rights{contains(grant->readers, rank), contains(grant->writers, rank)};
      if (rights.read || rights.write) admission.rights[index(placement_[rank])] = rights;
    }
  } else if (group != nullptr) {
    admission.owner = index(group->nodes.front());
    for (const NodeId node : group->nodes) admission.rights[index(node)] = kMayReadAndWrite;
  } else {
    admission.owner = index(placement_[tensor.owner.number]);
  }
  admission.rights[admission.owner] = kMayReadAndWrite;
  if (group == nullptr) return admission;
  Rights together = kMayReadAndWrite;
  for (const NodeId node : group->nodes) {
    const auto found = admission.rights.find(index(node));
    const Rights one = found == admission.rights.end() ? Rights{} : found->second;
    together = {together.read && one.read, together.write && one.write};
  }
  admission.rights[nodes_ + tensor.owner.number] = together;
  return admission;
}

void PoolAccessControl::admit(const PoolOpening& tensor) {
  if (!tensors_.emplace(tensor.offset, Tensor{tensor.name, tensor.owner}).second) return;
  const Admission admission = admission_of(tensor);
  for (std::uint32_t c = 0; c < units_.size(); ++c) {
    const AddressRange pages{slice_bytes_ * c + tensor.offset, tensor.bytes};
    WEFT_CHECK(units_[c]->claim(admission.owner, pages) == Denial::kNone,
               "a tensor was given pages of the pool that are another's");
    for (const auto& [initiator, rights] : admission.rights) {
      if (rights.read || rights.write) units_[c]->grant(kManager, initiator, pages, rights);
    }
  }
}

std::uint64_t PoolAccessControl::refused() const {
  std::uint64_t sum = 0;
  for (const auto& unit : units_) sum += unit->counters().refused;
  return sum;
}

std::string PoolAccessControl::name_of(Initiator initiator) const {
  if (initiator >= nodes_ && initiator - nodes_ < groups_.size()) return name_of(PoolOwner{true, initiator - nodes_});
  const auto found = rank_of_.find(NodeId{initiator});
  return found == rank_of_.end() ? fmt::format("node {}", initiator) : name_of(PoolOwner{false, found->second});
}

std::string PoolAccessControl::name_of(PoolOwner owner) const {
  return owner.grouped ? fmt::format("group {}", groups_[owner.number].name) : fmt::format("rank {}", owner.number);
}

std::vector<RefusedRecord> PoolAccessControl::log(const std::vector<std::string>& names) const {
  std::vector<RefusedRecord> records;
  for (std::uint32_t c = 0; c < units_.size(); ++c) {
    for (const RefusedAccess& access : units_[c]->log()) {
      RefusedRecord record;
      record.cycle = access.at;
      record.controller = names[c];
      record.initiator = name_of(access.initiator);
      const auto above = tensors_.upper_bound(access.address - slice_bytes_ * c);
      if (above != tensors_.begin()) {
        record.tensor = std::prev(above)->second.name;
        record.owner = name_of(std::prev(above)->second.owner);
      }
      record.store = access.command == Command::kWrite;
      record.address = access.address;
      record.bytes = access.bytes;
      record.reason = reason_name(reason_of(access.denial));
      records.push_back(std::move(record));
    }
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const RefusedRecord& a, const RefusedRecord& b) { return a.cycle < b.cycle; });
  return records;
}

}  // namespace weft::mem
