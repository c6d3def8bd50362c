// SPDX-License-Identifier: Apache-2.0
// Makes the nodes of one rank's graph.
#pragma once

#include <string>
#include <vector>

#include "npu/trace/trace_node.h"

namespace weft::npu {

/// Nodes of one rank, numbered as they are added. Dependencies are ids that have been given out before, in any order
/// and repeated at will. Operations and bytes are those of the whole model; the nodes get them divided by `scale`.
class GraphBuilder {
 public:
  using Id = std::uint64_t;
  using Ids = std::vector<Id>;

  /// `element_bytes`: bytes that move are rounded up to a multiple of it where they are divided.
  GraphBuilder(std::uint64_t scale, std::uint64_t element_bytes) : scale_(scale), element_bytes_(element_bytes) {}

  /// The names of all further nodes begin with `prefix`.
  void begin_names_with(const std::string& prefix) { prefix_ = prefix; }

  /// `bytes` that the computation reads and writes.
  Id compute(const std::string& name, std::uint64_t ops, std::uint64_t bytes, Ids deps);
  struct Group {
    std::string name;
    std::uint64_t ranks = 1;
  };
  /// `bytes` as Chakra's comm_size; an all-to-all sends as much to every rank of the group. In a group of one rank
  /// nothing is added: gives back `deps`.
  Ids collective(const std::string& name, CollectiveKind kind, std::uint64_t bytes, const Group& group,
                 std::uint32_t priority, Ids deps);
  Id send(const std::string& name, RankId dst, std::uint64_t bytes, std::uint64_t tag, Ids deps);
  Id receive(const std::string& name, RankId src, std::uint64_t bytes, std::uint64_t tag, Ids deps);
  /// A load: with a group of several ranks one tensor for all of them.
  Id load(const std::string& name, std::uint64_t bytes, const Group& group, Ids deps);
  /// A store: with a group of several ranks the sum of their tensors.
  Id store(const std::string& name, std::uint64_t bytes, const Group& group, Ids deps);

  /// All nodes; the builder is empty afterwards.
  std::vector<TraceNode> take() { return std::move(nodes_); }

 private:
  std::uint64_t scaled_bytes(std::uint64_t bytes) const;
  Id add(TraceNode node, Ids deps);
  Id message(TraceNode node, std::uint64_t bytes, std::uint64_t tag, Ids deps);
  Id memory(TraceNodeType type, const std::string& name, std::uint64_t bytes, const Group& group, Ids deps);

  std::uint64_t scale_;
  std::uint64_t element_bytes_;
  std::string prefix_;
  std::vector<TraceNode> nodes_;
};

}  // namespace weft::npu
