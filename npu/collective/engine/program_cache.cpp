// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/program_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "config/fabric_facts.h"
#include "config/names.h"
#include "config/wormhole_rule.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/checker/checker.h"
#include "npu/collective/files/program_file.h"
#include "npu/collective/form/values.h"
#include "npu/interface/sending_side.h"

namespace weft::npu {
namespace {

/// The flows of a program by number: where its ranks put something in and take something out.
std::vector<FabricFlow> flows_of(const Program& program, const std::vector<NodeId>& nodes) {
  std::vector<FabricFlow> flows;
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
    const std::uint32_t length = program.length(rank);
    for (std::uint32_t i = 0; i < length; ++i) {
      const Instruction in = program.at(rank, i);
      if (in.op != Op::kFlow) continue;
      const auto number = static_cast<std::size_t>(in.hints.flow);
      if (flows.size() <= number) flows.resize(number + 1);
      if (in.src.count > 0) flows[number].inputs.push_back(nodes[rank]);
      if (in.dst.count > 0) flows[number].outputs.push_back(nodes[rank]);
    }
  }
  for (FabricFlow& flow : flows) {
    std::sort(flow.inputs.begin(), flow.inputs.end());
    std::sort(flow.outputs.begin(), flow.outputs.end());
  }
  return flows;
}

}  // namespace

ProgramCache::ProgramCache(const CollectiveSpec& spec, const FabricSpec& fabric)
    : algorithm_(spec.algorithm),
      dtype_(spec.dtype),
      unicast_class_(npu::unicast_class(fabric)),
      npus_per_switch_(interface_facts(fabric).npus_per_switch),
      planes_(fabric.fred.planes),
      fabric_(fabric),
      size_x_(fabric.size_x),
      size_y_(fabric.size_y),
      torus_(wraps_around(fabric)),
      ramp_cycles_(fabric.local.latency_cycles),
      hop_cycles_(fabric.link.latency_cycles + fabric.router.hop_cycles) {
  for (const FredLevelSpec& level : fabric.fred.levels) {
    switch_groups_.push_back(static_cast<std::uint32_t>(level.groups));
  }
  if (algorithm_ == "auto") {
    table_ = AlgorithmTable::load(spec.algorithm_table);
    table_->require_fabric(fabric);
  }
  if (algorithm_ != "file") return;
  file_ = spec.algorithm_file;
  from_file_ = load_program(file_);
  // Network interfaces keep what is sent until it has left, so sends may be taken as never waiting.
  const CheckReport report = check_program(*from_file_, 5, true);
  if (report.ok()) return;
  throw InputError(fmt::format("{}: the program is not sound:\n  {}", file_, fmt::join(report.errors, "\n  ")));
}

const CollectiveSpec& collective_spec(const Config& config) {
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload)) return trace->collective;
  return std::get<CollectiveWorkload>(config.workload).collective;
}

ProgramCache::ProgramCache(const Config& config) : ProgramCache(collective_spec(config), config.fabric) {
  if (!std::holds_alternative<CollectiveWorkload>(config.workload)) return;
  in_trace_ = false;
  const CollectiveSpec& spec = collective_spec(config);
  colours_ = config.fabric.router.colours;
  multicast_ = config.fabric.router.multicast && colours_ == 0;
  elements_ = spec.bytes / element_bytes(spec.dtype);
}

void ProgramCache::use_switches(FlowDirectory& directory, std::vector<SharedGroup> groups,
                                std::function<void(const std::string&)> warn) {
  if (table_ ? !table_->needs_switches() : !algorithm_needs_switches(algorithm_)) return;
  WEFT_CHECK(plans_.empty(), "programs have been made before the switches were known");
  directory_ = &directory;
  flow_groups_ = FlowGroups(std::move(groups), size_x_);
  warn_ = std::move(warn);
}

void ProgramCache::use_phases(const std::vector<SharedGroup>& groups) {
  if (interface_facts(fabric_).entry != Entry::kSwitches || switches_reduce(fabric_)) return;
  WEFT_CHECK(plans_.empty(), "programs have been made before the training phases were known");
  for (const SharedGroup& group : groups) {
    if (group->phase) phases_.insert(class_of_phase(*group->phase));
  }
}

// Messages below one switch have the class of a phase that the workload does not have; PP is that of messages between
// two nodes.
void ProgramCache::use_phase_of(const CommGroup& group, CollectivePlan* plan) const {
  plan->below_class = class_of(TrafficClass::kDp);
  if (phases_.empty() || !group.phase) return;
  plan->phase_class = class_of_phase(*group.phase);
  plan->message_class = class_of(*plan->phase_class);
  plan->below_class = plan->message_class;
  for (const TrafficClass other : {TrafficClass::kDp, TrafficClass::kMp}) {
    if (phases_.count(other) == 0) plan->below_class = class_of(other);
  }
}

std::shared_ptr<const CollectivePlan> ProgramCache::plan(CollectiveKind kind, const CommGroup& group,
                                                         std::uint32_t root, std::uint64_t bytes) {
  return plan_of_entry(kind, group, root, table_ ? table_->entry_for(kind, group.nodes.size(), bytes) : 0);
}

std::shared_ptr<const CollectivePlan> ProgramCache::plan_of_entry(CollectiveKind kind, const CommGroup& group,
                                                                  std::uint32_t root, std::uint32_t entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const CollectivePlan>& plan = plans_[{kind, group.number, root, entry}];
  if (plan == nullptr) {
    plan = make_plan(kind, group, root, entry);
    made_.emplace_back(kind, group.number, root, entry);
  }
  return plan;
}

bool ProgramCache::have_flows(CollectiveKind kind, const CommGroup& group, std::uint32_t root) {
  if (!table_) return plan_of_entry(kind, group, root, 0)->flow_traffic_class.has_value();
  const std::vector<std::uint32_t> entries = table_->entries_for(kind, group.nodes.size());
  return std::any_of(entries.begin(), entries.end(), [&](std::uint32_t entry) {
    return plan_of_entry(kind, group, root, entry)->flow_traffic_class.has_value();
  });
}

void ProgramCache::keep(Checkpoint& checkpoint, const std::vector<SharedGroup>& groups) {
  std::size_t made = made_.size();
  checkpoint.values(made);
  for (std::size_t i = 0; i < made; ++i) {
    CollectiveKind kind{};
    std::uint32_t group = 0;
    std::uint32_t root = 0;
    std::uint32_t entry = 0;
    if (!checkpoint.loads()) std::tie(kind, group, root, entry) = made_[i];
    checkpoint.values(kind, group, root, entry);
    if (checkpoint.loads()) plan_of_entry(kind, *groups.at(group), root, entry);
  }
}

std::shared_ptr<const CollectivePlan> ProgramCache::make_plan(CollectiveKind kind, const CommGroup& group,
                                                              std::uint32_t root, std::uint32_t entry) {
  if (!table_) return plan_by(algorithm_, kind, group, root);
  for (const std::string& algorithm : table_->algorithms(entry)) {
    try {
      return plan_by(algorithm, kind, group, root);
    } catch (const InputError&) {
      // The group does not suit this one; the table has it for another group, or another shape of the same size.
    }
  }
  return plan_by("ring", kind, group, root);
}

std::shared_ptr<const CollectivePlan> ProgramCache::plan_by(const std::string& algorithm, CollectiveKind kind,
                                                            const CommGroup& group, std::uint32_t root) {
  auto plan = std::make_shared<CollectivePlan>();
  plan->algorithm = algorithm;
  plan->message_class = unicast_class_;
  if (!algorithm_needs_switches(algorithm)) plan->switch_nodes = npus_per_switch_;
  use_phase_of(group, plan.get());
  plan->program = make(algorithm, kind, group, root);
  refuse_deadlock(group, *plan->program);
  if (directory_ != nullptr) {
    const std::string reason = number_flows(group, plan.get());
    if (!reason.empty()) use_endpoints(group, reason, plan.get());
  }
  return plan;
}

// Nobody knows which flows a trace has before it is played: each is judged by itself, beside the unicasts that announce
// its collectives.
void ProgramCache::refuse_deadlock(const CommGroup& group, const Program& program) const {
  if (!in_trace_ || !wormhole_between_switches(fabric_) || flows_of(program, group.nodes).empty()) return;
  WormholeLoad load = kFlowOfTrace;
  if (below_one_switch(group, size_x_)) load.crossing_settings = 0;
  const std::string reason = wormhole_deadlock(fabric_, load);
  if (!reason.empty()) throw InputError("fabric.flow_control: " + reason);
}

std::shared_ptr<const Program> ProgramCache::make(const std::string& algorithm, CollectiveKind kind,
                                                  const CommGroup& group, std::uint32_t root) const {
  if (from_file_ != nullptr) {
    const ProgramShape& shape = from_file_->shape();
    const bool fits = shape.kind == kind && shape.ranks == group.nodes.size();
    if (fits && (!kind_has_root(kind) || shape.root == root)) return from_file_;
    throw InputError(fmt::format(
        "{}: the program does {} of {} ranks (root {}); group '{}' wants {} of {} ranks (root {})", file_,
        kind_name(shape.kind), shape.ranks, shape.root, group.name, kind_name(kind), group.nodes.size(), root));
  }
  if (colours_ == 0 && algorithm_needs_colours(algorithm)) {
    throw InputError(fmt::format(
        "algorithm {} adds in the routers, on routes that are set up before the run: it needs fabric.router.colours of "
        "2 or more, and a single collective as workload",
        algorithm));
  }
  if (algorithm_needs_switches(algorithm) && !switches_reduce(fabric_)) {
    throw InputError(fmt::format("algorithm {} adds in the switches of a FRED fabric; {}", algorithm,
                                 npus_per_switch_ > 0
                                     ? "those of this one only carry unicasts (fabric.in_switch: false)"
                                     : "this fabric has none (fabric.kind)"));
  }
  if (table_) require_capable_switches(algorithm, kind);
  return make_program(algorithm, request_for(kind, group, root));
}

// A configuration that names such an algorithm is refused for this; a table of algorithms goes on to the next.
void ProgramCache::require_capable_switches(const std::string& algorithm, CollectiveKind kind) const {
  if (!algorithm_needs_switches(algorithm) || !kind_reduces(kind)) return;
  const std::vector<DataType>& formats = fabric_.fred.formats;
  const bool is_narrow = dtype_ == DataType::kFp16 || dtype_ == DataType::kBf16;
  const bool known = std::find(formats.begin(), formats.end(), dtype_) != formats.end();
  if (known && (is_narrow || !fabric_.fred.fp32_accumulation)) return;
  throw InputError(fmt::format("algorithm {}: the switches do not reduce {}", algorithm, name_of(dtype_)));
}

ProgramRequest ProgramCache::request_for(CollectiveKind kind, const CommGroup& group, std::uint32_t root) const {
  ProgramRequest request;
  request.kind = kind;
  request.ranks = static_cast<std::uint32_t>(group.nodes.size());
  request.root = root;
  request.nodes = group.nodes;
  request.size_x = size_x_;
  request.size_y = size_y_;
  request.torus = torus_;
  request.switch_groups = switch_groups_;
  request.planes = planes_;
  request.colours = colours_;
  request.elements = elements_;
  request.ramp_cycles = ramp_cycles_;
  request.hop_cycles = hop_cycles_;
  return request;
}

// Asks for the numbers of a program's flows. Returns why it can have none, "" if it has them or needs none.
std::string ProgramCache::number_flows(const CommGroup& group, CollectivePlan* plan) {
  const ProgramShape& shape = plan->program->shape();
  const std::size_t count = flows_of(*plan->program, group.nodes).size();
  if (count == 0) return "";
  const bool barrier = shape.kind == CollectiveKind::kBarrier;
  const auto traffic_class = flow_groups_.traffic_class(group.number, barrier);
  if (!traffic_class) {
    const std::string rival = flow_groups_.rival(group.number, barrier);
    return fmt::format("some of its ranks are in group '{}', too, whose flows have the traffic classes", rival);
  }
  // All groups of the phase do the same at the same time, each with the root at the same position.
  const std::vector<SharedGroup>& phase = flow_groups_.phase(group.number, barrier);
  std::vector<std::vector<FabricFlow>> flows(count);  // by number: of every group
  std::size_t which = 0;
  for (std::size_t i = 0; i < phase.size(); ++i) {
    const bool own = phase[i]->number == group.number;
    if (own) which = i;
    const auto program = own ? plan->program : make(plan->algorithm, shape.kind, *phase[i], shape.root);
    const std::vector<FabricFlow> its = flows_of(*program, phase[i]->nodes);
    for (std::size_t f = 0; f < count; ++f) flows[f].push_back(its.at(f));
  }
  for (const std::vector<FabricFlow>& together : flows) {
    plan->flows.push_back(directory_->number_of(together, which));
    if (plan->flows.back() == kNoFlow) return "the switches do not route its flows";
  }
  plan->flow_traffic_class = traffic_class;
  return "";
}

// The best that unicasts can do.
void ProgramCache::use_endpoints(const CommGroup& group, const std::string& reason, CollectivePlan* plan) {
  const ProgramShape shape = plan->program->shape();
  const ProgramRequest request = request_for(shape.kind, group, shape.root);
  plan->flows.clear();
  plan->algorithm = "two_level_ring";
  try {
    plan->program = make_program(plan->algorithm, request);
  } catch (const InputError&) {  // not this kind, or no grid
    plan->algorithm = "ring";
    plan->program = make_program(plan->algorithm, request);
  }
  if (!warn_) return;
  warn_(fmt::format("group '{}': {} is carried out by the endpoints ({}), because {}", group.name,
                    kind_name(shape.kind), plan->algorithm, reason));
}

}  // namespace weft::npu
