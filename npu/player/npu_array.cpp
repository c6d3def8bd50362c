// SPDX-License-Identifier: Apache-2.0
#include "npu/player/npu_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/alike_lines.h"
#include "base/error.h"
#include "base/position_of.h"
#include "config/names.h"
#include "config/parallel_groups.h"
#include "npu/collective/form/shape.h"
#include "npu/collective/form/values.h"
#include "npu/player/single_node_feeder.h"
#include "npu/player/workload_check.h"
#include "npu/trace/trace_files.h"

namespace weft::npu {
namespace {

constexpr const char* kWorkloadGroup = "workload";

TraceNode single_node(const CollectiveSpec& spec, const std::string& group) {
  TraceNode node;
  node.name = fmt::format("{}_0", kind_name(spec.kind));
  node.type = TraceNodeType::kCollective;
  node.collective = spec.kind;
  node.comm_bytes = spec.bytes;
  node.group = group;
  return node;
}

}  // namespace

NpuArray::NpuArray(const Config& config, const NetworkOf& network, FlowDirectory* switches, MemoryPorts* memory,
                   const LocalOf& local, ActivityProbe* activities, std::unique_ptr<ProgramCache> programs)
    : config_(config), programs_(std::move(programs)) {
  const CollectiveSpec& spec = collective_spec(config);
  if (programs_ == nullptr) programs_ = std::make_unique<ProgramCache>(config);
  if (spec.data == DataMode::kValues) {
    values_ = std::make_unique<ValueCheck>(spec.op, spec.dtype, config.seed, config.fabric.fred.fp32_accumulation);
  }
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload)) {
    read_trace(*trace);
  } else {
    make_collective(std::get<CollectiveWorkload>(config.workload));
  }
  programs_->use_phases(comm_groups_);
  if (switches != nullptr) use_switches(*switches);
  if (memory != nullptr) memory->use_groups(comm_groups_);
  make_npus(network, spec, memory, local, activities);
}

void NpuArray::use_switches(FlowDirectory& switches) {
  std::vector<SharedGroup> groups;
  for (const SharedGroup& group : comm_groups_) {
    const bool used = groups_in_use_.empty() ||
                      std::find(groups_in_use_.begin(), groups_in_use_.end(), group->number) != groups_in_use_.end();
    if (used && group->nodes.size() > 1) groups.push_back(group);
  }
  programs_->use_switches(switches, std::move(groups), [this](const std::string& text) { warn(text); });
}

void NpuArray::warn(const std::string& text) {
  // A trace that is read a second time, see Episodes, says nothing new.
  const std::lock_guard<std::mutex> lock(warnings_mutex_);
  if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) warnings_.push_back(text);
}

void NpuArray::read_trace(const TraceWorkload& workload) {
  const std::vector<std::string> files = find_trace_files(workload.chakra);
  const std::string too_many = too_many_ranks(files.size(), config_.npu.placement.size());
  if (!too_many.empty()) throw InputError(fmt::format("{}: {}", workload.chakra, too_many));
  use_groups(groups_of_trace(workload));
  FeederOptions options;
  options.strict = workload.strict;
  options.warn = [this](const std::string& text) { warn(text); };
  for (const std::string& file : files) {
    auto feeder = std::make_unique<ChakraFeeder>(file, options);
    trace_feeders_.push_back(feeder.get());
    feeders_.push_back(std::move(feeder));
  }
}

void NpuArray::make_collective(const CollectiveWorkload& workload) {
  const CollectiveSpec& spec = workload.collective;
  const auto ranks = static_cast<std::uint32_t>(config_.npu.placement.size());
  std::map<std::string, std::vector<RankId>> groups;
  if (!workload.parallelism.empty()) return make_phase(workload, ranks);
  if (!spec.group.empty()) groups[kWorkloadGroup] = spec.group;
  use_groups({groups, ranks});
  groups_in_use_ = {spec.group.empty() ? 0u : 1u};
  const auto is_member = [&spec](RankId rank) {
    return spec.group.empty() || position_of(spec.group, rank).has_value();
  };
  // Some algorithms have a root where the kind has none.
  if (is_member(spec.root) && index(spec.root) < ranks) {
    root_ = spec.root;
  } else if (kind_has_root(spec.kind)) {
    throw InputError(fmt::format("workload.collective.root: rank {} is not a member of the group", index(spec.root)));
  }
  nodes_.push_back(single_node(spec, spec.group.empty() ? "" : kWorkloadGroup));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    feeders_.push_back(std::make_unique<SingleNodeFeeder>(is_member(RankId{rank}) ? &nodes_.front() : nullptr));
  }
}

// Every group of the phase has a name and a number of its own; ranks that the parallelism does not need do nothing.
void NpuArray::make_phase(const CollectiveWorkload& workload, std::uint32_t ranks) {
  const std::vector<std::vector<RankId>> members = groups_of_phase(workload);
  const std::size_t digits = std::to_string(members.size() - 1).size();
  std::map<std::string, std::vector<RankId>> groups;
  std::vector<const TraceNode*> node_of(ranks);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string name = fmt::format("{}{:0{}}", name_of(workload.phase), i, digits);
    groups[name] = members[i];
    nodes_.push_back(single_node(workload.collective, name));
    for (const RankId rank : members[i]) node_of.at(index(rank)) = &nodes_.back();
    groups_in_use_.push_back(static_cast<std::uint32_t>(i + 1));
  }
  GroupTable table(groups, ranks);
  table.set_phases(workload.phase);
  use_groups(std::move(table));
  for (const TraceNode* const node : node_of) feeders_.push_back(std::make_unique<SingleNodeFeeder>(node));
}

void NpuArray::use_groups(GroupTable groups) {
  groups_ = std::make_unique<GroupTable>(std::move(groups));
  comm_groups_ = npu::comm_groups(*groups_, config_.npu.placement);
}

void NpuArray::make_npus(const NetworkOf& network, const CollectiveSpec& spec, MemoryPorts* memory,
                         const LocalOf& local, ActivityProbe* activities) {
  const ClockSpec clock = config_.npu.clock.value_or(config_.clock);
  PlayerSetup player(config_.npu, clock, *groups_);
  player.algorithm = programs_->algorithm();
  player.message_class = programs_->point_to_point();
  player.in_order = programs_->has_flows() && !trace_feeders_.empty();  // a single collective has no other to wait for
  player.comm_groups = &comm_groups_;
  if (config_.run.fast_forward != FastForwardMode::kOff && !trace_feeders_.empty() && !config_.npu.clock &&
      spec.data != DataMode::kValues)
    episodes_ = std::make_unique<Episodes>(feeders_.size(), activities);
  player.activities = episodes_ == nullptr ? activities : episodes_->activities();
  setup_ = std::make_unique<NpuSetup>(NpuSetup{player, programs_.get(), &spec, EndpointCost(config_.npu, clock), root_,
                                               values_.get(), memory, episodes_.get()});
  npus_.reserve(feeders_.size());
  for (std::uint32_t rank = 0; rank < feeders_.size(); ++rank) {
    const NodeId node = config_.npu.placement[rank];
    npus_.push_back(std::make_unique<Npu>(*setup_, RankId{rank}, std::move(feeders_[rank]), network(node),
                                          local ? local(node) : nullptr));
  }
  feeders_.clear();
}

void NpuArray::start() {
  for (const auto& npu : npus_) npu->start();
}

void NpuArray::stop(Cycle now) {
  for (const auto& npu : npus_) {
    if (!npu->finished()) npu->stop(now);
  }
}

bool NpuArray::finished() {
  while (first_unfinished_ < npus_.size() && npus_[first_unfinished_]->finished()) ++first_unfinished_;
  return first_unfinished_ == npus_.size();
}

std::vector<std::string> NpuArray::group_names() const {
  std::vector<std::string> names;
  for (const SharedGroup& group : comm_groups_) names.push_back(group->name);
  return names;
}

std::vector<std::string> NpuArray::group_phases() const {
  std::vector<std::string> phases;
  for (const SharedGroup& group : comm_groups_) phases.emplace_back(group->phase ? name_of(*group->phase) : "");
  return phases;
}

std::uint64_t NpuArray::known_nodes(std::size_t rank) const {
  return trace_feeders_.empty() ? 1 : trace_feeders_[rank]->nodes_read();
}

double NpuArray::share() const {
  std::uint64_t known = 0;
  double done = 0;
  for (std::size_t rank = 0; rank < npus_.size(); ++rank) {
    if (npus_[rank]->finished() && npus_[rank]->statistics().nodes == 0) continue;
    known += known_nodes(rank);
    done += static_cast<double>(npus_[rank]->statistics().nodes) + npus_[rank]->open_share();
  }
  return known == 0 ? 0 : std::min(1.0, done / static_cast<double>(known));
}

bool NpuArray::look_further() {
  bool any = false;
  for (const auto& npu : npus_) any |= npu->look_further();
  return any;
}

std::vector<std::string> NpuArray::waiting_for(std::size_t most) const {
  AlikeLines lines("rank", "ranks", most);
  for (std::size_t rank = 0; rank < npus_.size(); ++rank) {
    for (const std::string& says : npus_[rank]->waiting_for()) lines.add(rank, says);
  }
  return lines.take();
}

CollectiveMerger NpuArray::merged_collectives() const {
  CollectiveMerger merger;
  for (const auto& npu : npus_) {
    for (const RankCollective& record : npu->statistics().collectives) merger.add(record, true);
    for (const RankCollective& record : npu->open_collectives()) merger.add(record, false);
  }
  return merger;
}

std::vector<CollectiveSummary> NpuArray::collectives(Cycle now) const { return merged_collectives().rows(now); }

std::vector<std::string> NpuArray::warnings() const {
  const std::lock_guard<std::mutex> lock(warnings_mutex_);
  std::vector<std::string> sorted = warnings_;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void NpuArray::set_state_listener(const std::function<void(NodeId, Cycle, const NodeActivity&)>& listener) {
  for (const auto& npu : npus_) {
    const NodeId node = npu->node();
    npu->set_state_listener(
        [listener, node](Cycle now, const NodeActivity& activity) { listener(node, now, activity); });
  }
}

}  // namespace weft::npu
