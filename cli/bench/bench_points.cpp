// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weft::cli {

namespace {

/// Twelve NPUs at one Fred_3(12), whose ports carry a flit per cycle each way.
std::string one_switch(const std::string& collective) {
  return R"(clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 512 B
  m: 3
  local: {bandwidth: 512 GB/s, latency: 5 ns}
  levels: [{groups: 1, ports: 12, buffer: 16 KiB}]
npu: {count: 12, packet_bytes: 4 KiB, reduce_bandwidth: 10 TB/s}
workload:
  collective: )" +
         collective + "\n";
}

std::vector<BenchPoint> fred_points() {
  const std::string reduce = "{kind: all_reduce, algorithm: in_switch, dtype: fp32, size: ";
  return {
      configured("fred12-unicast", "Fred_3(12) at full load, unicasts",
                 one_switch("{kind: all_gather, algorithm: ring, size: 12 MiB}")),
      configured("fred12-reduce", "Fred_3(12) at full load, all-reduce in the switch, 128 MiB",
                 one_switch(reduce + "128 MiB, chunks: 8, active_chunks: 4}")),
      configured("fred12-reduce-values", "the same with data, 4 MiB",
                 one_switch(reduce + "4 MiB, chunks: 8, active_chunks: 4, data: values}")),
  };
}

}  // namespace

BenchPoint configured(const std::string& name, const std::string& purpose, std::string config) {
  BenchPoint point;
  point.name = name;
  point.purpose = purpose;
  point.config = std::move(config);
  return point;
}

const std::vector<BenchPoint>& bench_points() {
  // Lengths are chosen so that each run moves 20 to 50 million flits over a hop: seconds, not minutes.
  static const std::vector<BenchPoint> points = [] {
    std::vector<BenchPoint> all{
        {"1x1", "one router: what the program itself needs", 1, "uniform", "0.1", 1000, 1, "", ""},
        {"8x8-0.1", "small mesh, low load", 8, "uniform", "0.1", 600'000, 1, "", ""},
        {"8x8-0.2", "small mesh, middle load", 8, "uniform", "0.2", 400'000, 1, "", ""},
        {"8x8-0.3", "small mesh, high load", 8, "uniform", "0.3", 300'000, 1, "", ""},
        {"32x32-0.05", "middle mesh", 32, "uniform", "0.05", 30'000, 1, "", ""},
        {"256x256-neighbor", "large mesh, local traffic", 256, "neighbor", "0.1", 1000, 1, "", ""},
        {"256x256-neighbor-2-threads", "the same on two threads", 256, "neighbor", "0.1", 1000, 2, "256x256-neighbor",
         ""},
        {"256x256-idle", "large mesh, almost no traffic", 256, "uniform", "0.0000001", 1'000'000, 1, "", ""},
        {"1000x1000", "a million routers: time and memory to build, and some cycles", 1000, "neighbor", "0.01", 100, 1,
         "", ""}};
    for (BenchPoint& point : fred_points()) all.push_back(std::move(point));
    for (BenchPoint& point : real_points()) all.push_back(std::move(point));
    return all;
  }();
  return points;
}

std::string bench_yaml(const BenchPoint& point) {
  // What is measured is the time that cycles take.
  if (!point.config.empty())
    return fmt::format("name: bench-{}\nseed: 1\nrun: {{fast_forward: off}}\n{}", point.name, point.config);
  return fmt::format(R"(name: bench-{name}
seed: 1
threads: {threads}
clock: 1 GHz
fabric:
  kind: mesh
  size: [{size}, {size}]
  routing: xy
  flit_bytes: 32
  router:
    vcs: 4
    buffer_flits: 8
    routing_delay: 0
    vc_alloc_delay: 1
    switch_alloc_delay: 1
    traversal_delay: 1
    credit_delay: 2
    vc_reuse: tail_sent
    speculative: false
workload:
  traffic:
    pattern: {pattern}
    rate: {rate}
    packet_flits: 5
    warmup_cycles: {warmup}
    measure_cycles: {cycles}
    drain_cycles: 100000
)",
                     fmt::arg("name", point.name), fmt::arg("threads", point.threads), fmt::arg("size", point.size),
                     fmt::arg("pattern", point.pattern), fmt::arg("rate", point.rate),
                     fmt::arg("warmup", point.cycles / 10), fmt::arg("cycles", point.cycles));
}

}  // namespace weft::cli
