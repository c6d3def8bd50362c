// SPDX-License-Identifier: Apache-2.0
// One node of a workload graph, whatever file it came from, and the feeder that hands out ready nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/checkpoint.h"
#include "config/config.h"

namespace weft::npu {

enum class TraceNodeType { kMetadata, kMemLoad, kMemStore, kCompute, kSend, kRecv, kCollective };

/// A node with its attributes decoded; absent attributes are nullopt.
struct TraceNode {
  std::uint64_t id = 0;
  std::string name;
  TraceNodeType type = TraceNodeType::kMetadata;
  std::vector<std::uint64_t> deps;  ///< data and control dependencies, each id once
  std::uint64_t duration_us = 0;    ///< recorded duration, microseconds
  bool is_cpu_op = false;
  std::optional<std::uint64_t> num_ops;       ///< floating-point operations
  std::optional<std::uint64_t> tensor_bytes;  ///< attribute tensor_size; of a load or store, what it moves
  // Communication.
  std::optional<CollectiveKind> collective;  ///< collectives only
  bool assumed_kind = false;                 ///< the file names no kind (host-side launch); all-reduce is assumed
  std::uint64_t comm_bytes = 0;              ///< attribute comm_size
  std::uint32_t priority = 0;
  /// Process group name. Communication: "" and "0" = all ranks. Loads: the members load one and the same tensor;
  /// stores: each member has a tensor to be summed on its way out; "" = the rank alone, "0" = all ranks.
  std::string group;
  std::vector<bool> involved_dims;
  std::optional<RankId> src;  ///< receives
  std::optional<RankId> dst;  ///< sends
  std::uint64_t tag = 0;
};

/// True for collectives, sends and receives.
inline bool is_communication(TraceNodeType type) {
  return type == TraceNodeType::kSend || type == TraceNodeType::kRecv || type == TraceNodeType::kCollective;
}
/// True for loads and stores.
inline bool is_memory(TraceNodeType type) {
  return type == TraceNodeType::kMemLoad || type == TraceNodeType::kMemStore;
}

/// Equal in every field.
bool operator==(const TraceNode& a, const TraceNode& b);

/// Hands out the nodes of one rank as their dependencies finish. Memory is bounded by the live window.
class TraceFeeder {
 public:
  virtual ~TraceFeeder() = default;
  /// A node whose dependencies have all finished, in file order among those known to be ready; nullopt = none now.
  virtual std::optional<TraceNode> pop_ready() = 0;
  /// Says that a node given out by pop_ready has finished.
  virtual void finish(std::uint64_t id) = 0;
  /// True when every node of the file has been given out and has finished.
  virtual bool done() = 0;
  /// Reads beyond the look-ahead, for a run that cannot go on otherwise: true if a node has become ready by it.
  virtual bool look_further() { return false; }
  /// From here on what is read is remembered, so that `keep` can load a state from before it was read; or no longer.
  virtual void remember(bool /*remembers*/) {}
  /// Writes its state into `checkpoint`, or takes it from there.
  virtual void keep(Checkpoint& /*checkpoint*/) { Checkpoint::refuse("a source of nodes is not kept"); }
};

}  // namespace weft::npu
