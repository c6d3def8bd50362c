// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench_points.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::cli {

const std::vector<BenchPoint>& bench_points() {
  // Lengths are chosen so that each run moves 20 to 50 million flits over a hop: seconds, not minutes.
  static const std::vector<BenchPoint> points{
      {"1x1", "one router: what the program itself needs", 1, "uniform", "0.1", 1000, 1, ""},
      {"8x8-0.1", "small mesh, low load", 8, "uniform", "0.1", 600'000, 1, ""},
      {"8x8-0.2", "small mesh, middle load", 8, "uniform", "0.2", 400'000, 1, ""},
      {"8x8-0.3", "small mesh, high load", 8, "uniform", "0.3", 300'000, 1, ""},
      {"32x32-0.05", "middle mesh", 32, "uniform", "0.05", 30'000, 1, ""},
      {"256x256-neighbor", "large mesh, local traffic", 256, "neighbor", "0.1", 1000, 1, ""},
      {"256x256-neighbor-2-threads", "the same on two threads", 256, "neighbor", "0.1", 1000, 2, "256x256-neighbor"},
      {"256x256-idle", "large mesh, almost no traffic", 256, "uniform", "0.0000001", 1'000'000, 1, ""},
      {"1000x1000", "a million routers: time and memory to build, and some cycles", 1000, "neighbor", "0.01", 100, 1,
       ""}};
  return points;
}

std::string bench_yaml(const BenchPoint& point) {
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
