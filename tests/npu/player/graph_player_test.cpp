// SPDX-License-Identifier: Apache-2.0
// Finish times are worked out by hand: 1 GHz, 10 bytes per cycle and sender, 20 cycles of latency.
#include "npu/player/graph_player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/npu/player/player_bench.h"

namespace weft::npu {
namespace {

using namespace weft::npu::testing;  // NOLINT: node makers
using ::testing::ElementsAre;
using ::testing::HasSubstr;

BenchSpec bench_spec() {
  BenchSpec spec;
  spec.network.latency = 20;
  spec.network.bytes_per_cycle = Rational{10, 1};
  spec.network.packet_bytes = 400;
  return spec;
}

std::vector<RankId> members(std::initializer_list<std::uint32_t> numbers) {
  std::vector<RankId> list;
  for (const std::uint32_t number : numbers) list.push_back(RankId{number});
  return list;
}

std::string error_of_play(BenchSpec spec, std::vector<std::vector<TraceNode>> traces) {
  try {
    PlayerBench bench(std::move(spec), std::move(traces));
    bench.run();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GraphPlayer, message_joins_the_compute_of_two_ranks) {
  PlayerBench bench(bench_spec(),
                    {{compute(1, 3), send(2, 1, 5, 1000, {1})}, {receive(9, 0, 5, 1000), compute(4, 2, {9})}});
  bench.run();
  EXPECT_TRUE(bench.player(0).finished());
  EXPECT_TRUE(bench.player(1).finished());
  EXPECT_EQ(bench.statistics(0).finish_cycle, 3100u);  // 3 us, then 1000 bytes at 10 a cycle
  EXPECT_EQ(bench.statistics(0).compute_cycles, 3000u);
  EXPECT_EQ(bench.statistics(0).exposed_comm_cycles, 100u);
  EXPECT_EQ(bench.statistics(1).finish_cycle, 5120u);  // 3100 + 20 of latency + 2 us
  EXPECT_EQ(bench.statistics(1).compute_cycles, 2000u);
  EXPECT_EQ(bench.statistics(1).exposed_comm_cycles, 3120u);
  EXPECT_EQ(bench.statistics(0).sent_bytes, 1000u);
  EXPECT_EQ(bench.statistics(1).receives, 1u);
}

TEST(GraphPlayer, early_message_waits_for_its_receive) {
  PlayerBench bench(bench_spec(), {{send(1, 1, 5, 1000)}, {compute(1, 10), receive(2, 0, 5, 1000, {1})}});
  bench.run();
  EXPECT_EQ(bench.statistics(1).finish_cycle, 10000u);
  EXPECT_EQ(bench.statistics(1).exposed_comm_cycles, 0u);
  EXPECT_TRUE(bench.player(1).waiting_for().empty());
}

TEST(GraphPlayer, receive_needs_the_whole_message) {
  // Three packets: 400 + 400 + 1 bytes leave by cycle 81 (80.1 rounded up).
  PlayerBench bench(bench_spec(), {{send(1, 1, 0, 801)}, {receive(1, 0, 0, 801)}});
  bench.run();
  EXPECT_EQ(bench.statistics(0).finish_cycle, 81u);
  EXPECT_EQ(bench.statistics(1).finish_cycle, 101u);
}

TEST(GraphPlayer, receives_match_by_source_tag_and_size) {
  // Rank 2 asks in an order that is the reverse of the arrivals; each receive gates a host compute of its own length.
  std::vector<TraceNode> second = {receive(1, 1, 7, 100), receive(2, 0, 8, 100), receive(3, 0, 7, 200),
                                   receive(4, 0, 7, 100), compute(5, 1, {1, 2, 3, 4})};
  PlayerBench bench(
      bench_spec(),
      {{send(1, 2, 7, 100), send(2, 2, 7, 200), send(3, 2, 8, 100)}, {compute(1, 1), send(2, 2, 7, 100, {1})}, second});
  bench.run();
  EXPECT_EQ(bench.statistics(2).finish_cycle, 1000u + 10 + 20 + 1000);
  EXPECT_EQ(bench.statistics(2).nodes, 5u);
}

TEST(GraphPlayer, a_message_of_another_source_does_not_match) {
  PlayerBench bench(bench_spec(),
                    {{send(1, 2, 7, 100)}, {compute(1, 5), send(2, 2, 7, 100, {1})}, {receive(1, 1, 7, 100)}});
  bench.run();
  EXPECT_EQ(bench.statistics(2).finish_cycle, 5030u);
  EXPECT_THAT(bench.player(2).waiting_for(),
              ElementsAre("holds a message of 100 bytes from rank 0, tag 7, for which no receive is open"));
}

TEST(GraphPlayer, several_early_messages_of_one_key_are_all_kept) {
  PlayerBench bench(bench_spec(), {{send(1, 1, 7, 100), send(2, 1, 7, 100), send(3, 1, 7, 100)},
                                   {compute(1, 1), receive(2, 0, 7, 100, {1}), receive(3, 0, 7, 100, {1})}});
  bench.run();
  EXPECT_TRUE(bench.player(1).finished());
  EXPECT_EQ(bench.statistics(1).finish_cycle, 1000u);
  EXPECT_THAT(bench.player(1).waiting_for(), ElementsAre(HasSubstr("holds a message of 100 bytes")));
}

TEST(GraphPlayer, communication_behind_many_waiting_compute_nodes_starts_at_once) {
  std::vector<TraceNode> trace;
  for (std::uint64_t id = 0; id < 60'000; ++id) trace.push_back(compute(id, 1));
  trace.push_back(send(60'000, 1, 0, 100));
  PlayerBench bench(bench_spec(), {trace, {receive(1, 0, 0, 100)}});
  bench.run();
  EXPECT_EQ(bench.statistics(1).finish_cycle, 30u);
}

TEST(GraphPlayer, wrong_tag_or_size_does_not_match) {
  PlayerBench bench(bench_spec(),
                    {{send(1, 1, 7, 100), send(2, 1, 8, 200)}, {receive(1, 0, 7, 200), compute(2, 1, {1})}});
  bench.run();
  EXPECT_FALSE(bench.player(1).finished());
  EXPECT_THAT(bench.player(1).waiting_for(),
              ElementsAre("waits for receive of 200 bytes from rank 0, tag 7 (trace node 1)",
                          "holds a message of 100 bytes from rank 0, tag 7, for which no receive is open",
                          "holds a message of 200 bytes from rank 0, tag 8, for which no receive is open"));
}

TEST(GraphPlayer, equal_messages_serve_receives_in_order_of_issue) {
  // Each message takes 10 cycles on the wire; the first receive issued gets the first one.
  PlayerBench bench(bench_spec(), {{send(1, 1, 7, 100), send(2, 1, 7, 100), send(3, 1, 7, 100)},
                                   {receive(1, 0, 7, 100), receive(2, 0, 7, 100), receive(3, 0, 7, 100),
                                    host_compute(4, 1, {1}), compute(5, 1, {3})}});
  bench.run();
  EXPECT_EQ(bench.statistics(1).finish_cycle, 30u + 20 + 1000);  // node 5 hangs on the third
  EXPECT_EQ(bench.statistics(1).compute_cycles, 1020u);          // node 4 started at 30, node 5 ended at 1050
}

TEST(GraphPlayer, accelerator_and_host_work_side_by_side_one_node_each) {
  PlayerBench bench(bench_spec(), {{compute(1, 1), compute(2, 1), host_compute(3, 1), host_compute(4, 4)}});
  bench.run();
  EXPECT_EQ(bench.statistics(0).finish_cycle, 5000u);    // the host: 1 + 4 us
  EXPECT_EQ(bench.statistics(0).compute_cycles, 5000u);  // union, not sum
}

TEST(GraphPlayer, fifo_takes_the_oldest_and_lifo_the_youngest_ready_node) {
  const std::vector<TraceNode> trace = {compute(1, 1), compute(2, 2), compute(3, 4), host_compute(4, 5, {3})};
  BenchSpec spec = bench_spec();
  PlayerBench fifo(spec, {trace});
  fifo.run();
  EXPECT_EQ(fifo.statistics(0).finish_cycle, 12000u);  // 1 + 2 + 4, then 5
  spec.npu.order = IssueOrder::kLifo;
  PlayerBench lifo(spec, {trace});
  lifo.run();
  EXPECT_EQ(lifo.statistics(0).finish_cycle, 9000u);  // 4, then 5 while 2 and 1 run
}

TEST(GraphPlayer, memory_nodes_use_a_port_of_their_own) {
  BenchSpec spec = bench_spec();
  spec.npu.memory_bytes_per_s = 1e12;  // 1000 bytes a cycle
  TraceNode load = make_node(1, TraceNodeType::kMemLoad, {});
  load.tensor_bytes = 500'000;
  TraceNode store = make_node(2, TraceNodeType::kMemStore, {});
  store.tensor_bytes = 300'000;
  PlayerBench bench(spec, {{load, store, compute(3, 1, {1})}});
  bench.run();
  EXPECT_EQ(bench.statistics(0).finish_cycle, 1500u);  // the store runs behind the load, beside the compute
  EXPECT_EQ(bench.statistics(0).compute_cycles, 1000u);
}

TEST(GraphPlayer, overlapped_communication_is_not_exposed) {
  // The first rank computes beside its collective, the second behind it.
  BenchSpec spec = bench_spec();
  spec.collective_cycles = 3000;
  PlayerBench bench(spec, {{collective(1, CollectiveKind::kAllReduce, 64), compute(2, 1)},
                           {collective(1, CollectiveKind::kAllReduce, 64), compute(2, 1, {1})}});
  bench.run();
  EXPECT_EQ(bench.statistics(0).exposed_comm_cycles, 2000u);
  EXPECT_EQ(bench.statistics(0).finish_cycle, 3000u);
  EXPECT_EQ(bench.statistics(1).exposed_comm_cycles, 3000u);
  EXPECT_EQ(bench.statistics(1).finish_cycle, 4000u);
}

TEST(GraphPlayer, collective_record_says_what_was_done) {
  BenchSpec spec = bench_spec();
  spec.groups["3"] = members({1, 0});
  PlayerBench bench(spec, {{compute(1, 1), collective(2, CollectiveKind::kAllGather, 4096, "3", {1})},
                           {collective(8, CollectiveKind::kAllGather, 4096, "3")}});
  bench.run();
  ASSERT_EQ(bench.statistics(0).collectives.size(), 1u);
  const RankCollective& record = bench.statistics(0).collectives[0];
  EXPECT_EQ(record.name, "n2");
  EXPECT_EQ(record.kind, CollectiveKind::kAllGather);
  EXPECT_EQ(record.algorithm, "ring");
  EXPECT_EQ(record.group_name, "3");
  EXPECT_EQ(record.group_size, 2u);
  EXPECT_EQ(record.bytes, 4096u);
  EXPECT_EQ(record.start_cycle, 1000u);
  EXPECT_EQ(record.end_cycle, 1100u);
  EXPECT_EQ(bench.orders(0)[0].my_index, 1u);  // the group's own order
  EXPECT_EQ(bench.orders(1)[0].my_index, 0u);
}

TEST(GraphPlayer, collectives_match_by_order_of_issue_whatever_their_ids_and_names) {
  const auto kind = CollectiveKind::kAllReduce;
  PlayerBench bench(bench_spec(), {{collective(1, kind, 64), collective(2, kind, 64, "", {1})},
                                   {collective(20, kind, 64, "", {30}), collective(30, kind, 64)}});
  bench.run();
  EXPECT_EQ(bench.orders(0)[0].instance, 0u);
  EXPECT_EQ(bench.orders(0)[1].instance, 1u);
  EXPECT_EQ(bench.orders(1)[0].handle, 30u);
  EXPECT_EQ(bench.orders(1)[0].instance, 0u);
  EXPECT_EQ(bench.orders(1)[1].instance, 1u);
}

TEST(GraphPlayer, collectives_of_different_size_match_even_if_timing_changes_their_order) {
  const auto kind = CollectiveKind::kAllReduce;
  PlayerBench bench(bench_spec(), {{compute(1, 1), collective(2, kind, 64, "", {1}), collective(3, kind, 128)},
                                   {collective(2, kind, 64), compute(1, 1), collective(3, kind, 128, "", {1})}});
  bench.run();
  ASSERT_EQ(bench.orders(0)[0].bytes, 128u);
  ASSERT_EQ(bench.orders(1)[0].bytes, 64u);
  EXPECT_EQ(bench.orders(0)[0].signature, bench.orders(1)[1].signature);
  EXPECT_EQ(bench.orders(0)[0].instance, bench.orders(1)[1].instance);
  EXPECT_NE(bench.orders(0)[0].signature, bench.orders(0)[1].signature);
}

TEST(GraphPlayer, groups_count_their_collectives_apart) {
  BenchSpec spec = bench_spec();
  spec.groups["1"] = members({0, 1});
  const auto kind = CollectiveKind::kAllReduce;
  PlayerBench bench(spec, {{collective(1, kind, 64), collective(2, kind, 64, "1"), collective(3, kind, 64, "1")},
                           {collective(1, kind, 64, "1"), collective(2, kind, 64), collective(3, kind, 64, "1")}});
  bench.run();
  EXPECT_EQ(bench.orders(0)[1].instance, 0u);
  EXPECT_EQ(bench.orders(0)[2].instance, 1u);
  EXPECT_NE(bench.orders(0)[0].group, bench.orders(0)[1].group);
  EXPECT_EQ(bench.orders(0)[1].group, bench.orders(1)[0].group);
}

TEST(GraphPlayer, max_collectives_limits_what_is_in_flight_and_priority_goes_first) {
  BenchSpec spec = bench_spec();
  spec.npu.max_collectives = 2;
  std::vector<TraceNode> trace;
  for (std::uint64_t id = 1; id <= 5; ++id) trace.push_back(collective(id, CollectiveKind::kAllReduce, 64 * id));
  trace[3].priority = 1;
  trace[4].priority = 9;
  PlayerBench bench(spec, {trace, {collective(1, CollectiveKind::kBarrier, 0)}});
  bench.run();
  std::vector<std::uint64_t> order;
  for (const CollectiveOrder& item : bench.orders(0)) order.push_back(item.handle);
  EXPECT_THAT(order, ElementsAre(5, 4, 1, 2, 3));
  EXPECT_EQ(bench.statistics(0).finish_cycle, 300u);  // five at 100 cycles, two at a time
}

TEST(GraphPlayer, lifo_starts_the_youngest_collective) {
  BenchSpec spec = bench_spec();
  spec.npu.max_collectives = 1;
  spec.npu.order = IssueOrder::kLifo;
  const auto kind = CollectiveKind::kAllReduce;
  PlayerBench bench(spec, {{collective(1, kind, 64), collective(2, kind, 128)}, {}});
  bench.run();
  EXPECT_EQ(bench.orders(0)[0].handle, 2u);
}

TEST(GraphPlayer, empty_and_one_rank_collectives_end_at_once_but_barriers_do_not) {
  BenchSpec spec = bench_spec();
  spec.groups["5"] = members({0});
  PlayerBench bench(spec, {{compute(1, 1), collective(2, CollectiveKind::kAllReduce, 0, "", {1}),
                            collective(3, CollectiveKind::kAllReduce, 64, "5", {2})},
                           {collective(1, CollectiveKind::kBarrier, 0)}});
  bench.run();
  EXPECT_EQ(bench.statistics(0).finish_cycle, 1000u);
  EXPECT_TRUE(bench.orders(0).empty());
  EXPECT_EQ(bench.statistics(0).collectives.size(), 2u);
  EXPECT_EQ(bench.statistics(1).finish_cycle, 100u);
  EXPECT_EQ(bench.orders(1).size(), 1u);
}

TEST(GraphPlayer, collectives_that_end_within_their_start_make_a_long_chain) {
  BenchSpec spec = bench_spec();
  spec.collective_cycles = 0;
  std::vector<TraceNode> trace;
  for (std::uint64_t id = 0; id < 100'000; ++id) {
    const std::vector<std::uint64_t> deps = id == 0 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{id - 1};
    switch (id % 3) {
      case 0:
        trace.push_back(collective(id, CollectiveKind::kAllReduce, 64, "", deps));
        break;
      case 1:
        trace.push_back(make_node(id, TraceNodeType::kMetadata, deps));
        break;
      default:
        trace.push_back(compute(id, 0, deps));
    }
  }
  PlayerBench bench(spec, {trace, {}});
  bench.run();
  EXPECT_TRUE(bench.player(0).finished());
  EXPECT_EQ(bench.statistics(0).nodes, 100'000u);
  EXPECT_EQ(bench.statistics(0).finish_cycle, 0u);
}

TEST(GraphPlayer, more_ready_nodes_than_the_window_all_run) {
  std::vector<TraceNode> trace;
  for (std::uint64_t id = 0; id < 70'000; ++id) trace.push_back(compute(id, 1));
  PlayerBench bench(bench_spec(), {trace});
  bench.run();
  EXPECT_EQ(bench.statistics(0).finish_cycle, 70'000'000u);
}

TEST(GraphPlayer, empty_trace_is_finished_at_the_start) {
  PlayerBench bench(bench_spec(), {{}});
  bench.run();
  EXPECT_TRUE(bench.player(0).finished());
  EXPECT_TRUE(bench.player(0).waiting_for().empty());
}

TEST(GraphPlayer, stall_report_names_collectives_and_places) {
  BenchSpec spec = bench_spec();
  spec.npu.max_collectives = 1;
  spec.groups["1"] = members({0, 1});
  PlayerBench bench(spec, {{collective(4, CollectiveKind::kReduceScatter, 640, "1"),
                            collective(5, CollectiveKind::kReduceScatter, 640, "1"), compute(6, 1)},
                           {}});
  bench.player(0).start();
  EXPECT_THAT(
      bench.player(0).waiting_for(),
      ElementsAre("works on 'n6'",
                  "waits for collective 'n4' (reduce_scatter 0 of group 1 = [0, 1], 640 bytes): a test's patience",
                  "has 1 collectives ready that wait for one of 1 places (npu.max_collectives)"));
  EXPECT_EQ(bench.player(0).state(), "compute n6");
}

TEST(GraphPlayer, send_without_peer_bad) {
  TraceNode node = send(3, 0, 0, 8);
  node.dst.reset();
  EXPECT_EQ(error_of_play(bench_spec(), {{node}}), "trace of rank 0, node 3 'n3': has no comm_dst");
  node = receive(3, 0, 0, 8);
  node.src.reset();
  EXPECT_EQ(error_of_play(bench_spec(), {{node}}), "trace of rank 0, node 3 'n3': has no comm_src");
}

TEST(GraphPlayer, peer_outside_the_workload_bad) {
  EXPECT_EQ(error_of_play(bench_spec(), {{}, {send(3, 2, 0, 8)}}),
            "trace of rank 1, node 3 'n3': comm_dst is 2; the workload has ranks 0 to 1");
}

TEST(GraphPlayer, tag_that_does_not_fit_bad) {
  EXPECT_THAT(error_of_play(bench_spec(), {{send(3, 0, ~std::uint64_t{0}, 8)}}),
              HasSubstr("comm_tag 18446744073709551615 is larger than "));
}

TEST(GraphPlayer, unknown_group_bad) {
  BenchSpec spec = bench_spec();
  spec.groups["17"] = members({0, 1});
  EXPECT_EQ(error_of_play(spec, {{collective(1, CollectiveKind::kAllReduce, 64, "71")}, {}}),
            "trace of rank 0, node 1 'n1': process group '71' does not exist; the groups are '17'");
}

TEST(GraphPlayer, rank_outside_its_group_bad) {
  BenchSpec spec = bench_spec();
  spec.groups["17"] = members({1, 2});
  EXPECT_EQ(error_of_play(spec, {{collective(1, CollectiveKind::kAllReduce, 64, "17")}, {}, {}}),
            "trace of rank 0, node 1 'n1': rank is not a member of its process group '17'");
}

TEST(GraphPlayer, collective_without_kind_bad) {
  TraceNode node = collective(1, CollectiveKind::kAllReduce, 64);
  node.collective.reset();
  EXPECT_THAT(error_of_play(bench_spec(), {{node}, {}}), HasSubstr("is a collective without comm_type"));
}

}  // namespace
}  // namespace weft::npu
