// SPDX-License-Identifier: Apache-2.0
// Fabrics of FRED switches that cannot be: each with the whole message, and where it matters one that just can.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/fred_configs.h"
#include "tests/config/memory_files.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string error_of_fred(const std::vector<std::string>& sets) { return loading_error(kFredConfig, sets); }

/// The message for one option without the option in front of it.
std::string error_of(const std::string& set) {
  const std::string text = error_of_fred({set});
  const std::string start = "--set " + set + ": ";
  return text.compare(0, start.size(), start) == 0 ? text.substr(start.size()) : text;
}

TEST(ConfigFredBad, keys_of_the_other_kind_of_fabric) {
  EXPECT_EQ(error_of("fabric.size=[4, 3]"),
            "fabric.size: is only for fabric.kind mesh, torus, ring, fully_connected and switch, but fabric.kind is "
            "fred; there it is npu.count and "
            "fabric.levels");
  EXPECT_EQ(error_of("fabric.router.vcs=4"),
            "fabric.router.vcs: is only for fabric.kind mesh, torus, ring, fully_connected and switch, but fabric.kind "
            "is fred");
  EXPECT_EQ(
      error_of("fabric.routing=xy"),
      "fabric.routing: is only for fabric.kind mesh, torus, ring, fully_connected and switch, but fabric.kind is fred");
  EXPECT_THAT(error_of("fabric.link.latency=2"), HasSubstr("there it is fabric.levels[i].bandwidth and latency"));
  EXPECT_THAT(error_of("npu.message_classes=2"), HasSubstr("there it is the four traffic classes of each port"));
  EXPECT_EQ(loading_error(kSmallConfig, {"fabric.m=3"}),
            "--set fabric.m=3: fabric.m: is only for fabric.kind fred, but fabric.kind is mesh");
  EXPECT_EQ(loading_error(kSmallConfig, {"fabric.levels=[{groups: 1}]"}),
            "--set fabric.levels=[{groups: 1}]: fabric.levels: is only for fabric.kind fred, but fabric.kind is mesh");
  EXPECT_EQ(error_of("io.routing=xy"),
            "io.routing: is only for fabric.kind mesh and torus, but fabric.kind is fred; there it is one way for all");
  // What a key of a grid has in its place on FRED switches is no hint for a ring.
  EXPECT_EQ(loading_error("fabric: {kind: ring, size: 8}\nworkload: {traffic: {}}\n", {"fabric.link_y.latency=2"}),
            "--set fabric.link_y.latency=2: fabric.link_y.latency: is only for fabric.kind mesh and torus, but "
            "fabric.kind is ring");
}

/// A whole system of another kind, as an unlike include gives it: the cause alone is named, not what follows from it.
TEST(ConfigFredBad, an_include_of_the_other_kind) {
  const MemoryFiles files(
      {{"z.yaml", "include: a_fred.yaml\nfabric: {kind: mesh, size: [4, 4]}\n"},
       {"a_fred.yaml",
        "fabric: {kind: fred, levels: [{groups: 1}], m: 3, header: 6 B, control: one_tree, conflict: "
        "refuse}\nio: {controllers: 18}\nnpu: {count: 12, placement: [11]}\n"
        "workload: {collective: {size: 1 KiB, algorithm: in_switch}}\n"}});
  try {
    load_config("z.yaml", {}, files);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "z.yaml:2:16: fabric.kind: is mesh, but 5 keys are only for fred: fabric.m (a_fred.yaml:1:48), "
                 "fabric.levels (a_fred.yaml:1:30), fabric.control (a_fred.yaml:1:73), fabric.conflict "
                 "(a_fred.yaml:1:93) and 1 more; take these out, or set fabric.kind to their kind");
  }
  EXPECT_THAT(
      loading_error("fabric: {size: [2, 2], m: 3, header: 6 B, conflict: refuse}\nworkload: {traffic: {}}\n"),
      StartsWith("a.yaml:1:9: fabric.kind: is mesh, which is the default, but 3 keys are only for fred: fabric.m "
                 "(a.yaml:1:27), "));
}

TEST(ConfigFredBad, modules_without_link_layer_and_one_clock) {
  EXPECT_EQ(error_of_fred({"fabric.form=modules"}), "");
  EXPECT_EQ(
      error_of_fred({"fabric.form=modules", "fabric.link_layer=gbn"}),
      "--set fabric.form=modules: fabric.form: 'modules' joins switches by flit sockets, which carry no ACKs, but "
      "fabric.link_layer is gbn; legal: region, or fabric.link_layer: credit");
  EXPECT_EQ(error_of("npu.clock=2 GHz"),
            "npu.clock: NPUs on a fabric of kind fred have the fabric's clock; legal: fabric");
}

// A packet that is lost and sent again is silent for a timeout, and for another one if it is lost again.
TEST(ConfigFredBad, a_watchdog_shorter_than_two_timeouts_of_a_link) {
  EXPECT_EQ(
      error_of_fred({"fabric.link_layer=gbn", "fabric.retransmit_timeout=10000", "limits.watchdog_cycles=20000"}),
      "--set limits.watchdog_cycles=20000: limits.watchdog_cycles: 20000 cycles are no sign of a deadlock where a "
      "lost packet is sent again after 10000 cycles (fabric.retransmit_timeout); legal: more than 20000");
  EXPECT_EQ(error_of_fred({"fabric.link_layer=gbn", "fabric.retransmit_timeout=10000", "limits.watchdog_cycles=20001"}),
            "");
  EXPECT_EQ(error_of_fred({"limits.watchdog_cycles=200"}), "");
}

TEST(ConfigFredBad, an_unknown_kind_is_the_only_error) {
  EXPECT_EQ(error_of("fabric.kind=ferd"),
            "fabric.kind: unknown name 'ferd'; known: mesh, torus, fred, ring, fully_connected, switch; did you mean "
            "'fred'?");
}

TEST(ConfigFredBad, what_must_be_given) {
  EXPECT_EQ(loading_error("fabric: {kind: fred}\nnpu: {count: 4}\nworkload: {collective: {size: 1 KiB}}\n"),
            "a.yaml:1:9: fabric.levels: is missing; legal: a list of 1 to 8 maps with the keys groups, ports, planes, "
            "uplinks, bandwidth, latency, buffer, reconfig_cycles, model");
  EXPECT_EQ(loading_error("fabric: {kind: fred, levels: [{groups: 1}]}\nworkload: {collective: {size: 1 KiB}}\n"),
            "a.yaml:1:1: npu.count: is missing; with fabric.kind fred legal: at least 1");
  EXPECT_EQ(error_of("fabric.levels=[{uplinks: 1}, {groups: 1}]"),
            "fabric.levels[0].groups: is missing; legal: an integer from 1 to 1048576");
}

TEST(ConfigFredBad, what_is_no_list_of_maps) {
  const std::string legal =
      "; legal: a list of 1 to 8 maps with the keys groups, ports, planes, uplinks, bandwidth, latency, buffer, "
      "reconfig_cycles, model";
  EXPECT_EQ(error_of("fabric.levels=5"), "fabric.levels: '5' cannot be used" + legal);
  EXPECT_EQ(error_of("fabric.levels={groups: 1}"), "fabric.levels: a map cannot be used" + legal);
  EXPECT_EQ(error_of("fabric.levels=[]"), "fabric.levels: an empty list" + legal);
  EXPECT_EQ(error_of("fabric.levels=[{},{},{},{},{},{},{},{},{}]"),
            "fabric.levels: a list of 9 cannot be used" + legal);
  EXPECT_EQ(error_of("fabric.levels="), "fabric.levels: has no value" + legal);
  EXPECT_EQ(error_of("fabric.levels=[3, {groups: 1}]"),
            "fabric.levels[0]: '3' where keys are expected; known: groups, ports, planes, uplinks, bandwidth, latency, "
            "buffer, reconfig_cycles, model");
  EXPECT_EQ(error_of("fabric.levels[3].groups=1"), "[3] is out of range; the list has 2 elements, legal: 0 to 2");
}

TEST(ConfigFredBad, slow_adders_need_registers) {
  EXPECT_EQ(
      error_of("fabric={register_every: 2, reduce_cycles: 3}"),
      "fabric.register_every: 2 uSwitches per register, but fabric.reduce_cycles = 3 needs registers in each that "
      "adds; legal: 1, or reduce_cycles 1");
}

TEST(ConfigFredBad, errors_in_elements_have_their_places) {
  EXPECT_EQ(loading_error("fabric:\n  kind: fred\n  levels:\n    - groups: 4\n      uplinsk: 2\n      latency: 0\n"
                          "    - groups: one\n      bufer: 3 KiB\n"
                          "npu: {count: 12}\nworkload: {collective: {size: 1 KiB}}\n"),
            "a.yaml:5:7: unknown key 'uplinsk' in 'fabric.levels[0]'; did you mean 'uplinks'? Known: groups, ports, "
            "planes, uplinks, bandwidth, latency, buffer, reconfig_cycles, model\n"
            "a.yaml:6:16: fabric.levels[0].latency: 0 is out of range; legal: bare cycles from 1 to 1000000, or a "
            "duration such as '20 ns' (units: s, ms, us, ns, ps, fs)\n"
            "a.yaml:7:15: fabric.levels[1].groups: 'one' cannot be used; legal: an integer from 1 to 1048576\n"
            "a.yaml:8:7: unknown key 'bufer' in 'fabric.levels[1]'; did you mean 'buffer'? Known: groups, ports, "
            "planes, uplinks, bandwidth, latency, buffer, reconfig_cycles, model");
  EXPECT_THAT(error_of("reconfig_cycles=1"),
              StartsWith("unknown key 'reconfig_cycles'; did you mean 'fabric.levels[0].reconfig_cycles'?"));
}

TEST(ConfigFredBad, levels_that_form_no_tree) {
  EXPECT_EQ(error_of("fabric.levels[1].groups=2"),
            "fabric.levels[1].groups: 2 logical switches at the top level are not joined; legal: 1, or a level above "
            "them");
  const std::string three = "fabric.levels=[{groups: 4, uplinks: 1}, {groups: 3, uplinks: 1}, {groups: 1}]";
  EXPECT_EQ(
      error_of(three),
      "fabric.levels[1].groups: the 4 switches of the level below cannot be spread evenly over 3; legal: a divisor "
      "of 4");
  EXPECT_EQ(error_of("fabric.levels[1].uplinks=1"),
            "fabric.levels[1].uplinks: 1 uplinks lead nowhere: there is no level above; legal: 0");
  EXPECT_EQ(error_of("fabric.levels[0].uplinks=0"),
            "fabric.levels[0].uplinks: 0 uplinks do not reach the level above; legal: at least 1");
  EXPECT_EQ(error_of("fabric.levels[1].latency=3"),
            "fabric.levels[1].latency: is for uplinks, but the top level has none");
  EXPECT_EQ(
      error_of("npu.count=13"),
      "npu.count: 13 NPUs cannot be spread evenly over 4 switches, fabric.levels[0].groups; legal: multiples of 4");
  EXPECT_EQ(loading_error(kSmallConfig, {"npu.count=15"}),
            "--set npu.count=15: npu.count: 15 NPUs contradict fabric.size, which is [4, 4]; legal: 16");
}

TEST(ConfigFredBad, planes_and_uplinks_that_do_not_add_up_to_the_bandwidth) {
  // A flit of 32 B per ns: 4 uplinks x planes carry 128 GB/s at most.
  EXPECT_EQ(error_of("fabric.levels[0].bandwidth=320 GB/s"),
            "fabric.levels[0].bandwidth: 320 GB/s over 2 uplinks x 2 planes is 80 GB/s each; one carries at most "
            "flit_bytes x clock = 32 GB/s; legal: at most 128 GB/s, or at least 5 planes, or at least 5 uplinks");
  EXPECT_EQ(error_of_fred({"fabric.levels[0].bandwidth=320 GB/s", "fabric.levels[0].planes=5"}), "");
  EXPECT_EQ(error_of_fred({"fabric.levels[0].bandwidth=320 GB/s", "fabric.levels[0].uplinks=5"}), "");
  EXPECT_EQ(error_of("fabric.levels[0].bandwidth=128 GB/s"), "");
  EXPECT_EQ(error_of("fabric.local.bandwidth=65 GB/s"),
            "fabric.local.bandwidth: 65 GB/s over 2 planes is 32.5 GB/s each; one carries at most flit_bytes x clock = "
            "32 GB/s; legal: at most 64 GB/s, or at least 3 planes");
  EXPECT_EQ(error_of("io.bandwidth=1 TB/s"),
            "io.bandwidth: 1 TB/s over 2 planes is 500 GB/s each; one carries at most flit_bytes x clock = 32 GB/s; "
            "legal: at most 64 GB/s");  // 32 planes are more than there can be
  EXPECT_EQ(error_of("fabric.levels[1].planes=3"),
            "fabric.levels[1].planes: 3 planes, but fabric.levels[0] has 2; legal: 2, or leave it out");
  EXPECT_THAT(error_of("fabric.levels[0].planes=9"), HasSubstr("9 is out of range; legal: an integer from 1 to 8"));
}

TEST(ConfigFredBad, chiplets_with_too_few_ports) {
  EXPECT_EQ(error_of("fabric.levels[0].ports=4"),
            "fabric.levels[0].ports: 4 ports are too few: a chiplet needs 3 NPUs + 2 uplinks of its own = 5; legal: 5 "
            "to 256");
  EXPECT_EQ(error_of("fabric.levels[0].ports=5"), "");
  EXPECT_EQ(error_of_fred({"fabric.levels[0].ports=5", "io.controllers=5"}),
            "--set fabric.levels[0].ports=5: fabric.levels[0].ports: 5 ports are too few: a chiplet needs 3 NPUs + 2 "
            "uplinks of its own + 2 I/O controllers = 7; legal: 7 to 256");
  EXPECT_EQ(error_of("fabric.levels[1].ports=3"),
            "fabric.levels[1].ports: 3 ports are too few: a chiplet needs 4 children x 1 uplink = 4; legal: 4 to 256");
  EXPECT_THAT(
      error_of("npu.count=1200"),
      HasSubstr("fabric.levels[0].groups: a chiplet needs 300 NPUs + 2 uplinks of its own = 302 ports; legal: at "
                "most 256"));
  EXPECT_THAT(error_of("fabric.m=17"), HasSubstr("17 is out of range; legal: an integer from 2 to 16"));
  EXPECT_EQ(error_of_fred({"fabric.levels=[{groups: 4, uplinks: 6}, {groups: 2, uplinks: 4}, {groups: 1}]"}),
            "--set fabric.levels=[{groups: 4, uplinks: 6}, {groups: 2, uplinks: 4}, {groups: 1}]: "
            "fabric.levels[1].uplinks: 4 uplinks cannot be spread evenly over the chiplets that take the 6 uplinks of "
            "each child; legal: multiples of 3");
}

TEST(ConfigFredBad, buffers_below_one_packet) {
  EXPECT_EQ(error_of("fabric.levels[1].buffer=127 B"),
            "fabric.levels[1].buffer: 3 flits of 32 B are less than one packet of npu.packet_bytes = 128 B; legal: at "
            "least 128 B");
  EXPECT_EQ(error_of("fabric.levels[1].buffer=128 B"), "");
  EXPECT_THAT(error_of("fabric.levels[1].buffer=31 B"), HasSubstr("31 bytes are less than a flit; legal: at least 32"));
  EXPECT_THAT(error_of("fabric.control_buffer=16"), HasSubstr("16 bytes are less than a flit; legal: at least 32"));
}

TEST(ConfigFredBad, numbers_without_end) {
  EXPECT_THAT(error_of("npu.packet_bytes=64 MiB"), HasSubstr("has 2097152 flits of 32 bytes; legal: at most 65535"));
  EXPECT_THAT(error_of("fabric.levels[0].buffer=1 TiB"), HasSubstr("1 TiB is out of range"));
  EXPECT_THAT(error_of("fabric.levels[0].buffer=1 GiB"), HasSubstr("33554432 flits; legal: at most 16777216 flits"));
  EXPECT_THAT(error_of("clock=976.5625123456789 MHz"), HasSubstr("too fine to be kept exactly"));
}

TEST(ConfigFredBad, workloads_that_the_fabric_does_not_carry) {
  EXPECT_EQ(error_of("workload.traffic.rate=0.1"),
            "a.yaml:7:11: workload.traffic: synthetic traffic is for routers, but fabric.kind is fred, which plays "
            "traces and "
            "collectives; legal: trace, collective");
  EXPECT_EQ(error_of("workload.collective.group=[0, 12]"),
            "workload.collective.group[1]: rank 12 does not exist; legal: 0 to 11");
  EXPECT_EQ(error_of("npu.placement=[0, 12]"), "npu.placement[1]: node 12 does not exist; legal: 0 to 11");
}

TEST(ConfigFredBad, types_that_the_switches_lack) {
  const std::string in_switch = "workload.collective.algorithm=in_switch";
  EXPECT_EQ(error_of_fred({in_switch}), "");
  EXPECT_EQ(
      error_of_fred({in_switch, "fabric.formats=[bf16, int32]"}),
      "a.yaml:7:24: workload.collective.dtype: the switches cannot reduce fp32; legal, from fabric.formats: [bf16, "
      "int32]");
  EXPECT_EQ(error_of_fred({in_switch, "fabric.formats=[bf16]", "workload.collective.dtype=bf16"}), "");
  EXPECT_EQ(error_of_fred({in_switch, "fabric.formats=[bf16]", "workload.collective.kind=broadcast"}), "");
  EXPECT_EQ(error_of_fred({"fabric.formats=[bf16]"}), "");  // a ring adds at the endpoints
  EXPECT_EQ(error_of_fred({in_switch, "fabric.accumulate=fp32"}),
            "--set fabric.accumulate=fp32: fabric.accumulate: fp32 is for elements of fp16 and bf16, but "
            "workload.collective.dtype is fp32");
  EXPECT_EQ(error_of_fred({in_switch, "fabric.accumulate=fp32", "workload.collective.dtype=fp16"}), "");
  // What is not reduced needs no equal in FP32, unless values are compared.
  const std::string broadcast = "workload.collective.kind=broadcast";
  const std::string int32 = "workload.collective.dtype=int32";
  EXPECT_EQ(error_of_fred({in_switch, "fabric.accumulate=fp32", broadcast, int32, "workload.collective.data=values"}),
            "--set fabric.accumulate=fp32: fabric.accumulate: fp32 is for elements of fp16 and bf16, but "
            "workload.collective.dtype is int32");
  EXPECT_EQ(error_of_fred({in_switch, "fabric.accumulate=fp32", broadcast, int32}), "");
  EXPECT_EQ(error_of_fred({in_switch, "fabric.accumulate=fp32", broadcast, "workload.collective.data=values"}), "");
  EXPECT_EQ(error_of_fred({in_switch, "fabric.in_switch=false"}),
            "--set workload.collective.algorithm=in_switch: workload.collective.algorithm: 'in_switch' needs switches "
            "that reduce, but fabric.in_switch is false");
  EXPECT_EQ(loading_error(kSmallConfig, {"workload.collective.size=1 KiB", in_switch}),
            "--set workload.collective.algorithm=in_switch: workload.collective.algorithm: 'in_switch' is for "
            "fabric.kind fred, but fabric.kind is mesh");
}

TEST(ConfigFredBad, several_phases_do_not_reload) {
  EXPECT_EQ(error_of_fred({"fabric.reload_cycles=5"}), "");
  EXPECT_EQ(error_of_fred({"fabric.reload_cycles=5", "fabric.control=one_tree"}), "");
  EXPECT_EQ(error_of_fred({"fabric.reload_cycles=5", "fabric.control=several_phases"}),
            "--set fabric.reload_cycles=5: fabric.reload_cycles: 5 cycles to load a stored setting into the place of "
            "another one, but with fabric.control: several_phases any number of them are active at once; legal: 0, or "
            "one_phase or one_tree");
}

/// What switches of RTL do not have is told where it is written, a default where the model is.
TEST(ConfigFredBad, rtl_switches_lack_some_parameters) {
  const std::string rtl = "fabric.model=rtl";
  const std::string greedy = "fabric.matching=greedy";
  EXPECT_EQ(error_of_fred({rtl, greedy}), "");
  EXPECT_EQ(error_of_fred({"fabric.matching=maximum"}), "");
  EXPECT_EQ(error_of_fred({rtl}),
            "--set fabric.model=rtl: fabric.model: rtl matches unicasts one after the other within a cycle, but "
            "fabric.matching is maximum; legal: fabric.matching: greedy, or model: tlm");
  EXPECT_EQ(error_of_fred({rtl, "fabric.matching=maximum"}),
            "--set fabric.matching=maximum: fabric.matching: maximum, but fabric.model: rtl matches unicasts one after "
            "the other within a cycle; legal: greedy, or model: tlm");
  EXPECT_EQ(error_of_fred({"fabric.levels[1].model=lockstep", greedy, "fabric.control=one_tree"}),
            "--set fabric.control=one_tree: fabric.control: one_tree, but fabric.levels[1].model: lockstep has one "
            "active stored setting at a time; legal: one_phase, or model: tlm");
  EXPECT_THAT(error_of_fred({rtl, greedy, "fabric.flow_control=wormhole"}),
              HasSubstr("legal: cut_through, or model: tlm"));
  EXPECT_THAT(error_of_fred({rtl, greedy, "fabric.register_every=2"}),
              HasSubstr("fabric.register_every: 2, but fabric.model: rtl has a register behind every uSwitch"));
  EXPECT_THAT(error_of_fred({rtl, greedy, "fabric.reload_cycles=5"}),
              HasSubstr("has all its settings stored before a run; legal: 0, or model: tlm"));
  EXPECT_EQ(error_of_fred({rtl, greedy, "fabric.control_buffer=2097120 B"}), "");
  EXPECT_THAT(error_of_fred({rtl, greedy, "fabric.control_buffer=2 MiB"}), HasSubstr("counts to 65535"));
  EXPECT_EQ(error_of_fred({rtl, greedy, "fabric.levels[0].buffer=2097120 B"}), "");
  EXPECT_THAT(error_of_fred({rtl, greedy, "fabric.levels[1].buffer=2 MiB"}),
              HasSubstr("fabric.levels[1].buffer: 65536 flits, but fabric.model: rtl counts to 65535; legal: at most"));
  EXPECT_EQ(error_of_fred({"fabric.levels[0].model=rtl", greedy, "fabric.levels[1].buffer=2 MiB"}), "");
  EXPECT_THAT(error_of_fred({"fabric.model=vhdl", "fabric.matching=maximum"}), Not(HasSubstr("matches unicasts")));
}

TEST(ConfigFredBad, words_and_numbers) {
  EXPECT_EQ(error_of("fabric.model=vhdl"), "fabric.model: unknown name 'vhdl'; known: tlm, rtl, lockstep");
  EXPECT_EQ(error_of("fabric.conflict=serialise"),
            "fabric.conflict: unknown name 'serialise'; known: serialize, decompose, replace, refuse; did you mean "
            "'serialize'?");
  EXPECT_EQ(error_of("fabric.formats=[fp32, fp8]"),
            "fabric.formats[1]: unknown name 'fp8'; known: fp32, int32, fp16, bf16");
  EXPECT_THAT(error_of("fabric.formats=fp32"), HasSubstr("legal: a list of some of fp32, int32, fp16, bf16"));
  EXPECT_EQ(error_of("fabric.lanes=3"),
            "fabric.lanes: 3 lanes of 4 bytes do not divide a flit of 32 bytes; legal: divisors of 8");
  EXPECT_THAT(error_of("fabric.flit_bytes=30"),
              HasSubstr("flits of 30 bytes do not fit the lanes of FRED switches; legal: 4 to 4096 in steps of 4"));
  EXPECT_EQ(error_of("npu.injectors=9"),
            "npu.injectors: 9 packets side by side are more than 2 planes x 4 traffic classes; legal: at most 8");
  EXPECT_EQ(
      error_of("limits.watchdog_cycles=26"),
      "limits.watchdog_cycles: 26 cycles are no sign of a deadlock where a link takes 13 cycles; legal: more than "
      "26");
}

TEST(ConfigFredBad, errors_of_links) {
  EXPECT_THAT(error_of("fabric.bit_error_rate=1e-9"),
              HasSubstr("1e-09 on links that nothing repairs: credit links are error-free; legal: 0, or "
                        "fabric.link_layer: gbn"));
  EXPECT_THAT(error_of("fabric.drop_rate=0.5"), HasSubstr("0.5 on links that nothing repairs"));
  EXPECT_THAT(error_of("fabric.drop_rate=1.5"), HasSubstr("a number from 0 to 1"));
  EXPECT_THAT(error_of("fabric.ack_packets=4"), HasSubstr("fabric.link_layer is credit; legal: leave it out"));
  EXPECT_THAT(loading_error(kFredConfig, {"fabric.link_layer=gbn", "fabric.replay_packets=15"}),
              HasSubstr("fabric.replay_packets: 15 packets are fewer than those of one ACK, fabric.ack_packets = 16; "
                        "legal: at least 16"));
  EXPECT_THAT(error_of("fabric.link_layer=gbm"), HasSubstr("did you mean 'gbn'?"));
}

}  // namespace
}  // namespace weft
