// SPDX-License-Identifier: Apache-2.0
// Traces that a test writes down node by node.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "config/load.h"
#include "npu/tracegen/graph_builder.h"
#include "npu/tracegen/trace_generator.h"
#include "tests/support/temp_dir.h"

namespace weft::test {

/// Graphs of all ranks, as a test writes them down.
class Graphs final : public npu::TraceGenerator {
 public:
  using Ids = npu::GraphBuilder::Ids;

  explicit Graphs(std::uint32_t ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) builders_.push_back(std::make_unique<npu::GraphBuilder>(1, 4));
  }
  npu::GraphBuilder& operator[](std::uint32_t rank) { return *builders_[rank]; }
  void add_group(const std::string& name, const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t rank : members) groups_[name].push_back(RankId{rank});
  }
  /// All members of a group issue a collective. Returns the node of each.
  std::vector<Ids> collective(const std::string& group, CollectiveKind kind, std::uint64_t bytes,
                              const std::vector<Ids>& deps = {}) {
    std::vector<Ids> nodes;
    const std::vector<RankId>& members = groups_.at(group);
    for (std::size_t i = 0; i < members.size(); ++i) {
      const Ids before = deps.empty() ? Ids{} : deps[i];
      nodes.push_back((*this)[index(members[i])].collective("c", kind, bytes, {group, members.size()}, 0, before));
    }
    return nodes;
  }
  /// Returns the nodes of the sender and of the receiver.
  std::pair<Ids, Ids> message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, const Ids& before_send = {},
                              const Ids& before_receive = {}) {
    const std::uint64_t tag = tags_++;
    return {{(*this)[from].send("s", RankId{to}, bytes, tag, before_send)},
            {(*this)[to].receive("r", RankId{from}, bytes, tag, before_receive)}};
  }
  /// A rank loads or stores a tensor of its own; with a group all members load or store the same.
  Ids access(std::uint32_t rank, bool store, std::uint64_t bytes, const std::string& group = "", const Ids& deps = {}) {
    const npu::GraphBuilder::Group owner = {group, group.empty() ? 1 : groups_.at(group).size()};
    npu::GraphBuilder& builder = *builders_[rank];
    return {store ? builder.store("w", bytes, owner, deps) : builder.load("w", bytes, owner, deps)};
  }
  /// At 1 TFLOP/s and 1 GHz.
  Ids compute(std::uint32_t rank, Cycle cycles, const Ids& deps = {}) {
    return {(*this)[rank].compute("k", 1000 * cycles, 0, deps)};
  }

  /// The same on the host.
  Ids host(std::uint32_t rank, Cycle cycles, const Ids& deps = {}) {
    const Ids node = {(*this)[rank].compute("h", 1000 * cycles, 0, deps)};
    on_host_.insert({rank, node.front()});
    return node;
  }

  std::uint32_t ranks() const override { return static_cast<std::uint32_t>(builders_.size()); }
  std::map<std::string, std::vector<RankId>> groups() const override { return groups_; }
  std::vector<npu::TraceNode> nodes(RankId rank) const override {
    std::vector<npu::TraceNode> nodes = builders_[index(rank)]->take();
    for (npu::TraceNode& node : nodes) node.is_cpu_op = on_host_.count({index(rank), node.id}) > 0;
    return nodes;
  }

 private:
  std::vector<std::unique_ptr<npu::GraphBuilder>> builders_;
  std::map<std::string, std::vector<RankId>> groups_;
  std::uint64_t tags_ = 0;
  std::set<std::pair<std::uint32_t, std::uint64_t>> on_host_;  ///< rank and node
};

/// A mesh of 4 x 4 NPUs that plays `graphs`, which are written into `folder`; `more` are further settings.
inline constexpr const char* kMesh = R"(clock: 1 GHz
fabric: {kind: mesh, size: [4, 4], flit_bytes: 64 B, router: {vcs: 4, buffer_flits: 8}}
npu: {packet_bytes: 512 B, peak_flops: 1 TFLOP/s}
log: {level: ranks}
)";

/// Eight NPUs at FRED switches in two levels that only forward.
inline constexpr const char* kForwardingSwitches = R"(clock: 1 GHz
fabric: {kind: fred, flit_bytes: 32 B, header: 8 B, levels: [{groups: 2, planes: 2, uplinks: 2}, {groups: 1}]}
npu: {count: 8, packet_bytes: 256 B, peak_flops: 1 TFLOP/s}
log: {level: ranks}
)";

/// Eight NPUs at FRED switches in two levels that add and copy, and three I/O controllers.
inline constexpr const char* kAddingSwitches = R"(clock: 1 GHz
fabric: {kind: fred, in_switch: true, flit_bytes: 32 B, levels: [{groups: 2, planes: 2, uplinks: 4}, {groups: 1}]}
npu: {count: 8, packet_bytes: 256 B, peak_flops: 1 TFLOP/s}
memory: {tensors: io, piece: 4 KiB}
io: {controllers: 3, bandwidth: 21 GB/s}
log: {level: ranks}
)";

inline Config trace_config(const Graphs& graphs, const TempDir& folder, const std::vector<std::string>& more,
                           const std::string& system = kMesh) {
  std::ostringstream said;
  npu::write_trace(graphs, (folder / "t").string(), said);
  const std::string groups =
      graphs.groups().empty() ? "" : fmt::format(", groups: {}", (folder / "comm_group.json").string());
  const std::string workload =
      fmt::format("workload: {{trace: {{chakra: {}{}, algorithm: ring}}}}\n", (folder / "t").string(), groups);
  return load_config_text(system + workload, "trace.yaml", more);
}

}  // namespace weft::test
