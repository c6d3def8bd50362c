// SPDX-License-Identifier: Apache-2.0
// Every rule between keys: one case that breaks it, with the whole message, and where it matters one that just keeps
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/memory_files.h"

namespace weft {
namespace {

using testing::HasSubstr;

std::string error_with(const std::vector<std::string>& sets) {
  return loading_error(kSmallConfig, sets, MemoryFiles({{"p.json", ""}, {"p.txt", ""}}));
}

TEST(ConfigContradictionBad, routing_of_another_fabric) {
  EXPECT_EQ(
      error_with({"fabric.kind=torus", "fabric.routing=xy"}),
      "--set fabric.routing=xy: fabric.routing: 'xy' is for a mesh, but fabric.kind is torus; legal: dimension_order");
  EXPECT_EQ(error_with({"fabric.routing=dimension_order"}),
            "--set fabric.routing=dimension_order: fabric.routing: 'dimension_order' is for a torus, but fabric.kind "
            "is mesh; legal: xy, yx, o1turn, odd_even, valiant");
}

TEST(ConfigContradictionBad, too_few_vcs_for_the_routing) {
  EXPECT_EQ(error_with({"fabric.kind=torus", "fabric.router.vcs=1"}),
            "--set fabric.router.vcs=1: fabric.router.vcs: 1 VC can deadlock with routing 'dimension_order': packets "
            "that wrap around a ring of four or more routers need VCs of their own; legal: at least 2");
  EXPECT_EQ(error_with({"fabric.kind=torus", "fabric.size=[3, 3]", "fabric.router.vcs=1"}), "");
  for (const std::string routing : {"o1turn", "valiant"}) {
    EXPECT_THAT(error_with({"fabric.routing=" + routing, "fabric.router.vcs=1"}),
                HasSubstr("1 VC can deadlock with routing '" + routing + "'"));
    EXPECT_EQ(error_with({"fabric.routing=" + routing, "fabric.router.vcs=2"}), "");
  }
  for (const std::string routing : {"xy", "yx", "odd_even"})
    EXPECT_EQ(error_with({"fabric.routing=" + routing, "fabric.router.vcs=1"}), "");
}

TEST(ConfigContradictionBad, too_few_vcs_for_the_message_classes) {
  EXPECT_EQ(error_with({"npu.message_classes=2", "fabric.router.vcs=1"}),
            "--set fabric.router.vcs=1: fabric.router.vcs: 1 VC can deadlock: npu.message_classes is 2, each with VCs "
            "of its own; legal: at least 2");
  EXPECT_EQ(error_with({"npu.message_classes=2", "fabric.router.vcs=3", "fabric.routing=o1turn"}),
            "--set fabric.router.vcs=3: fabric.router.vcs: 3 VCs can deadlock with routing 'o1turn': packets that go x "
            "first and packets that go y first "
            "need VCs of their own; npu.message_classes is 2, each with VCs of its own; legal: at least 4");
  EXPECT_EQ(error_with({"npu.message_classes=2", "fabric.router.vcs=4", "fabric.routing=o1turn"}), "");
}

TEST(ConfigContradictionBad, size) {
  EXPECT_EQ(error_with({"fabric.size=[4096, 4096]"}), "");
  EXPECT_EQ(error_with({"fabric.size=[4096, 4097]"}),
            "--set fabric.size=[4096, 4097]: fabric.size[1]: 4097 is out of range; legal: [x, y], two integers from 1 "
            "to 4096; one integer with kinds other than mesh and torus");
}

TEST(ConfigContradictionBad, link_rates_and_latencies) {
  EXPECT_EQ(error_with({"fabric.link.latency=0"}),
            "--set fabric.link.latency=0: fabric.link.latency: 0 is out of range; legal: bare cycles from 1 to "
            "1000000, or a duration such as '20 ns' (units: s, ms, us, ns, ps, fs)");
  EXPECT_EQ(
      error_with({"fabric.link.latency=0 ns"}),
      "--set fabric.link.latency=0 ns: fabric.link.latency: 0 cycles are out of range; legal: 1 to 1000000 cycles");
  EXPECT_EQ(error_with({"fabric.local.latency=1 s"}),
            "--set fabric.local.latency=1 s: fabric.local.latency: 1000000000 cycles are out of range; legal: 1 to "
            "1000000 cycles");
  // 1 TB/s over 1 B at 100 MHz = 10000 flits per cycle.
  EXPECT_EQ(error_with({"fabric.flit_bytes=1", "clock=100 MHz", "fabric.link.bandwidth=1 TB/s"}),
            "--set fabric.link.bandwidth=1 TB/s: fabric.link.bandwidth: gives 10000 flits per cycle; legal: at most "
            "1024. Take larger flits or a faster clock");
  EXPECT_THAT(error_with({"fabric.link.bandwidth=1.000000000000007 GB/s"}),
              HasSubstr("a fraction too fine to be kept exactly; round the bandwidth, clock or flit_bytes"));
  EXPECT_THAT(error_with({"fabric.link.bandwidth=0 GB/s"}),
              HasSubstr("0 GB/s is out of range; legal: a bandwidth of at least 1 B/s"));
  EXPECT_THAT(error_with({"npu.endpoint_delay=10 s"}),
              HasSubstr("10000000000 cycles are out of range; legal: 0 to 1000000000 cycles"));
}

TEST(ConfigContradictionBad, a_bandwidth_that_cannot_be_said) {
  EXPECT_EQ(error_with({"clock=976.5625123456789 MHz", "fabric.flit_bytes=1048575"}).substr(0, 150),
            "a.yaml:1:9: fabric.link.bandwidth: a link's bandwidth in bytes per second does not fit 64 bits; round the "
            "clock, flit_bytes or bandwidth\na.yaml:1:9: f");
}

TEST(ConfigContradictionBad, a_wrong_clock_gives_one_error_only) {
  EXPECT_EQ(error_with({"clock=1", "fabric.link.latency=20 ns", "fabric.link.bandwidth=1 GB/s"}),
            "--set clock=1: clock: '1' has no unit; legal units: THz, GHz, MHz, kHz, Hz");
}

TEST(ConfigContradictionBad, packets) {
  EXPECT_EQ(error_with({"fabric.flit_bytes=1", "npu.packet_bytes=65536"}),
            "--set npu.packet_bytes=65536: npu.packet_bytes: a packet of 65536 bytes has 65536 flits of 1 bytes; "
            "legal: at most 65535 flits");
  EXPECT_EQ(error_with({"fabric.flit_bytes=1", "npu.packet_bytes=65535"}), "");
  EXPECT_EQ(
      error_with({"npu.injectors=5"}),
      "--set npu.injectors=5: npu.injectors: 5 packets side by side need as many VCs, but fabric.router.vcs is 4");
}

// At 1 Hz 18,445 cycles of a link and two of margin are 18,447 s; 2^64 fs are 18,446.7 s.
TEST(ConfigContradictionBad, links_between_modules_slower_than_a_delay_can_be) {
  const auto error = [](const std::string& latency, const std::string& key) {
    return error_with({"clock=1 Hz", "fabric.link.bandwidth=32 B/s", "fabric.local.bandwidth=32 B/s",
                       "limits.watchdog_cycles=100000", "fabric.link.latency=" + latency, key});
  };
  const std::string sentence =
      "joins blocks by delays of at most 18,446 s, but a link takes 18445 cycles of 1 Hz; legal: faster "
      "links, or ";
  EXPECT_EQ(error("18445", "fabric.form=modules"), "--set fabric.form=modules: fabric.form: " + sentence + "region");
  EXPECT_EQ(error("18445", "npu.clock=1 Hz"), "--set npu.clock=1 Hz: npu.clock: " + sentence + "fabric");
  EXPECT_EQ(error("18444", "fabric.form=modules"), "");
  EXPECT_EQ(error("18445", "fabric.form=region"), "");
}

TEST(ConfigContradictionBad, watchdog_shorter_than_the_ramp) {
  EXPECT_THAT(
      error_with({"npu.ramp_cycles=10000"}),
      HasSubstr("limits.watchdog_cycles: 20000 cycles are no sign of a deadlock where a link takes 10000 cycles"));
}

TEST(ConfigContradictionBad, watchdog_shorter_than_a_link) {
  EXPECT_EQ(error_with({"limits.watchdog_cycles=40", "fabric.link.latency=20 ns"}),
            "--set limits.watchdog_cycles=40: limits.watchdog_cycles: 40 cycles are no sign of a deadlock where a link "
            "takes 20 cycles; legal: more than 40");
  EXPECT_EQ(error_with({"limits.watchdog_cycles=41", "fabric.link.latency=20 ns"}), "");
  // 32 B at 1 MB/s take 32,000 cycles of 1 ns.
  EXPECT_EQ(error_with({"fabric.link.bandwidth=1 MB/s"}),
            "a.yaml:1:1: limits.watchdog_cycles: 20000 cycles are no sign of a deadlock where a link takes 32000 "
            "cycles; legal: more than 64000");
  EXPECT_EQ(error_with({"fabric.link_y.latency=20 ns", "limits.watchdog_cycles=41"}), "");
  EXPECT_THAT(error_with({"fabric.link_y.latency=20 ns", "fabric.router.hop_cycles=3", "limits.watchdog_cycles=46"}),
              HasSubstr("where a link takes 23 cycles; legal: more than 46"));
}

TEST(ConfigContradictionBad, placement) {
  EXPECT_EQ(error_with({"npu.placement=[0, 16]"}),
            "--set npu.placement=[0, 16]: npu.placement[1]: node 16 does not exist; legal: 0 to 15");
  EXPECT_EQ(error_with({"npu.placement=[3, 2, 3]"}),
            "--set npu.placement=[3, 2, 3]: npu.placement[2]: node 3 stands twice in the list");
  EXPECT_EQ(error_with({"npu.placement=[]"}), "--set npu.placement=[]: npu.placement: an empty list places no rank");
}

TEST(ConfigContradictionBad, patterns) {
  EXPECT_EQ(error_with({"workload.traffic.pattern=transpose", "fabric.size=[4, 3]"}),
            "--set workload.traffic.pattern=transpose: workload.traffic.pattern: transpose needs a square fabric, but "
            "fabric.size is [4, 3]");
  EXPECT_EQ(
      error_with({"workload.traffic.pattern=hotspot"}),
      "--set workload.traffic.pattern=hotspot: workload.traffic.pattern: pattern 'hotspot' needs the key 'hotspots'");
  EXPECT_EQ(error_with({"workload.traffic.hotspots=[1]"}),
            "--set workload.traffic.hotspots=[1]: workload.traffic.hotspots: is only for pattern 'hotspot', but "
            "pattern is 'uniform'");
  EXPECT_EQ(
      error_with({"workload.traffic.pattern=hotspot", "workload.traffic.hotspots=[99]"}),
      "--set workload.traffic.hotspots=[99]: workload.traffic.hotspots[0]: node 99 does not exist; legal: 0 to 15");
  EXPECT_EQ(
      error_with({"workload.traffic.pattern=hotspot", "workload.traffic.hotspots=[]"}),
      "--set workload.traffic.pattern=hotspot: workload.traffic.pattern: pattern 'hotspot' needs the key 'hotspots'");
  EXPECT_EQ(error_with({"workload.traffic.pattern=permutation"}),
            "--set workload.traffic.pattern=permutation: workload.traffic.pattern: pattern 'permutation' needs the key "
            "'file'");
  EXPECT_EQ(error_with({"workload.traffic.file=p.txt"}),
            "--set workload.traffic.file=p.txt: workload.traffic.file: is only for pattern 'permutation', but pattern "
            "is 'uniform'");
  EXPECT_EQ(error_with({"workload.traffic.file=p.txt", "workload.traffic.pattern=permutation"}), "");
}

TEST(ConfigContradictionBad, rate_above_a_packet_per_cycle) {
  EXPECT_EQ(error_with({"workload.traffic.rate=5.5", "workload.traffic.packet_flits=5"}),
            "--set workload.traffic.rate=5.5: workload.traffic.rate: 5.5 flits per node and cycle are more than one "
            "packet of 5 flits in each cycle; legal: 0 to 5");
  EXPECT_EQ(error_with({"workload.traffic.rate=5", "workload.traffic.packet_flits=5"}), "");
}

TEST(ConfigContradictionBad, collective_group_and_root) {
  const std::string size = "workload.collective.size=1 MiB";
  EXPECT_EQ(
      error_with({size, "workload.collective.group=[1, 16]"}),
      "--set workload.collective.group=[1, 16]: workload.collective.group[1]: rank 16 does not exist; legal: 0 to 15");
  EXPECT_EQ(error_with({size, "npu.placement=[5, 6]", "workload.collective.group=[2]"}),
            "--set workload.collective.group=[2]: workload.collective.group[0]: rank 2 does not exist; legal: 0 to 1");
  EXPECT_EQ(error_with({size, "workload.collective.group=[1, 1]"}),
            "--set workload.collective.group=[1, 1]: workload.collective.group[1]: rank 1 stands twice in the list");
  EXPECT_EQ(error_with({size, "workload.collective.group=[]"}),
            "--set workload.collective.group=[]: workload.collective.group: an empty list; legal: 'all' or at least "
            "one rank");
  EXPECT_EQ(error_with({size, "workload.collective.root=16"}),
            "--set workload.collective.root=16: workload.collective.root: rank 16 is not in the group; legal: 0 to 15");
  EXPECT_EQ(error_with({size, "workload.collective.group=[1, 2]", "workload.collective.root=0"}),
            "--set workload.collective.root=0: workload.collective.root: rank 0 is not in the group; legal: a rank of "
            "the group");
  EXPECT_EQ(error_with({size, "workload.collective.group=[1, 2]", "workload.collective.root=2"}), "");
}

TEST(ConfigContradictionBad, collective_sizes_and_chunks) {
  EXPECT_EQ(error_with({"workload.collective={size: 10 B, data: values}"}),
            "--set workload.collective={size: 10 B, data: values}: workload.collective.size: 10 bytes are no whole "
            "number of fp32 elements; with data 'values' legal: multiples of 4 bytes");
  EXPECT_EQ(error_with({"workload.collective={size: 10 B, data: values, dtype: fp16}"}), "");
  EXPECT_EQ(error_with({"workload.collective={size: 10 B}"}), "");
  EXPECT_EQ(error_with({"workload.collective={size: 1 KiB, chunks: 2, active_chunks: 3}"}),
            "--set workload.collective={size: 1 KiB, chunks: 2, active_chunks: 3}: workload.collective.active_chunks: "
            "3 chunks in flight are more than there are: chunks is 2");
}

TEST(ConfigContradictionBad, more_chunks_than_messages_tell_apart) {
  EXPECT_EQ(
      error_with({"workload.collective={size: 1 KiB, chunks: 65}"}),
      "--set workload.collective={size: 1 KiB, chunks: 65}: workload.collective.chunks: 65 is out of range; legal: "
      "an integer from 1 to 64");
  EXPECT_EQ(error_with({"workload.collective={size: 1 KiB, chunks: 64, active_chunks: 64}"}), "");
  EXPECT_THAT(error_with({"workload.collective={size: 1 KiB, active_chunks: 65}"}),
              HasSubstr("workload.collective.active_chunks: 65 is out of range; legal: an integer from 0 to 64"));
}

TEST(ConfigContradictionBad, algorithm_files) {
  EXPECT_EQ(error_with({"workload.collective={size: 1 KiB, algorithm: file}"}),
            "--set workload.collective={size: 1 KiB, algorithm: file}: workload.collective.algorithm: algorithm 'file' "
            "needs the key 'algorithm_file'");
  EXPECT_EQ(error_with({"workload.collective={size: 1 KiB, algorithm_file: p.json}"}),
            "--set workload.collective={size: 1 KiB, algorithm_file: p.json}: workload.collective.algorithm_file: is "
            "only for algorithm 'file', but algorithm is 'ring'");
  EXPECT_EQ(
      error_with({"workload.collective={size: 1 KiB, algorithm_file: p.json}", "workload.collective.algorithm_file="}),
      "");
  EXPECT_THAT(error_with({"workload.collective={size: 1 KiB, algorithm: file, algorithm_file: ''}"}),
              HasSubstr("algorithm 'file' needs the key 'algorithm_file'"));
  EXPECT_EQ(error_with({"workload.collective={size: 1 KiB, algorithm: file, algorithm_file: p.json}"}), "");
}

TEST(ConfigContradictionBad, algorithm_tables) {
  EXPECT_EQ(error_with({"workload.collective={size: 1 KiB, algorithm: auto}"}),
            "--set workload.collective={size: 1 KiB, algorithm: auto}: workload.collective.algorithm: algorithm 'auto' "
            "needs the key 'algorithm_table', a file that `weft advise collectives CONFIG --out FILE` writes");
  EXPECT_EQ(error_with({"workload.collective={size: 1 KiB, algorithm_table: p.json}"}),
            "--set workload.collective={size: 1 KiB, algorithm_table: p.json}: workload.collective.algorithm_table: is "
            "only for algorithm 'auto', but algorithm is 'ring'");
  EXPECT_EQ(error_with({"workload.collective={size: 1 KiB, algorithm: auto, algorithm_table: p.json}"}), "");
}

TEST(ConfigContradictionBad, waves) {
  EXPECT_EQ(error_with({"waves.from=2 us", "waves.to=1 us"}),
            "--set waves.to=1 us: waves.to: the window ends at 1000 ns, but begins at 2000 ns; legal: a later end");
  EXPECT_EQ(error_with({"waves.file=run.txt"}),
            "--set waves.file=run.txt: waves.file: 'run.txt' has no known ending; known: .vcd, .fst");
}

TEST(ConfigContradictionBad, two_workloads_in_one_file) {
  EXPECT_EQ(loading_error("fabric: {size: [4, 4]}\nworkload:\n  traffic: {rate: 0.1}\n  collective: {size: 1 KiB}\n"),
            "a.yaml:3:12: workload has collective and traffic; legal: exactly one of trace, collective, traffic, io");
}

TEST(ConfigContradictionBad, names_that_are_no_folder) {
  EXPECT_EQ(error_with({"name=a/b"}),
            "--set name=a/b: name: 'a/b' names no folder; legal: up to 100 characters without '/'");
}

}  // namespace
}  // namespace weft
