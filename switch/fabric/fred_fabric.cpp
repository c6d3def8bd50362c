// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/fred_fabric.h"

#include <algorithm>

#include "network/names.h"

namespace weft::fred {
namespace {

std::uint32_t flits_of(std::uint64_t bytes, std::uint64_t flit_bytes) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (bytes + flit_bytes - 1) / flit_bytes));
}

}  // namespace

FredFabric::FredFabric(const FabricSpec& fabric, const FabricParameters& parameters, FabricForm form)
    : fabric_(fabric),
      parameters_(parameters),
      topology_(fabric, flits_of(parameters.packet_bytes, fabric.flit_bytes)),
      compiler_(topology_, fabric.fred.conflict) {
  for (const Chiplet& chiplet : topology_.chiplets()) {
    SwitchSpec spec = chiplet.spec;
    spec.values = parameters.values;
    spec.format = parameters.format;
    spec.op = parameters.op;
    if (parameters.watch) spec.watch = parameters.watch(static_cast<std::uint32_t>(switches_.size()));
    const FredLevelSpec& level = fabric.fred.levels[static_cast<std::size_t>(chiplet.place.level)];
    const std::string& model = level.model.empty() ? fabric.fred.model : level.model;
    switches_.push_back(parameters.make_switch(spec, network::in_fabric(chiplet.name), model));
  }
  const FabricShared shared{fabric_, parameters_, topology_, compiler_};
  const std::uint32_t size = form == FabricForm::kModules ? 1 : chiplets();
  for (std::uint32_t first = 0; first < chiplets(); first += size) {
    std::vector<SwitchModel*> members;
    for (std::uint32_t i = 0; i < size; ++i) members.push_back(switches_[first + i].get());
    groups_.push_back(std::make_unique<ChipletGroup>(shared, first, std::move(members)));
  }
  if (form == FabricForm::kModules) return;
  for (std::uint32_t node = 0; node < topology_.nodes(); ++node) {
    for (int plane = 0; plane < topology_.planes(); ++plane) {
      const std::uint32_t l1 = topology_.chiplet({0, topology_.group_of(node), 0, plane});
      node_ports_.push_back(groups_.front()->first_port(l1) + topology_.port_of(node));
    }
  }
}

void FredFabric::connect(LocalSide* local, PacketPool* pool, PacketData* data, FabricProbe* probe) {
  groups_.front()->connect(local, nullptr, pool, data, probe);
}

std::uint64_t FredFabric::flits_inside() const {
  std::uint64_t sum = 0;
  for (const auto& group : groups_) sum += group->flits_inside();
  return sum;
}

std::uint64_t FredFabric::flits_moved() const {
  std::uint64_t sum = 0;
  for (const auto& group : groups_) sum += group->flits_moved();
  return sum;
}

std::uint64_t FredFabric::uswitch_hops() const {
  std::uint64_t sum = 0;
  for (const auto& fred : switches_) sum += fred->uswitch_hops();
  return sum;
}

MemoryNeed FredFabric::memory_need() const {
  MemoryNeed need;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    need.add(topology_.chiplets()[i].name, switches_[i]->settings(), switches_[i]->spec().memory_bytes);
  }
  return need;
}

std::vector<SwitchReport> FredFabric::switch_reports() const {
  std::vector<SwitchReport> reports;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const SwitchModel& fred = *switches_[i];
    reports.push_back(
        {network::in_fabric(topology_.chiplets()[i].name), std::string(fred.model()), fred.compared_cycles()});
  }
  return reports;
}

SwitchCounters FredFabric::switch_totals() const {
  SwitchCounters sum;
  for (const auto& fred : switches_) {
    const SwitchCounters& counters = fred->counters();
    sum.packets += counters.packets;
    sum.reconfigurations += counters.reconfigurations;
    sum.preemptions += counters.preemptions;
    sum.yields += counters.yields;
    sum.reloads += counters.reloads;
    sum.knows_reasons = sum.knows_reasons && counters.knows_reasons;
  }
  return sum;
}

void FredFabric::require_empty() const {
  for (const auto& group : groups_) group->require_empty();
}

std::vector<std::string> FredFabric::waiting(std::size_t most) const {
  std::vector<std::string> sentences;
  for (const auto& group : groups_) group->add_waiting(most, &sentences);
  return sentences;
}

std::uint64_t FredFabric::state_hash(Cycle now) const {
  std::uint64_t sum = 0;
  for (const auto& group : groups_) sum += group->state_hash(now);
  return sum;
}

}  // namespace weft::fred
