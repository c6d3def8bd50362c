// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/collective_volume.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/random.h"
#include "config/chunks.h"
#include "npu/collective/form/values.h"
#include "sc_models/colour_routes.h"
#include "sc_models/multicast_trees.h"

namespace weft::runs {
namespace {

/// As CollectiveJob: what does not divide into elements goes byte by byte.
std::uint64_t unit_of(const CollectiveSpec& spec, std::uint64_t bytes) {
  const std::uint64_t element = element_bytes(spec.dtype);
  return bytes % element == 0 ? element : 1;
}

/// What an instruction sends.
const npu::Slice& slice_of(const npu::Instruction& in) { return in.op == npu::Op::kRecvCopySend ? in.dst : in.src; }

/// The seed of the sample: any, as long as it is always the same.
constexpr std::uint64_t kSampleSeed = 1;

}  // namespace

/// One collective while it is counted.
struct CollectiveVolumes::Run {
  Run(const npu::CollectivePlan& its_plan, const npu::CommGroup& its_group, const npu::Geometry& sizes,
      std::uint64_t element)
      : plan(its_plan), group(its_group), geometry(sizes), unit(element) {}
  const npu::CollectivePlan& plan;
  const npu::CommGroup& group;
  npu::Geometry geometry;
  std::uint64_t unit;
  bool coloured = false;  ///< messages with a colour have been counted
  std::set<std::pair<int, std::uint32_t>> flows;
  SentVolume volume;
};

CollectiveVolumes::CollectiveVolumes(const Config& config, sc_models::FabricSketch& sketch,
                                     std::vector<npu::SharedGroup> groups)
    : config_(config), sketch_(sketch), programs_(config), counter_(config, sketch) {
  if (sketch.flows() == nullptr) return;
  programs_.use_switches(*sketch.flows(), std::move(groups), [](const std::string&) {});
}

SentVolume CollectiveVolumes::of(CollectiveKind kind, const npu::CommGroup& group, std::uint64_t bytes,
                                 std::uint32_t root, double share) {
  const CollectiveSpec& spec = npu::collective_spec(config_);
  const std::shared_ptr<const npu::CollectivePlan> plan = programs_.plan(kind, group, root, bytes);
  const std::uint64_t unit = unit_of(spec, bytes);
  const std::uint64_t elements = kind == CollectiveKind::kBarrier ? 0 : bytes / unit;
  const int chunks = chunks_of(spec, bytes);
  Run run(*plan, group, npu::Geometry(plan->program->shape(), elements, static_cast<std::uint32_t>(chunks)), unit);
  if (programs_.colours() > 0) add_coloured(run);
  // A step takes as long as its chunks and the route of its message.
  const double each = 1 + 0.1 * chunks + 0.02 * sketch_.longest();
  add_steps(run, std::max(1000.0, kCountedSteps * share / each));
  if (!plan->flows.empty() && std::holds_alternative<TraceWorkload>(config_.workload)) add_announcements(run);
  return run.volume;
}

MessageSize CollectiveVolumes::size(const Run& run, std::uint32_t rank, const npu::Instruction& in) const {
  MessageSize size;
  for (std::uint32_t chunk = 0; chunk < run.geometry.chunks(); ++chunk)
    size.add(counter_.size(run.geometry.elements(rank, slice_of(in), chunk) * run.unit));
  return size;
}

void CollectiveVolumes::add_coloured(Run& run) {
  run.coloured = true;
  sc_models::visit_coloured(
      *run.plan.program, run.group.nodes, config_.fabric,
      [&](const sc_models::ColouredMessage& message, const std::vector<sc_models::RouteTree::Use>& uses) {
        double outputs = 0;
        double receivers = 0;
        for (const sc_models::RouteTree::Use& use : uses) {
          outputs += __builtin_popcount(use.outputs);
          if ((use.outputs >> index(network::kLocal) & 1) != 0) ++receivers;
        }
        MessageCounter::add_tree(run.volume, size(run, message.rank, message.instruction), outputs, receivers);
      });
}

void CollectiveVolumes::add_steps(Run& run, double most) {
  const npu::Program& program = *run.plan.program;
  std::uint64_t all = 0;
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) all += program.length(rank);
  run.volume.steps += static_cast<double>(all) * run.geometry.chunks();
  // Flows are counted at the first rank that has them, so all ranks must be seen.
  const bool whole = static_cast<double>(all) <= most || !run.plan.flows.empty();
  const auto samples = whole ? all : static_cast<std::uint64_t>(most);
  std::uint32_t rank = 0;
  std::uint64_t first = 0;  // number of the rank's first step among those of all ranks
  for (std::uint64_t i = 0; i < samples; ++i) {
    // One step out of each of as many even stretches.
    const auto from = static_cast<std::uint64_t>(static_cast<UInt128>(all) * i / samples);
    const auto to = static_cast<std::uint64_t>(static_cast<UInt128>(all) * (i + 1) / samples);
    const std::uint64_t step = from + random_bits(kSampleSeed, 0, i) % (to - from);
    while (step - first >= program.length(rank)) first += program.length(rank++);
    add_step(run, rank, static_cast<std::uint32_t>(step - first),
             static_cast<double>(all) / static_cast<double>(samples));
  }
}

void CollectiveVolumes::add_step(Run& run, std::uint32_t rank, std::uint32_t number, double times) {
  const npu::Instruction in = run.plan.program->at(rank, number);
  if (run.coloured && in.hints.colour >= 0) return;
  if (in.op == npu::Op::kFlow) return add_flow(run, rank, in);
  if (!npu::op_sends(in.op)) return;
  run.volume.sampled |= times > 1;
  const MessageSize sent = size(run, rank, in);
  const NodeId sender = run.group.nodes[rank];
  if (in.to.size() > 1 && programs_.multicast()) {
    const auto receivers = static_cast<double>(in.to.size());
    return MessageCounter::add_tree(run.volume, sent, tree_of(sender), receivers, times);
  }
  for (const std::uint32_t to : in.to) counter_.add(run.volume, sent, sender, run.group.nodes[to], times);
}

// All members take part in one flow; the switches add what they send.
void CollectiveVolumes::add_flow(Run& run, std::uint32_t rank, const npu::Instruction& in) {
  if (run.plan.flows.empty() || in.src.count == 0) return;
  if (!run.flows.emplace(in.hints.flow, in.send_tag).second) return;
  const std::uint32_t flow = run.plan.flows[static_cast<std::size_t>(in.hints.flow)];
  MessageCounter::add_tree(run.volume, size(run, rank, in), sketch_.flow_outputs(flow), sketch_.flow_receivers(flow));
}

// The first member tells the others in which order they start collectives that have flows.
void CollectiveVolumes::add_announcements(Run& run) {
  for (std::size_t i = 1; i < run.group.nodes.size(); ++i)
    counter_.add(run.volume, counter_.size(0), run.group.nodes.front(), run.group.nodes[i]);
}

double CollectiveVolumes::tree_of(NodeId sender) {
  if (!trees_) trees_ = sc_models::multicast_plan_of(config_);
  return outputs_of(trees_->trees.at(sender));
}

}  // namespace weft::runs
