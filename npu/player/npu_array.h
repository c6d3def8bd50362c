// SPDX-License-Identifier: Apache-2.0
// All NPUs of a run that plays a trace or a collective: reads the workload and places its ranks. Start here to see how
// the parts of an NPU are joined.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config/config.h"
#include "npu/player/collective_summary.h"
#include "npu/player/npu.h"
#include "npu/trace/chakra_feeder.h"

namespace weft::npu {

/// The NPUs of a workload, one per rank, on the network interfaces of their nodes (`npu.placement`).
///
/// What ranks share is read-only (groups, programs) or judges from outside (value check); they may be stepped by
/// different threads. The functions without "start" in their name look at all NPUs and are to be called between cycles.
class NpuArray {
 public:
  using NetworkOf = std::function<NetworkInterface&(NodeId)>;
  using LocalOf = std::function<LocalMemory*(NodeId)>;

  /// Opens the traces, or makes the collective. `config.workload` is a trace or a collective, `config.npu.placement`
  /// complete; `config` and the interfaces outlive the array. Throws InputError for unusable traces, groups, sizes.
  /// `switches`: who numbers flows in FRED switches; outlives the array; null = the fabric has none. Needed by
  /// algorithm in_switch.
  /// `memory`: who carries out loads and stores; outlives the array; null = the NPUs' own model.
  /// `local`: the memory of an NPU whose bandwidth is simulated; none = a plain limit.
  /// `activities`: who is told what NPUs have done; outlives the array; null = nobody.
  /// `programs`: where the programs come from, if `config` counts cycles of another clock than the fabric's; null =
  /// they are made for `config`.
  NpuArray(const Config& config, const NetworkOf& network, FlowDirectory* switches = nullptr,
           MemoryPorts* memory = nullptr, const LocalOf& local = {}, ActivityProbe* activities = nullptr,
           std::unique_ptr<ProgramCache> programs = nullptr);
  NpuArray(const NpuArray&) = delete;
  NpuArray& operator=(const NpuArray&) = delete;

  /// Starts all ranks; to be called in cycle 0.
  void start();
  /// True when all ranks have finished. Cheap where the ranks that finish last are few.
  bool finished();
  std::size_t ranks() const { return npus_.size(); }
  /// The run ends in cycle `now`; those that have not finished count up to it.
  void stop(Cycle now);
  const Npu& npu(RankId rank) const { return *npus_.at(index(rank)); }

  /// Share of the known nodes that have finished, 0..1; a collective under way counts by what is done of it. Known is
  /// the part of each trace that has been read so far.
  double share() const;
  /// Lets all traces be read beyond their look-ahead; true if that made work. To be tried once nothing moves any more,
  /// before that is called a deadlock.
  bool look_further();
  /// Who waits for what, at most `most` sentences and one that counts the rest; ranks that follow each other and wait
  /// for the same share one. After the end: messages left over.
  std::vector<std::string> waiting_for(std::size_t most) const;
  /// What is half done although all ranks have finished and nothing moves any more: collectives that not all members of
  /// their group have issued, messages that nobody has received; at most `most` sentences and one that counts the rest.
  /// Empty after a sound workload.
  std::vector<std::string> left_over(std::size_t most) const;
  /// Collectives of all ranks, in order of start.
  std::vector<CollectiveSummary> collectives(Cycle now) const;
  /// Names of all groups, by number.
  std::vector<std::string> group_names() const;
  /// Their training phases; "" where nobody says.
  std::vector<std::string> group_phases() const;
  /// Collectives whose results have been compared and were right (`data: values`).
  std::uint64_t verified_collectives() const { return values_ == nullptr ? 0 : values_->verified(); }
  /// Writes into `checkpoint` what the NPUs share, or takes it from there. The NPUs themselves are kept by their
  /// network interfaces.
  void keep(Checkpoint& checkpoint);
  /// Writes down what players of a trace do, where rates may be steady; null = nobody does.
  Episodes* episodes() { return episodes_.get(); }
  /// What the trace readers have to say, sorted.
  std::vector<std::string> warnings() const;
  /// `listener(node, cycle, activity)` is called when what an NPU does changes, see Npu::activity.
  void set_state_listener(const std::function<void(NodeId, Cycle, const NodeActivity&)>& listener);

 private:
  void read_trace(const TraceWorkload& workload);
  void make_collective(const CollectiveWorkload& workload);
  void make_phase(const CollectiveWorkload& workload, std::uint32_t ranks);
  void use_groups(GroupTable groups);
  void use_switches(FlowDirectory& switches);
  void warn(const std::string& text);
  void make_npus(const NetworkOf& network, const CollectiveSpec& spec, MemoryPorts* memory, const LocalOf& local,
                 ActivityProbe* activities);
  std::uint64_t known_nodes(std::size_t rank) const;
  CollectiveMerger merged_collectives() const;
  std::string describe(const HalfDoneCollective& collective) const;

  const Config& config_;
  std::unique_ptr<GroupTable> groups_;
  CommGroups comm_groups_;
  std::unique_ptr<ProgramCache> programs_;
  std::unique_ptr<ValueCheck> values_;
  std::vector<std::uint32_t> groups_in_use_;  ///< numbers; empty = any
  std::optional<RankId> root_;
  std::deque<TraceNode> nodes_;                        ///< trace nodes of a workload of one collective, by group
  std::vector<std::unique_ptr<TraceFeeder>> feeders_;  ///< until their NPUs take them over
  std::vector<const ChakraFeeder*> trace_feeders_;     ///< feeders that read a trace, kept for progress
  std::unique_ptr<Episodes> episodes_;
  std::unique_ptr<const NpuSetup> setup_;
  std::vector<std::unique_ptr<Npu>> npus_;
  std::size_t first_unfinished_ = 0;
  mutable std::mutex warnings_mutex_;
  std::vector<std::string> warnings_;
};

}  // namespace weft::npu
