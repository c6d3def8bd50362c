// SPDX-License-Identifier: Apache-2.0
// The jobs that architects run: collectives on the wafers of the FRED paper and on large meshes.
#include "cli/bench/bench_points.h"

namespace weft::cli {
namespace {

std::string workload(const std::string& collective) { return "workload:\n  collective: " + collective + "\n"; }

/// The wafers of configs/fred-b.yaml, fred-c.yaml and fred-d.yaml: 20 NPUs, six planes; `trunk` is what lies between
/// each L1 switch and L2.
std::string fred_wafer(bool in_switch, const std::string& trunk, const std::string& collective) {
  return std::string(R"(clock: 976.5625 MHz
fabric:
  kind: fred
  flit_bytes: 512 B
  header: 6 B
  m: 3
  local: {bandwidth: 3 TB/s, latency: 20 ns}
  control_buffer: 2 KiB
  in_switch: )") +
         (in_switch ? "true" : "false") + R"(
  levels:
    - {groups: 5, ports: 12, planes: 6, uplinks: 4, latency: 20 ns, buffer: 64 KiB, bandwidth: )" +
         trunk + R"(}
    - {groups: 1, ports: 10, buffer: 64 KiB}
io: {controllers: 18, bandwidth: 128 GB/s}
npu: {count: 20, packet_bytes: 4 KiB, reduce_bandwidth: 3 TB/s}
)" + workload(collective);
}

/// The wafer of configs/mesh-wafer.yaml.
std::string mesh_wafer(const std::string& collective) {
  return R"(clock: 976.5625 MHz
fabric:
  kind: mesh
  size: [5, 4]
  routing: xy
  flit_bytes: 512 B
  link: {bandwidth: 750 GB/s, latency: 20 ns}
  local: {bandwidth: 3 TB/s, latency: 1 ns}
  router: {vcs: 8, buffer_flits: 88, routing_delay: 0, vc_alloc_delay: 1, switch_alloc_delay: 1, traversal_delay: 1, credit_delay: 2}
npu: {packet_bytes: 4 KiB, reduce_bandwidth: 3 TB/s, injection_vcs: by_direction, message_order: oldest_first}
)" + workload(collective);
}

/// A mesh with the reference router and flits of 512 bytes.
std::string mesh(const std::string& size, const std::string& collective) {
  return R"(clock: 1 GHz
fabric:
  kind: mesh
  size: )" +
         size + R"(
  routing: xy
  flit_bytes: 512 B
  router: {vcs: 4, buffer_flits: 8, routing_delay: 0, vc_alloc_delay: 1, switch_alloc_delay: 1, traversal_delay: 1, credit_delay: 2}
)" + workload(collective);
}

}  // namespace

std::vector<BenchPoint> real_points() {
  const std::string in_switch = "{kind: all_reduce, algorithm: in_switch, dtype: fp32, chunks: 64, active_chunks: 16, ";
  return {
      configured("real-mesh-wafer", "all-reduce of 16 MiB over the 5x4 NPUs of mesh-wafer",
                 mesh_wafer("{kind: all_reduce, algorithm: hierarchical_2d, size: 16 MiB, chunks: 64}")),
      configured("real-fred-b", "all-reduce of 16 MiB in the switches of fred-b",
                 fred_wafer(true, "1.5 TB/s", in_switch + "size: 16 MiB}")),
      configured(
          "real-fred-c", "all-reduce of 16 MiB on fred-c, the NPUs add",
          fred_wafer(false, "12 TB/s",
                     "{kind: all_reduce, algorithm: two_level_ring, size: 16 MiB, chunks: 64, active_chunks: 16}")),
      configured("real-fred-d", "all-reduce of 64 MiB in the switches of fred-d",
                 fred_wafer(true, "12 TB/s", in_switch + "size: 64 MiB}")),
      configured("real-hierarchical-4096", "all-reduce of 1 MiB over 4096 NPUs, hierarchical_2d",
                 mesh("[64, 64]", "{kind: all_reduce, algorithm: hierarchical_2d, size: 1 MiB}")),
      configured("real-ring-1024", "all-reduce of 1 MiB over 1024 NPUs, a ring of 2046 steps",
                 mesh("[32, 32]", "{kind: all_reduce, algorithm: ring, size: 1 MiB}")),
      configured("real-all-to-all-1024", "all-to-all of 1 MiB between 1024 NPUs, direct",
                 mesh("[32, 32]", "{kind: all_to_all, algorithm: direct, size: 1 MiB}")),
  };
}

}  // namespace weft::cli
