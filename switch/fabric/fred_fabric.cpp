// SPDX-License-Identifier: Apache-2.0
#include "switch/fabric/fred_fabric.h"

#include <algorithm>
#include <utility>

#include "network/names.h"
#include "switch/fabric/chiplet_dealing.h"

namespace weft::fred {
namespace {

std::uint32_t flits_of(std::uint64_t bytes, std::uint64_t flit_bytes) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (bytes + flit_bytes - 1) / flit_bytes));
}

}  // namespace

FredFabric::FredFabric(const FabricSpec& fabric, const FabricParameters& parameters, FabricForm form, int parts)
    : fabric_(fabric),
      parameters_(parameters),
      topology_(fabric, flits_of(parameters.packet_bytes, fabric.flit_bytes)),
      compiler_(topology_, fabric.fred.conflict) {
  make_switches();
  make_groups(form, parts);
}

void FredFabric::make_switches() {
  for (const Chiplet& chiplet : topology_.chiplets()) {
    SwitchSpec spec = chiplet.spec;
    spec.values = parameters_.values;
    spec.format = parameters_.format;
    spec.op = parameters_.op;
    if (parameters_.watch) spec.watch = parameters_.watch(static_cast<std::uint32_t>(switches_.size()));
    const FredLevelSpec& level = fabric_.fred.levels[static_cast<std::size_t>(chiplet.coordinates.level)];
    const std::string& model = level.model.empty() ? fabric_.fred.model : level.model;
    switches_.push_back(parameters_.make_switch(spec, network::in_fabric(chiplet.name), model));
  }
}

void FredFabric::make_groups(FabricForm form, int parts) {
  const FabricShared shared{fabric_, parameters_, topology_, compiler_};
  if (form == FabricForm::kModules) {
    for (std::uint32_t chiplet = 0; chiplet < chiplets(); ++chiplet) {
      group_of_.push_back(chiplet);
      groups_.push_back(std::make_unique<ChipletGroup>(shared, chiplet, std::vector{switches_[chiplet].get()}));
    }
    return;
  }
  group_of_ = deal_chiplets(topology_, parts);
  const std::uint32_t groups = *std::max_element(group_of_.begin(), group_of_.end()) + 1;
  for (std::uint32_t group = 0; group < groups; ++group) {
    std::vector<SwitchModel*> members(chiplets(), nullptr);
    for (std::uint32_t chiplet = 0; chiplet < chiplets(); ++chiplet) {
      if (group_of_[chiplet] == group) members[chiplet] = switches_[chiplet].get();
    }
    groups_.push_back(std::make_unique<ChipletGroup>(shared, 0, std::move(members)));
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

Cycle FredFabric::passes_until() const {
  Cycle last = 0;
  for (const auto& group : groups_) last = std::max(last, group->passes_until());
  return last;
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
  for (std::uint32_t number = 0; number < chiplets(); ++number) {
    for (const std::string& sentence : switches_[number]->waiting()) {
      if (sentences.size() == most) return sentences;
      sentences.push_back(topology_.chiplets()[number].name + ", " + sentence);
    }
  }
  for (const auto& group : groups_) group->add_waiting_links(most, &sentences);
  return sentences;
}

std::uint64_t FredFabric::state_hash(Cycle now) const {
  std::uint64_t sum = 0;
  for (const auto& group : groups_) sum += group->state_hash(now);
  return sum;
}

}  // namespace weft::fred
