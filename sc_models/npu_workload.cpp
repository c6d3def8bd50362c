// SPDX-License-Identifier: Apache-2.0
// Traces and collectives as a workload: one NPU per rank.
#include <fmt/format.h>

#include <algorithm>

#include "npu/player/npu_array.h"
#include "sc_models/memory/io_memory.h"
#include "sc_models/memory/local_memories.h"
#include "sc_models/memory/remote_ports.h"
#include "sc_models/workload.h"

namespace weft::sc_models {
namespace {

/// Most sentences about waiting NPUs in a report.
constexpr std::size_t kMaxSentences = 20;

std::string lines_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

class NpuRun final : public Workload {
 public:
  NpuRun(System& system, bool watched, ActivityProbe* activities)
      : system_(system),
        io_(system.config().memory.tensors == TensorMemory::kIo ? std::make_unique<IoMemory>(system) : nullptr),
        remote_(system.config().memory.tensors == TensorMemory::kRemote ? std::make_unique<RemotePorts>(system)
                                                                        : nullptr),
        local_(system.config().memory.timing.empty() ? nullptr : std::make_unique<LocalMemories>(system)),
        npus_(
            system.npu_config(), [this](NodeId node) -> npu::NetworkInterface& { return interface_of(node); },
            system.fabric().flows(), ports(),
            [this](NodeId node) { return local_ ? &local_->at(interface_below(node)) : nullptr; }, activities,
            // The routes are set up for the programs that are best in cycles of the fabric.
            std::make_unique<npu::ProgramCache>(system.config())) {
    if (!watched) return;
    npus_.set_state_listener([this](NodeId node, Cycle now, const NodeActivity& activity) {
      std::uint32_t number = 0;
      system_.part_of(node, &number).probe->node_activity(now, node, activity);
    });
  }

  void start() override { npus_.start(); }
  bool done() override {
    if (remote_) remote_->end_of_cycle();
    if (io_) io_->end_of_cycle();
    return npus_.finished();
  }
  bool look_further() override { return npus_.look_further(); }
  double share(Cycle) const override { return npus_.share(); }

  Cycle done_cycle(Cycle) const override {
    Cycle last = 0;
    for (std::size_t rank = 0; rank < npus_.ranks(); ++rank) last = std::max(last, statistics(rank).finish_cycle);
    const Clock& npu_clock = system_.npu_clock().clock();
    return system_.fabric_clock().clock().first_edge_from(npu_clock.edge_fs(last));
  }

  std::vector<RunningCollective> running(Cycle now) const override {
    std::vector<RunningCollective> list;
    for (const npu::CollectiveSummary& c : npus_.collectives(npu_cycle(now))) {
      if (!c.finished) list.push_back({c.name, c.group, c.algorithm, c.bytes, c.start_cycle});
    }
    return list;
  }

  std::string waiting_report() const override { return lines_of(npus_.waiting_for(kMaxSentences)); }
  std::string left_over() const override { return lines_of(npus_.left_over(kMaxSentences)); }

  std::vector<std::string> group_names() const override { return npus_.group_names(); }
  std::vector<std::string> group_phases() const override { return npus_.group_phases(); }

  void set_access_probe(AccessProbe* probe) override {
    if (io_) io_->set_probe(probe);
    if (local_) local_->set_probe(probe);
  }

  npu::Episodes* episodes() override { return npus_.episodes(); }

  void keep(Checkpoint& checkpoint) override {
    if (remote_) Checkpoint::refuse("loads and stores of remote memory are not kept");
    if (local_) Checkpoint::refuse("memories whose timing is simulated are not kept");
    npus_.keep(checkpoint);
  }

  void collect(Cycle now, RunResult* result) override {
    add_messages(system_, result);
    npus_.stop(npu_cycle(now));
    for (const npu::CollectiveSummary& row : npus_.collectives(npu_cycle(now))) {
      result->collectives.push_back({row.name, row.kind, row.algorithm, row.group, row.members, row.bytes,
                                     row.start_cycle, row.end_cycle, row.finished});
    }
    for (std::size_t rank = 0; rank < npus_.ranks(); ++rank) {
      const npu::RankStatistics& rank_statistics = statistics(rank);
      result->ranks.push_back({rank_statistics.finish_cycle, rank_statistics.compute_cycles,
                               rank_statistics.exposed_comm_cycles, rank_statistics.compute_nodes,
                               rank_statistics.memory_bound_nodes, rank_statistics.memory_wait_cycles,
                               npus_.npu(RankId(static_cast<std::uint32_t>(rank))).finished()});
    }
    for (const std::string& warning : npus_.warnings()) result->warnings.push_back(warning);
    if (io_) io_->collect(npu_cycle(now), result);
    if (remote_) remote_->collect(result);
    if (local_) local_->collect(result);
    result->verified_collectives = npus_.verified_collectives();
  }

 private:
  /// A cycle of the fabric's clock in those of the NPUs'.
  Cycle npu_cycle(Cycle now) const {
    return system_.npu_clock().clock().first_edge_from(system_.fabric_clock().clock().edge_fs(now));
  }
  const npu::RankStatistics& statistics(std::size_t rank) const {
    return npus_.npu(RankId(static_cast<std::uint32_t>(rank))).statistics();
  }

  System& system_;
  npu::MemoryPorts* ports() {
    if (io_) return io_.get();
    return remote_.get();
  }

  /// The interface of a node without its DRAM, which others may share.
  npu::NetworkInterface& interface_below(NodeId node) {
    return io_ ? io_->npu_interface(node) : system_.interface(node);
  }
  npu::NetworkInterface& interface_of(NodeId node) {
    if (local_) return local_->at(interface_below(node));
    return interface_below(node);
  }

  // Where loads and stores go; both null = they stay in the NPUs.
  std::unique_ptr<IoMemory> io_;
  std::unique_ptr<RemotePorts> remote_;
  std::unique_ptr<LocalMemories> local_;  ///< null = the memory of NPUs is a plain limit of bandwidth
  npu::NpuArray npus_;
};

}  // namespace

void add_messages(System& system, RunResult* result) {
  for (const SystemPart& part : system.parts()) {
    const npu::MessageStatistics& statistics = part.messages->statistics();
    result->latency.merge(statistics.latency);
    result->network_latency.merge(statistics.network_latency);
    result->hops += statistics.hops;
    result->packets += statistics.packets_received;
    result->flits += statistics.flits_received;
  }
}

std::unique_ptr<Workload> make_npu_workload(System& system, FabricProbe* probe, ActivityProbe* activities) {
  return std::make_unique<NpuRun>(system, probe != nullptr, activities);
}

}  // namespace weft::sc_models
