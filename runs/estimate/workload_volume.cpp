// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/workload_volume.h"

#include <algorithm>
#include <cmath>

#include "base/position_of.h"
#include "base/random.h"
#include "npu/player/node_rules.h"
#include "npu/player/workload_check.h"
#include "npu/traffic/pattern.h"

namespace weft::runs {
namespace {

/// How many routers are looked at, at most, to find how far synthetic traffic goes.
constexpr double kCountedHops = 4e6;

SentVolume volume_of_traffic(const Config& config, const TrafficWorkload& traffic,
                             const sc_models::FabricSketch& sketch, double most_packets) {
  const auto nodes = static_cast<std::uint64_t>(config.fabric.nodes());
  const auto pattern = npu::make_pattern(traffic, config.fabric.size_x, config.fabric.size_y);
  const auto samples = static_cast<std::uint64_t>(std::clamp(kCountedHops / sketch.longest(), 1e3, most_packets));
  // Whole rounds over all sources, or sources spread evenly.
  const std::uint64_t draws = samples >= nodes ? samples / nodes * nodes : samples;
  double hops = 0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t first = draws >= nodes ? i % nodes : nodes * i / draws;
    const std::uint64_t stretch = draws >= nodes ? 1 : std::max<std::uint64_t>(1, nodes * (i + 1) / draws - first);
    const NodeId source{static_cast<std::uint32_t>(first + random_bits(config.seed, 0, i) % stretch)};
    RandomStream random(config.seed, source, i);
    const NodeId destination = pattern->destination(source, random);
    hops += sketch.hops(source, destination, random.bits());
  }
  const double cycles = static_cast<double>(traffic.warmup_cycles) + static_cast<double>(traffic.measure_cycles);
  SentVolume volume;
  volume.flits = static_cast<double>(nodes) * traffic.rate * cycles;
  volume.packets = volume.flits / traffic.packet_flits;
  volume.flit_hops = volume.flits * hops / static_cast<double>(draws);
  volume.packet_hops = volume.packets * hops / static_cast<double>(draws);
  volume.sampled = true;
  return volume;
}

std::vector<npu::SharedGroup> of_several(const std::vector<npu::SharedGroup>& groups) {
  std::vector<npu::SharedGroup> several;
  std::copy_if(groups.begin(), groups.end(), std::back_inserter(several),
               [](const npu::SharedGroup& group) { return group->nodes.size() > 1; });
  return several;
}

SentVolume volume_of_collective(const Config& config, const CollectiveWorkload& workload,
                                sc_models::FabricSketch& sketch) {
  const CollectiveSpec& spec = workload.collective;
  npu::TraceNode node;
  node.collective = spec.kind;
  node.comm_bytes = spec.bytes;
  std::vector<npu::SharedGroup> groups;
  std::vector<std::uint32_t> roots;
  for (const npu::ProcessGroup& group : npu::groups_of_collective(workload, config.npu.placement.size())) {
    if (npu::moves_nothing(node, group)) continue;
    const auto root = workload.parallelism.empty() ? position_of(group.members, spec.root) : std::nullopt;
    groups.push_back(std::make_shared<const npu::CommGroup>(npu::comm_group(group, config.npu.placement)));
    roots.push_back(static_cast<std::uint32_t>(root.value_or(0)));
  }
  SentVolume volume;
  CollectiveVolumes volumes(config, sketch, groups);
  for (std::size_t i = 0; i < groups.size(); ++i)
    volume.add(volumes.of(spec.kind, *groups[i], spec.bytes, roots[i], 1.0 / static_cast<double>(groups.size())));
  return volume;
}

}  // namespace

SentVolume workload_volume(const Config& config, sc_models::FabricSketch& sketch, double most_packets) {
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload))
    return volume_of_traffic(config, *traffic, sketch, most_packets);
  if (const auto* collective = std::get_if<CollectiveWorkload>(&config.workload))
    return volume_of_collective(config, *collective, sketch);
  return volume_of_streams(config, sketch);
}

TraceTraffic::TraceTraffic(const Config& config, sc_models::FabricSketch& sketch)
    : config_(config),
      sketch_(sketch),
      groups_(npu::comm_groups(npu::groups_of_trace(std::get<TraceWorkload>(config.workload)), config.npu.placement)),
      counter_(config, sketch) {
  if (config.memory.tensors == TensorMemory::kIo) accesses_ = std::make_unique<AccessVolumes>(config, sketch, groups_);
}

void TraceTraffic::add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
  if (node.type == npu::TraceNodeType::kCollective) {
    if (group != nullptr && !npu::moves_nothing(node, *group))
      ++collectives_[{*node.collective, group->number, node.comm_bytes}];
    return;
  }
  const std::vector<NodeId>& placement = config_.npu.placement;
  if (node.type == npu::TraceNodeType::kSend && node.dst && index(*node.dst) < placement.size())
    counter_.add(alone_, counter_.size(node.comm_bytes), placement[index(rank)], placement[index(*node.dst)]);
  if (npu::is_memory(node.type) && accesses_ != nullptr) add_access(rank, node, group);
}

// What is not copied or summed on its way is loaded or stored in parts, which the members exchange.
void TraceTraffic::add_access(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
  const std::uint64_t bytes = node.tensor_bytes.value_or(0);
  const bool store = node.type == npu::TraceNodeType::kMemStore;
  if (bytes == 0) return;
  const NodeId sender = config_.npu.placement[index(rank)];
  if (group == nullptr || group->members.size() == 1) return alone_.add(accesses_->of_node(sender, store, bytes));
  if (accesses_->together(*groups_.at(group->number), store)) {
    ++shared_[{store, group->number, bytes}];
    return;
  }
  const std::uint64_t part = npu::part_of(bytes, *group, rank);
  if (part > 0) alone_.add(accesses_->of_node(sender, store, part));
  const CollectiveKind kind = store ? CollectiveKind::kReduceScatter : CollectiveKind::kAllGather;
  ++collectives_[{kind, group->number, store ? bytes : bytes / group->members.size()}];
}

SentVolume TraceTraffic::volume() {
  SentVolume volume = alone_;
  CollectiveVolumes volumes(config_, sketch_, of_several(groups_));
  for (const auto& [key, members] : collectives_) {
    const npu::CommGroup& group = *groups_.at(std::get<1>(key));
    const double times = members / static_cast<double>(group.nodes.size());
    const double share = 1.0 / static_cast<double>(collectives_.size());
    volume.add(volumes.of(std::get<0>(key), group, std::get<2>(key), 0, share), times);
  }
  for (const auto& [key, members] : shared_) {
    const npu::CommGroup& group = *groups_.at(std::get<1>(key));
    volume.add(accesses_->of_group(group, std::get<0>(key), std::get<2>(key)),
               members / static_cast<double>(group.nodes.size()));
  }
  return volume;
}

}  // namespace weft::runs
