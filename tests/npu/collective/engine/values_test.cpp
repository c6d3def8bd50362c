// SPDX-License-Identifier: Apache-2.0
// Real data through the engines: every rank's result, bit for bit.
#include "npu/collective/form/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/checker/reference.h"
#include "tests/npu/collective/engine/engine_bench.h"

namespace weft::npu {
namespace {

using testing::EngineBench;
using testing::IdealNetworkSpec;

template <typename T>
std::vector<T> as(const Payload& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

struct Case {
  std::string algorithm;
  CollectiveKind kind;
  std::uint32_t ranks;
  FabricSpec fabric;
  DataType dtype = DataType::kFp32;
  std::uint64_t elements = 1000;
  std::uint32_t chunks = 1;
  std::uint32_t active = 0;
  Cycle jitter = 0;
  std::uint64_t seed = 1;
};

struct Outcome {
  std::vector<Payload> inputs;
  std::vector<Payload> results;
  std::shared_ptr<const Program> program;
};

CollectiveRequest request_of(const Case& c) {
  CollectiveRequest request;
  request.name = kind_name(c.kind);
  request.group = EngineBench::group(0, 0, c.ranks);
  request.kind = c.kind;
  request.bytes = c.elements * element_bytes(c.dtype);
  request.root = c.ranks / 2;
  request.dtype = c.dtype;
  request.chunks = c.chunks;
  request.active_chunks = c.active;
  request.data = DataMode::kValues;
  return request;
}

Outcome play(const Case& c) {
  IdealNetworkSpec network;
  network.nodes = static_cast<int>(c.ranks);
  network.latency = 3;
  network.bytes_per_cycle = {7, 2};
  network.packet_bytes = 202;  // cuts elements in two
  network.jitter = c.jitter;
  network.seed = c.seed;
  NpuSpec npu;
  npu.endpoint_delay_cycles = c.seed % 3;
  npu.reduce_bytes_per_s = c.seed % 2 == 0 ? 0 : 50e9;
  EngineBench bench(network, c.algorithm, npu, c.fabric);
  Outcome outcome;
  const CollectiveRequest request = request_of(c);
  outcome.program = bench.programs.get(c.kind, *request.group, request.root, request.bytes);
  const Geometry geometry(outcome.program->shape(), c.kind == CollectiveKind::kBarrier ? 0 : c.elements, 1);
  for (std::uint32_t rank = 0; rank < c.ranks; ++rank) {
    const bool has_input = outcome.program->shape().has_input(rank);
    outcome.inputs.push_back(make_input(c.dtype, has_input ? geometry.total(rank, Buffer::kInput) : 0, c.seed, rank));
  }
  bench.start(request, outcome.inputs,
              [&](std::uint32_t rank) { return c.jitter == 0 ? Cycle{0} : Cycle{rank * 37 % 101}; });
  bench.network.run();
  EXPECT_TRUE(bench.idle());
  for (const auto& node : bench.nodes) {
    if (node->done.empty()) {
      ADD_FAILURE() << c.algorithm << " " << kind_name(c.kind) << " of " << c.ranks << " does not end";
      outcome.results.emplace_back();
    } else {
      outcome.results.push_back(*node->done.begin()->second.result);
    }
  }
  return outcome;
}

void expect_right(const Case& c) {
  const Outcome outcome = play(c);
  const std::uint64_t elements = c.kind == CollectiveKind::kBarrier ? 0 : c.elements;
  EXPECT_NO_THROW(verify_results(kind_name(c.kind), *outcome.program, ReduceOp::kSum, c.dtype, elements, outcome.inputs,
                                 outcome.results))
      << c.algorithm << " " << kind_name(c.kind) << " of " << c.ranks << " ranks, " << c.chunks << " chunks, seed "
      << c.seed;
}

// Every algorithm and kind, with messages that overtake each other and ranks that start at different times.
TEST(Values, every_program_gives_the_reference_bits) {
  std::uint64_t seed = 0;
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->needs_colours || algorithm->needs_switches) continue;  // played elsewhere
    for (const CollectiveKind kind : algorithm->kinds()) {
      for (const std::uint32_t ranks : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 12u, 15u, 16u, 17u}) {
        Case c{std::string(algorithm->name), kind, ranks, {}};
        c.fabric.size_x = ranks % 3 == 0 ? 3 : ranks % 2 == 0 ? 2 : static_cast<int>(ranks);
        c.fabric.size_y = static_cast<int>(ranks) / c.fabric.size_x;
        c.seed = ++seed;
        c.elements = 3 + seed * 7 % 400;
        c.chunks = 1 + static_cast<std::uint32_t>(seed % 3);
        c.active = static_cast<std::uint32_t>(seed % 2);
        c.jitter = seed % 4 == 0 ? 0 : 300;
        expect_right(c);
      }
    }
  }
}

TEST(Values, all_formats_and_hardly_any_data) {
  for (const DataType dtype : {DataType::kFp32, DataType::kInt32, DataType::kFp16, DataType::kBf16}) {
    for (const std::uint64_t elements : {0ULL, 1ULL, 5ULL, 333ULL}) {
      for (const char* algorithm : {"ring", "direct", "halving_doubling", "double_binary_tree"}) {
        Case c{algorithm, CollectiveKind::kAllReduce, 6, {}, dtype, elements, 2, 0, 50, 9};
        expect_right(c);
      }
    }
  }
}

bool all_reduces(const Algorithm& algorithm) {
  const std::vector<CollectiveKind> kinds = algorithm.kinds();
  return std::find(kinds.begin(), kinds.end(), CollectiveKind::kAllReduce) != kinds.end();
}

// Independent of programs: INT32 sums have no order.
TEST(Values, int32_sums_are_exact) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->needs_colours || algorithm->needs_switches) continue;  // played elsewhere
    if (!all_reduces(*algorithm)) continue;
    Case c{std::string(algorithm->name), CollectiveKind::kAllReduce, 6, {}, DataType::kInt32, 500, 3, 2, 100, 4};
    c.fabric.size_x = 3;
    c.fabric.size_y = 2;
    const Outcome outcome = play(c);
    std::vector<std::uint32_t> sum(500, 0);
    for (const Payload& input : outcome.inputs) {
      const auto values = as<std::uint32_t>(input);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
    }
    for (const Payload& result : outcome.results) EXPECT_EQ(as<std::uint32_t>(result), sum) << algorithm->name;
  }
}

// Independent of programs: where each element ends up, by the definition of the kinds.
TEST(Values, elements_end_where_the_kinds_say) {
  constexpr std::uint32_t n = 6;
  constexpr std::uint64_t e = 24;  // divisible by n
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->needs_colours || algorithm->needs_switches) continue;  // played elsewhere
    for (const CollectiveKind kind : algorithm->kinds()) {
      Case c{std::string(algorithm->name), kind, n, {}, DataType::kInt32, e, 2, 0, 20, 5};
      c.fabric.size_x = 3;
      c.fabric.size_y = 2;
      const Outcome outcome = play(c);
      std::vector<std::vector<std::uint32_t>> in;
      for (const Payload& input : outcome.inputs) in.push_back(as<std::uint32_t>(input));
      for (std::uint32_t rank = 0; rank < n; ++rank) {
        const auto out = as<std::uint32_t>(outcome.results[rank]);
        for (std::uint64_t i = 0; i < out.size(); ++i) {
          std::uint32_t expected = 0;
          switch (kind) {
            case CollectiveKind::kAllReduce:
            case CollectiveKind::kReduce:
              for (const auto& input : in) expected += input[i];
              break;
            case CollectiveKind::kReduceScatter:
              for (const auto& input : in) expected += input[rank * (e / n) + i];
              break;
            case CollectiveKind::kAllGather:
            case CollectiveKind::kGather:
              expected = in[i / e][i % e];
              break;
            case CollectiveKind::kBroadcast:
              expected = in[n / 2][i];
              break;
            case CollectiveKind::kScatter:
              expected = in[n / 2][rank * (e / n) + i];
              break;
            case CollectiveKind::kAllToAll:
              expected = in[i / (e / n)][rank * (e / n) + i % (e / n)];
              break;
            case CollectiveKind::kBarrier:
              FAIL() << "a barrier has no data";
          }
          ASSERT_EQ(out[i], expected) << c.algorithm << " " << kind_name(kind) << " rank " << rank << " element " << i;
        }
      }
    }
  }
}

TEST(Values, ring_adds_in_the_order_of_the_ring) {
  // Chunk 0 starts at rank 1, passes 2 and ends at 0: ((x1 + x2) + x0). In FP32 that is not x0 + x1 + x2.
  Case c{"ring", CollectiveKind::kReduceScatter, 3, {}, DataType::kFp32, 300, 1, 0, 0, 2};
  c.fabric.size_x = 3;
  c.fabric.kind = FabricKind::kTorus;
  const Outcome outcome = play(c);
  std::vector<std::vector<float>> in;
  for (const Payload& input : outcome.inputs) in.push_back(as<float>(input));
  const auto out = as<float>(outcome.results[0]);
  std::size_t order_matters = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(out[i], in[0][i] + (in[2][i] + in[1][i]));
    order_matters += out[i] != in[0][i] + in[1][i] + in[2][i] ? 1 : 0;
  }
  EXPECT_GT(order_matters, 5u);
}

// Rows of a wafer's rectangle add from the far end to the root's column, then the column to the root.
TEST(Values, wafer_trees_add_in_the_order_of_their_edges) {
  // 3x2, root rank 3 (left, below): 1 adds 2, 0 adds that; 4 adds 5, 3 adds that and then the upper row.
  Case c{"chain", CollectiveKind::kReduce, 6, {}, DataType::kFp32, 300, 1, 0, 100, 2};
  c.fabric.size_x = 3;
  c.fabric.size_y = 2;
  const Outcome outcome = play(c);
  std::vector<std::vector<float>> in;
  for (const Payload& input : outcome.inputs) in.push_back(as<float>(input));
  const auto out = as<float>(outcome.results[3]);
  ASSERT_EQ(out.size(), 300u);
  std::size_t order_matters = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float upper = in[0][i] + (in[1][i] + in[2][i]);
    EXPECT_EQ(out[i], in[3][i] + (in[4][i] + in[5][i]) + upper);
    order_matters += out[i] != in[0][i] + in[1][i] + in[2][i] + in[3][i] + in[4][i] + in[5][i] ? 1 : 0;
  }
  EXPECT_GT(order_matters, 15u);
}

// Columns, rectangles off the corner and lists of cores in any order.
TEST(Values, wafer_programs_sum_any_group) {
  FabricSpec fabric;
  fabric.size_x = 6;
  fabric.size_y = 5;
  const std::vector<std::vector<std::uint32_t>> groups{
      {2, 8, 14, 20, 26}, {8, 9, 10, 11, 14, 15, 16, 17, 20, 21, 22, 23}, {29, 3, 11, 0, 16, 8, 27}, {7}, {9, 8}};
  for (const char* algorithm : {"star", "chain", "tree", "two_phase", "auto_gen", "snake"}) {
    for (const auto& nodes : groups) {
      CommGroup group;
      for (const std::uint32_t node : nodes) group.nodes.push_back(NodeId{node});
      const auto ranks = static_cast<std::uint32_t>(nodes.size());
      CollectiveRequest request = request_of({algorithm, CollectiveKind::kAllReduce, ranks, {}, DataType::kInt32, 77});
      request.group = std::make_shared<CommGroup>(group);
      request.root = ranks - 1;
      EngineBench bench({30, 3, {7, 2}, 202, 200, 5}, algorithm, {}, fabric);
      std::vector<Payload> inputs;
      std::vector<std::uint32_t> sum(77, 0);
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        inputs.push_back(make_input(DataType::kInt32, 77, 3, rank));
        const auto values = as<std::uint32_t>(inputs.back());
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
      }
      bench.start(request, inputs);
      bench.network.run();
      EXPECT_TRUE(bench.idle());
      for (const NodeId node : group.nodes) {
        ASSERT_FALSE(bench.nodes[index(node)]->done.empty()) << algorithm;
        EXPECT_EQ(as<std::uint32_t>(*bench.nodes[index(node)]->done.begin()->second.result), sum) << algorithm;
      }
    }
  }
}

TEST(Values, wrong_result_is_named_bad) {
  Case c{"ring", CollectiveKind::kAllReduce, 3, {}, DataType::kInt32, 10};
  Outcome outcome = play(c);
  outcome.results[1][4 * 7 + 2] ^= 0x10;
  try {
    verify_results("all_reduce_5", *outcome.program, ReduceOp::kSum, c.dtype, 10, outcome.inputs, outcome.results);
    FAIL() << "accepted";
  } catch (const ViolationError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.substr(0, 53), "all_reduce_5: element 7 of the result of rank 1 is 0x") << text;
  }
}

TEST(Values, collectives_in_flight_never_mix) {
  // Two groups that share nodes and two instances of each, all at once and with messages overtaking.
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    EngineBench bench({8, 2, {5, 1}, 64, 200, seed}, "ring");
    std::vector<std::vector<Payload>> inputs;
    std::vector<CollectiveRequest> requests;
    for (std::uint32_t k = 0; k < 4; ++k) {
      CollectiveRequest request = request_of({"ring", CollectiveKind::kAllReduce, 4, {}, DataType::kInt32, 40, 2});
      request.handle = k;
      request.group = k % 2 == 0 ? EngineBench::group(1, 0, 4) : EngineBench::group(2, 0, 4, 2);
      request.instance = k / 2;
      requests.push_back(request);
      inputs.emplace_back();
      for (std::uint32_t rank = 0; rank < 4; ++rank)
        inputs[k].push_back(make_input(DataType::kInt32, 40, k + 10, rank));
      bench.start(request, inputs[k], [&](std::uint32_t rank) { return Cycle{(rank * 13 + k * 7) % 40}; });
    }
    bench.network.run();
    EXPECT_TRUE(bench.idle());
    for (std::uint32_t k = 0; k < 4; ++k) {
      std::vector<Payload> results;
      for (const NodeId node : requests[k].group->nodes)
        results.push_back(*bench.nodes[index(node)]->done.at(k).result);
      const auto program = bench.programs.get(requests[k].kind, *requests[k].group, 0, requests[k].bytes);
      EXPECT_NO_THROW(verify_results("k", *program, ReduceOp::kSum, DataType::kInt32, 40, inputs[k], results));
    }
  }
}

TEST(Values, carrying_data_changes_no_time) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->needs_colours || algorithm->needs_switches) continue;  // played elsewhere
    if (!all_reduces(*algorithm)) continue;
    Case c{std::string(algorithm->name), CollectiveKind::kAllReduce, 6, {}, DataType::kFp32, 700, 2, 1, 40, 3};
    c.fabric.size_x = 3;
    c.fabric.size_y = 2;
    Cycle ends[2];
    for (const bool values : {false, true}) {
      EngineBench bench({6, 4, {9, 2}, 128, 30, 11}, c.algorithm, {}, c.fabric);
      CollectiveRequest request = request_of(c);
      std::vector<Payload> inputs;
      for (std::uint32_t rank = 0; rank < 6; ++rank) inputs.push_back(make_input(c.dtype, c.elements, 1, rank));
      if (!values) {
        request.data = DataMode::kTiming;
        inputs.clear();
      }
      bench.start(request, inputs);
      bench.network.run();
      ends[values ? 1 : 0] = bench.end(0);
    }
    EXPECT_EQ(ends[0], ends[1]) << algorithm->name;
    EXPECT_GT(ends[0], 0u);
  }
}

}  // namespace
}  // namespace weft::npu
