// SPDX-License-Identifier: Apache-2.0
// What the tests of generators ask of the graphs that they make.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "npu/trace/trace_check.h"
#include "npu/tracegen/trace_generator.h"
#include "npu/tracegen/transformer_spec.h"
#include "tests/npu/player/player_bench.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu::testing {

/// h = 64, f = 160, s = 32, V = 104, 4 layers, 24 samples, 2 bytes an element.
inline TransformerSpec small_model() {
  TransformerSpec spec;
  spec.layers = 4;
  spec.d_model = 64;
  spec.d_ff = 160;
  spec.seq = 32;
  spec.batch = 24;
  spec.heads = 8;
  spec.vocab = 104;
  spec.bytes_per_element = 2;
  return spec;
}

/// h = 4, f = 8, s = 2, V = 6, one layer, 4 samples over 2 replicas: small enough to count by hand.
inline TransformerSpec tiny_model() {
  TransformerSpec spec;
  spec.layers = 1;
  spec.d_model = 4;
  spec.d_ff = 8;
  spec.seq = 2;
  spec.batch = 4;
  spec.heads = 2;
  spec.vocab = 6;
  spec.dp = 2;
  return spec;
}

inline std::uint64_t ops_of(const std::vector<TraceNode>& nodes) {
  std::uint64_t ops = 0;
  for (const TraceNode& node : nodes) ops += node.num_ops.value_or(0);
  return ops;
}

/// Bytes of the collectives of one rank in one group.
inline std::uint64_t bytes_of(const std::vector<TraceNode>& nodes, CollectiveKind kind, const std::string& group) {
  std::uint64_t bytes = 0;
  for (const TraceNode& node : nodes) {
    if (node.type == TraceNodeType::kCollective && node.collective == kind && node.group == group) {
      bytes += node.comm_bytes;
    }
  }
  return bytes;
}

/// Bytes of the loads or stores of one rank that name `group`.
inline std::uint64_t bytes_of(const std::vector<TraceNode>& nodes, TraceNodeType type, const std::string& group) {
  std::uint64_t bytes = 0;
  for (const TraceNode& node : nodes) {
    if (node.type == type && node.group == group) bytes += node.tensor_bytes.value();
  }
  return bytes;
}

/// The node of this name; a failure and an empty node if there is not exactly one.
inline TraceNode named(const std::vector<TraceNode>& nodes, const std::string& name) {
  TraceNode found;
  int count = 0;
  for (const TraceNode& node : nodes) {
    if (node.name != name) continue;
    found = node;
    ++count;
  }
  EXPECT_EQ(count, 1) << name;
  return found;
}

/// The names of what the node of this name waits for; ids are positions.
inline std::vector<std::string> dependencies_of(const std::vector<TraceNode>& nodes, const std::string& name) {
  std::vector<std::string> names;
  for (const std::uint64_t dep : named(nodes, name).deps) names.push_back(nodes.at(dep).name);
  return names;
}

/// "name <- dependency dependency ..." for every node; ids are positions.
inline std::vector<std::string> edges_of(const std::vector<TraceNode>& nodes) {
  std::vector<std::string> lines;
  for (const TraceNode& node : nodes) {
    std::string line = node.name + " <-";
    for (const std::uint64_t dep : node.deps) line += " " + nodes.at(dep).name;
    lines.push_back(line);
  }
  return lines;
}

/// The names of those whose dependencies are asked for, e.g. all loads.
inline std::vector<std::string> edges_of(const std::vector<TraceNode>& nodes, TraceNodeType type) {
  const std::vector<std::string> all = edges_of(nodes);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].type == type) lines.push_back(all[i]);
  }
  return lines;
}

/// Ids are new and dependencies point backwards on every rank; written to files, the trace passes the check.
inline void expect_sound(const TraceGenerator& trace) {
  for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
    std::set<std::uint64_t> seen;
    for (const TraceNode& node : trace.nodes(RankId{rank})) {
      for (const std::uint64_t dep : node.deps) EXPECT_EQ(seen.count(dep), 1u) << node.name;
      EXPECT_TRUE(seen.insert(node.id).second) << node.name;
    }
  }
  const TraceFolder folder;
  std::ostringstream out;
  write_trace(trace, folder.file("t"), out);
  const std::string groups = trace.groups().empty() ? "" : folder.file("comm_group.json");
  EXPECT_EQ(trace_check(folder.file("t"), groups, out), 0u) << out.str().substr(0, 2000);
}

/// Sends find their receives and no dependency keeps a rank from its end; compute is the sum of the nodes at 1000
/// operations a cycle, each rounded up.
inline void expect_played(const TraceGenerator& trace) {
  BenchSpec bench_spec;
  bench_spec.npu.peak_flops = 1e12;
  bench_spec.network.bytes_per_cycle = Rational{1000, 1};
  bench_spec.groups = trace.groups();
  std::vector<std::vector<TraceNode>> traces;
  for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) traces.push_back(trace.nodes(RankId{rank}));
  PlayerBench bench(bench_spec, traces);
  bench.run();
  for (std::uint32_t rank = 0; rank < trace.ranks(); ++rank) {
    EXPECT_TRUE(bench.player(rank).finished()) << rank;
    EXPECT_TRUE(bench.player(rank).waiting_for().empty()) << rank;
    std::uint64_t cycles = 0;
    for (const TraceNode& node : traces[rank]) cycles += (node.num_ops.value_or(0) + 999) / 1000;
    EXPECT_EQ(bench.statistics(rank).compute_cycles, cycles) << rank;
  }
}

}  // namespace weft::npu::testing
