// SPDX-License-Identifier: Apache-2.0
// A small hand-made run: 2 x 1 mesh at 500 MHz (one cycle = 2 ns), two collectives, two ranks.
#pragma once

#include "config/config.h"
#include "sc_models/run_result.h"

namespace weft::sc_models::test {

inline Config sample_config() {
  Config config;
  config.name = "sample";
  config.seed = 42;
  config.clock.hertz = {500'000'000, 1};
  config.fabric.size_x = 2;
  CollectiveWorkload workload;
  workload.collective.bytes = 4096;
  config.workload = workload;
  return config;
}

inline NodeValues node_values(std::uint64_t packets_sent, std::uint64_t packets_received, std::uint64_t flits_sent,
                              std::uint64_t flits_received) {
  NodeValues values;
  values.set(NodeQuantity::kPacketsSent, packets_sent);
  values.set(NodeQuantity::kPacketsReceived, packets_received);
  values.set(NodeQuantity::kFlitsSent, flits_sent);
  values.set(NodeQuantity::kFlitsReceived, flits_received);
  return values;
}

inline RunResult sample_result() {
  RunResult r;
  r.cycles = 1000;
  r.finished = true;
  r.nodes = 2;
  r.packets = 4;
  r.flits = 12;
  r.flit_hops = 24;
  for (const Cycle latency : {10U, 12U, 12U, 30U}) r.latency.add(latency);
  for (const Cycle latency : {9U, 9U, 9U, 20U}) r.network_latency.add(latency);
  r.hops = 7;
  r.links = RecordTable<LinkRecord>(
      {{"fabric.router[0,0].east", "router[0,0]", "router[1,0]", 8, 0.008, stall_values(3, 2, 1)},
       {"fabric.router[1,0].west", "router[1,0]", "router[0,0]", 4, 0.004, stall_values(0, 0, 0)}});
  r.link_totals = stall_values(3, 2, 1);
  r.node_table = RecordTable<NodeRecord>(
      {{0, 0, RankId{1}, node_values(3, 1, 9, 3)}, {1, 0, std::nullopt, node_values(1, 3, 3, 9)}});
  r.collectives = {{"all_reduce_0", CollectiveKind::kAllReduce, "ring", "all", 2, 4096, 100, 356, true},
                   {"gather \"x\"", CollectiveKind::kAllGather, "ring", "1", 4, 1000, 400, 500, true},
                   {"late", CollectiveKind::kBarrier, "ring", "all", 2, 0, 900, 1000, false}};
  r.ranks = {{1000, 600, 400, 3, 1, 50}, {800, 700, 0, 4, 0, 0}};
  r.cpu_s = 0.5;
  r.setup_cpu_s = 0.25;
  r.wall_s = 0.75;
  return r;
}

}  // namespace weft::sc_models::test
