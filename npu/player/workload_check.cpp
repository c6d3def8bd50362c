// SPDX-License-Identifier: Apache-2.0
#include "npu/player/workload_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/position_of.h"
#include "config/parallel_groups.h"
#include "config/wormhole_rule.h"
#include "npu/collective/engine/program_cache.h"
#include "npu/collective/form/shape.h"
#include "npu/player/compute_model.h"
#include "npu/player/node_rules.h"
#include "npu/player/value_check.h"
#include "npu/trace/trace_files.h"
#include "npu/trace/trace_reader.h"
#include "npu/traffic/permutation_file.h"

namespace weft::npu {
namespace {

constexpr std::size_t kProblemsShown = 20;

/// Collects what goes wrong, each at the key to blame.
class Problems {
 public:
  /// False if `action` threw InputError.
  template <typename Action>
  bool run(const std::string& path, Action action) {
    try {
      action();
      return true;
    } catch (const InputError& error) {
      add(path, error.what());
      return false;
    }
  }
  void add(const std::string& path, const std::string& sentence) { list_.push_back({path, sentence}); }
  std::vector<ConfigProblem> take() { return std::move(list_); }

 private:
  std::vector<ConfigProblem> list_;
};

/// The key of the file that an algorithm is read from.
std::string method_file(const std::string& section, const CollectiveSpec& spec) {
  return section + (spec.algorithm == "auto" ? "algorithm_table" : "algorithm_file");
}

void check_collective(const Config& config, const CollectiveWorkload& workload, Problems& problems) {
  const CollectiveSpec& spec = workload.collective;
  const std::string section = "workload.collective.";
  std::unique_ptr<ProgramCache> programs;
  const auto load = [&] { programs = std::make_unique<ProgramCache>(config); };
  if (!problems.run(method_file(section, spec), load)) return;
  TraceNode node;
  node.collective = spec.kind;
  node.comm_bytes = spec.bytes;
  for (const ProcessGroup& group : groups_of_collective(workload, config.npu.placement.size())) {
    if (moves_nothing(node, group)) continue;
    const auto root = workload.parallelism.empty() ? position_of(group.members, spec.root) : std::nullopt;
    std::shared_ptr<const Program> program;
    const bool sound = problems.run(section + "algorithm", [&] {
      program = programs->get(spec.kind, comm_group(group, config.npu.placement),
                              static_cast<std::uint32_t>(root.value_or(0)), spec.bytes);
    });
    if (!sound) return;
    const bool fits = spec.data != DataMode::kValues ||
                      problems.run(section + "size", [&] { require_memory_for_values(program->shape(), spec.bytes); });
    if (!fits) return;
  }
}

/// Throws InputError for groups that are no groups of so many ranks.
void check_groups(const std::string& file, std::size_t ranks) {
  const ProcessGroups groups = ProcessGroups::from_json_file(file);
  try {
    GroupTable(groups.all(), static_cast<std::uint32_t>(ranks));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

void check_trace(const Config& config, const TraceWorkload& trace, Problems& problems) {
  std::vector<std::string> files;
  if (!problems.run("workload.trace.chakra", [&] { files = find_trace_files(trace.chakra); })) return;
  const std::string too_many = too_many_ranks(files.size(), config.npu.placement.size());
  if (!too_many.empty()) problems.add("workload.trace.chakra", too_many);
  if (!trace.groups.empty()) {
    problems.run("workload.trace.groups", [&] { check_groups(trace.groups, files.size()); });
  }
  if (!trace.phases.empty()) problems.run("workload.trace.phases", [&] { GroupPhases::from_json_file(trace.phases); });
  problems.run(method_file("workload.trace.", trace.collective),
               [&] { ProgramCache(trace.collective, config.fabric); });
}

/// The nodes of a trace, rank by rank.
class NodeCheck {
 public:
  NodeCheck(const Config& config, const NodeVisitor& visit)
      : config_(config),
        trace_(std::get<TraceWorkload>(config.workload)),
        visit_(visit),
        files_(find_trace_files(trace_.chakra)),
        groups_(groups_of_trace(trace_)),
        programs_(trace_.collective, config.fabric),
        compute_model_(config.npu, config.npu.clock.value_or(config.clock)) {}

  std::vector<std::string> run() {
    for (std::uint32_t rank = 0; rank < files_.size(); ++rank) {
      const NodeRules rules(RankId{rank}, groups_);
      const auto reader = open_trace(files_[rank]);
      while (const auto record = reader->next()) {
        const ProcessGroup* group = check(rules, record->node);
        visit_(RankId{rank}, record->node, group);
      }
    }
    if (alike_ > 0 && *first_compute_ < problems_.size()) {
      problems_[*first_compute_] +=
          fmt::format("; {} more compute node{} cannot be played", alike_, alike_ == 1 ? "" : "s");
    } else {
      more_ += alike_;
    }
    if (more_ > 0) problems_.push_back(fmt::format("... and {} more", more_));
    return std::move(problems_);
  }

 private:
  /// The group of a collective, load or store that can be played.
  const ProcessGroup* check(const NodeRules& rules, const TraceNode& node) {
    const ProcessGroup* group = nullptr;
    try {
      if (node.type == TraceNodeType::kCompute) check_compute(node);
      if (is_memory(node.type) && config_.memory.tensors == TensorMemory::kLocal) compute_model_.memory_cycles(node);
      if (node.type == TraceNodeType::kSend) rules.receiver_of(node);
      if (node.type == TraceNodeType::kRecv) rules.sender_of(node);
      if (is_memory(node.type) && !node.group.empty()) return &checked_access(rules, node);
      if (node.type != TraceNodeType::kCollective) return nullptr;
      group = &rules.group_of(node);
      if (!moves_nothing(node, *group)) check_program(rules, node, *group);
    } catch (const InputError& error) {
      if (problems_.size() < kProblemsShown) {
        problems_.emplace_back(error.what());
      } else {
        ++more_;
      }
    }
    return group;
  }

  /// One missing key makes a whole trace of nodes that have no duration: these are counted.
  void check_compute(const TraceNode& node) {
    try {
      compute_model_.compute_cycles(node);
    } catch (const InputError&) {
      if (first_compute_) {
        ++alike_;
        return;
      }
      first_compute_ = problems_.size();
      throw;
    }
  }

  const ProcessGroup& checked_access(const NodeRules& rules, const TraceNode& access) {
    const ProcessGroup& group = rules.group_of_access(access);
    if (config_.memory.tensors != TensorMemory::kIo || !config_.fabric.fred.in_switch) return group;
    const std::string reason = wormhole_deadlock(config_.fabric, kFlowOfTrace);
    if (!reason.empty()) rules.refuse(access, "fabric.flow_control: " + reason);
    return group;
  }

  void check_program(const NodeRules& rules, const TraceNode& node, const ProcessGroup& group) {
    try {
      const auto program =
          programs_.get(*node.collective, comm_group(group, config_.npu.placement), 0, node.comm_bytes);
      if (trace_.collective.data == DataMode::kValues) require_memory_for_values(program->shape(), node.comm_bytes);
    } catch (const InputError& error) {
      rules.refuse(node, error.what());
    }
  }

  const Config& config_;
  const TraceWorkload& trace_;
  const NodeVisitor& visit_;
  std::vector<std::string> files_;
  GroupTable groups_;
  ProgramCache programs_;
  ComputeModel compute_model_;
  std::vector<std::string> problems_;
  std::size_t more_ = 0;                      ///< that are not in problems_
  std::optional<std::size_t> first_compute_;  ///< index in problems_ of the first compute node, if it is there
  std::size_t alike_ = 0;                     ///< compute nodes after it
};

}  // namespace

std::vector<ProcessGroup> groups_of_collective(const CollectiveWorkload& workload, std::size_t ranks) {
  std::vector<ProcessGroup> groups;
  for (const std::vector<RankId>& members : groups_of_phase(workload)) {
    groups.push_back({"", static_cast<std::uint32_t>(groups.size() + 1), members, {}});
  }
  if (!groups.empty()) return groups;
  groups.push_back({"", 0, workload.collective.group, {}});
  if (!workload.collective.group.empty()) return groups;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) groups.front().members.push_back(RankId{rank});
  return groups;
}

std::string too_many_ranks(std::size_t ranks, std::size_t nodes) {
  if (ranks <= nodes) return "";
  return fmt::format(
      "the trace has {} ranks, but the fabric has places for {}: make fabric.size larger, or name more "
      "nodes in npu.placement",
      ranks, nodes);
}

std::vector<ConfigProblem> check_workload(const Config& config) {
  Problems problems;
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload)) {
    if (traffic->pattern == "permutation") {
      problems.run("workload.traffic.file",
                   [&] { read_permutation(traffic->file, static_cast<std::uint32_t>(config.fabric.nodes())); });
    }
  } else if (const auto* single = std::get_if<CollectiveWorkload>(&config.workload)) {
    check_collective(config, *single, problems);
  } else if (const auto* trace = std::get_if<TraceWorkload>(&config.workload)) {
    check_trace(config, *trace, problems);
  }
  return problems.take();
}

GroupTable groups_of_trace(const TraceWorkload& trace) {
  const std::vector<std::string> files = find_trace_files(trace.chakra);
  const GroupPhases phases = trace.phases.empty() ? GroupPhases() : GroupPhases::from_json_file(trace.phases);
  const ProcessGroups groups = load_process_groups(files, trace.groups);
  phases.require_groups(groups.all());
  GroupTable table(groups, phases, static_cast<std::uint32_t>(files.size()));
  const std::filesystem::path beside = std::filesystem::path(files.front()).parent_path() / "comm_group.json";
  if (trace.groups.empty() && std::filesystem::exists(beside)) table.set_unused_file(beside.string());
  return table;
}

std::vector<std::string> check_trace_nodes(const Config& config, const NodeVisitor& visit) {
  return NodeCheck(config, visit).run();
}

void require_playable(const Config& config, const NodeVisitor& visit) {
  const std::vector<std::string> problems = check_trace_nodes(config, visit);
  if (!problems.empty()) throw InputError(fmt::format("{}", fmt::join(problems, "\n")));
}

}  // namespace weft::npu
