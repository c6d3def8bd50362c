// SPDX-License-Identifier: Apache-2.0
// What synthetic traffic, a single collective or a phase of them, streams and traces put on the fabric.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "config/config.h"
#include "npu/player/group_table.h"
#include "npu/trace/trace_node.h"
#include "runs/estimate/access_volume.h"
#include "runs/estimate/collective_volume.h"

namespace weft::runs {

/// Packets of synthetic traffic that are enough to know how far they go, and for an answer at once.
inline constexpr double kCountedPackets = 200e3;
inline constexpr double kQuicklyCountedPackets = 5e3;

/// Counts any workload but a trace.
SentVolume workload_volume(const Config& config, sc_models::FabricSketch& sketch,
                           double most_packets = kCountedPackets);

/// Counts a trace, node by node.
class TraceTraffic {
 public:
  /// `config` has a trace. The references outlive the object. Throws InputError for groups that cannot be used.
  TraceTraffic(const Config& config, sc_models::FabricSketch& sketch);

  /// Any node of the trace, with its group if it has one.
  void add(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group);
  /// Once all nodes are known to be playable.
  SentVolume volume();

 private:
  using Collective = std::tuple<CollectiveKind, std::uint32_t, std::uint64_t>;  ///< kind, number of the group, bytes
  using Access = std::tuple<bool, std::uint32_t, std::uint64_t>;                ///< store, number of the group, bytes

  void add_access(RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group);

  const Config& config_;
  sc_models::FabricSketch& sketch_;
  std::vector<npu::SharedGroup> groups_;
  MessageCounter counter_;
  std::unique_ptr<AccessVolumes> accesses_;   ///< null = loads and stores are not carried by the fabric
  std::map<Collective, double> collectives_;  ///< how often one member has it
  std::map<Access, double> shared_;           ///< the same, of what the members load or store together
  SentVolume alone_;                          ///< messages, and loads and stores of single ranks
};

}  // namespace weft::runs
