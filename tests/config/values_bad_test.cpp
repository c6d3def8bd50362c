// SPDX-License-Identifier: Apache-2.0
// Every class of wrong value, with the whole message: place, what was found, what is legal, nearest name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/memory_files.h"

namespace weft {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The error of a configuration whose third line is `line`.
std::string error_of_line(const std::string& line) { return loading_error(std::string(kSmallConfig) + line + "\n"); }

TEST(ConfigBad, unknown_key_names_the_nearest) {
  EXPECT_THAT(
      error_of_line("thread: 2"),
      StartsWith("a.yaml:3:1: unknown key 'thread'; did you mean 'threads'? Known: name, seed, threads, clock, "));
  EXPECT_THAT(
      error_of_line("npu: {pak_flops: 1 GFLOP/s}"),
      StartsWith(
          "a.yaml:3:7: unknown key 'pak_flops' in 'npu'; did you mean 'peak_flops'? Known: count, clock, peak_flops"));
}

/// The time grows with the number of keys, not with its square: 200,000 took minutes once. The first errors keep their
/// hints, the others are counted.
TEST(ConfigBad, very_many_unknown_or_repeated_keys_bad) {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += "k" + std::to_string(i) + ": 1\n";
  // A cost that grows with the square of the keys ends in the time limit of the test.
  const std::string unknown = loading_error(text);
  EXPECT_THAT(unknown, StartsWith("a.yaml:1:1: unknown key 'k0'; Known: name, "));
  // The message shows 50 errors of the 200,000 unknown keys and the two that are missing.
  EXPECT_THAT(unknown, EndsWith("\n... and 199952 more errors"));
  for (int i = 0; i < 200000; ++i) text += "k99999: 1\n";
  EXPECT_THAT(loading_error(text), EndsWith("\n... and 399952 more errors"));
}

TEST(ConfigBad, a_key_in_the_wrong_section_is_led_home) {
  EXPECT_THAT(error_of_line("vcs: 2"),
              StartsWith("a.yaml:3:1: unknown key 'vcs'; did you mean 'fabric.router.vcs'? Known: "));
  EXPECT_THAT(error_of_line("run: {threads: 2}"),
              StartsWith("a.yaml:3:7: unknown key 'threads' in 'run'; did you mean 'threads'? Known: "));
  // `bandwidth` stands in two sections: no guess.
  EXPECT_THAT(error_of_line("bandwidth: 2 GB/s"), StartsWith("a.yaml:3:1: unknown key 'bandwidth'; Known: "));
}

TEST(ConfigBad, wrong_types) {
  EXPECT_EQ(error_of_line("threads: two"),
            "a.yaml:3:10: threads: 'two' cannot be used; legal: an integer from 1 to 256");
  EXPECT_EQ(error_of_line("threads: \"2\""),
            "a.yaml:3:10: threads: the text '2' cannot be used; legal: an integer from 1 to 256");
  EXPECT_EQ(error_of_line("threads: 2.5"),
            "a.yaml:3:10: threads: '2.5' cannot be used; legal: an integer from 1 to 256");
  EXPECT_EQ(error_of_line("threads: [2]"),
            "a.yaml:3:10: threads: a list cannot be used; legal: an integer from 1 to 256");
  EXPECT_EQ(error_of_line("threads: {a: 2}"),
            "a.yaml:3:10: threads: a map cannot be used; legal: an integer from 1 to 256");
  EXPECT_EQ(error_of_line("threads:"), "a.yaml:3:1: threads: has no value; legal: an integer from 1 to 256");
  EXPECT_THAT(error_of_line("workload: 5"), HasSubstr("duplicate key"));
  EXPECT_EQ(loading_error("fabric: {size: [2, 2]}\nworkload: 5\n"),
            "a.yaml:2:11: workload: '5' where keys are expected; known: trace, collective, traffic, io");
  EXPECT_EQ(error_of_line("npu: {roofline: yes}"),
            "a.yaml:3:17: npu.roofline: 'yes' cannot be used; legal: true or false");
  EXPECT_EQ(
      error_of_line("npu: 5"),
      "a.yaml:3:6: npu: '5' where keys are expected; known: count, clock, peak_flops, memory_bandwidth, "
      "roofline, reduce_bandwidth, endpoint_delay, ramp_cycles, add_cycles, packet_bytes, injectors, injection_vcs, "
      "message_order, message_classes, "
      "max_collectives, order, placement");
  EXPECT_THAT(error_of_line("name: ''"), StartsWith("a.yaml:3:7: name: empty text; legal: text"));
  EXPECT_THAT(error_of_line("waves: {scope: {a: b}}"),
              StartsWith("a.yaml:3:16: waves.scope: a map cannot be used; legal: a list of text"));
}

TEST(ConfigBad, units_missing_wrong_or_too_much) {
  EXPECT_EQ(error_of_line("clock: 1"), "a.yaml:3:8: clock: '1' has no unit; legal units: THz, GHz, MHz, kHz, Hz");
  EXPECT_EQ(
      error_of_line("clock: 1 Ghz"),
      "a.yaml:3:8: clock: unknown unit 'Ghz' in '1 Ghz'; legal units: THz, GHz, MHz, kHz, Hz; did you mean 'GHz'?");
  EXPECT_EQ(error_of_line("clock: 1 ns"),
            "a.yaml:3:8: clock: unknown unit 'ns' in '1 ns'; legal units: THz, GHz, MHz, kHz, Hz");
  EXPECT_EQ(error_of_line("clock: fast"), "a.yaml:3:8: clock: 'fast' is not a frequency such as '1 GHz'");
  EXPECT_EQ(error_of_line("limits: {cycles: 20 ns}"),
            "a.yaml:3:18: limits.cycles: '20 ns' has a unit, but this key takes a bare number; legal: an integer from "
            "0 to 1000000000000000000");
  EXPECT_THAT(error_of_line("waves: {from: 5}"),
              StartsWith("a.yaml:3:15: waves.from: '5' has no unit; legal units: s, ms, us, ns, ps, fs"));
}

TEST(ConfigBad, out_of_range) {
  EXPECT_EQ(error_of_line("threads: 0"), "a.yaml:3:10: threads: 0 is out of range; legal: an integer from 1 to 256");
  EXPECT_EQ(error_of_line("threads: -3"),
            "a.yaml:3:10: threads: '-3' is out of range; legal: an integer from 1 to 256");
  EXPECT_EQ(error_of_line("seed: 18446744073709551616"),
            "a.yaml:3:7: seed: '18446744073709551616' is out of range; legal: an integer");
  EXPECT_THAT(error_of_line("clock: 2 THz"),
              StartsWith("a.yaml:3:8: clock: 2 THz is out of range; legal: a frequency from 1 Hz to 1 THz such as"));
  EXPECT_THAT(error_of_line("clock: 0 Hz"), StartsWith("a.yaml:3:8: clock: 0 Hz is out of range"));
}

TEST(ConfigBad, lists) {
  EXPECT_EQ(loading_error("fabric: {size: 4}\nworkload: {traffic: {}}\n"),
            "a.yaml:1:16: fabric.size: 4 is one number; legal for a mesh: [x, y]");
  EXPECT_EQ(loading_error("fabric: {size: [4, 4, 4]}\nworkload: {traffic: {}}\n"),
            "a.yaml:1:16: fabric.size: a list of 3 cannot be used; legal: [x, y], two integers from 1 to 4096; one "
            "integer with kinds other than mesh and torus");
  EXPECT_EQ(loading_error("fabric: {size: [4, 0]}\nworkload: {traffic: {}}\n"),
            "a.yaml:1:20: fabric.size[1]: 0 is out of range; legal: [x, y], two integers from 1 to 4096; one integer "
            "with kinds other than mesh and torus");
  EXPECT_EQ(
      error_of_line("npu: {placement: [0, x]}"),
      "a.yaml:3:22: npu.placement[1]: 'x' cannot be used; legal: 'row_major' or a list of integers such as [0, 1, 2]");
  EXPECT_EQ(error_of_line("npu: {placement: column_major}"),
            "a.yaml:3:18: npu.placement: 'column_major' cannot be used; legal: 'row_major' or a list of integers such "
            "as [0, 1, 2]");
}

TEST(ConfigBad, unknown_names_of_policies) {
  EXPECT_EQ(loading_error("fabric: {size: [4, 4], kind: tours}\nworkload: {traffic: {}}\n"),
            "a.yaml:1:30: fabric.kind: unknown name 'tours'; known: mesh, torus, fred, ring, fully_connected, switch; "
            "did you mean 'torus'?");
  EXPECT_EQ(loading_error("fabric: {size: [4, 4], routing: xyz}\nworkload: {traffic: {}}\n"),
            "a.yaml:1:33: fabric.routing: unknown name 'xyz'; known: xy, yx, o1turn, odd_even, valiant, "
            "dimension_order, shortest_way, direct, through; did you mean 'xy'?");
  EXPECT_THAT(
      loading_error("fabric: {size: [4, 4]}\nworkload: {traffic: {pattern: unifrom}}\n"),
      AllOf(StartsWith("a.yaml:2:31: workload.traffic.pattern: unknown name 'unifrom'; known: uniform, transpose"),
            EndsWith("; did you mean 'uniform'?")));
  EXPECT_THAT(loading_error("fabric: {size: [4, 4]}\nworkload: {collective: {algorithm: rings, size: 1 KiB}}\n"),
              StartsWith("a.yaml:2:36: workload.collective.algorithm: unknown name 'rings'; known: ring, direct"));
  EXPECT_THAT(loading_error("fabric: {size: [4, 4]}\nworkload: {collective: {kind: allreduce, size: 1 KiB}}\n"),
              AllOf(StartsWith("a.yaml:2:31: workload.collective.kind: unknown name 'allreduce'; known: all_reduce"),
                    EndsWith("; did you mean 'all_reduce'?")));
}

TEST(ConfigBad, fabrics_that_do_not_exist_yet_are_refused_by_name) {
  EXPECT_EQ(loading_error("fabric: {size: [4, 4], kind: graph}\nworkload: {traffic: {}}\n"),
            "a.yaml:1:30: fabric.kind: 'graph' is not available yet; known: mesh, torus, fred, ring, fully_connected, "
            "switch");
}

TEST(ConfigBad, missing_keys) {
  EXPECT_EQ(loading_error("fabric: {kind: mesh}\nworkload: {traffic: {}}\n"),
            "a.yaml:1:9: fabric.size: is missing; legal: [x, y], two integers from 1 to 4096; one integer with kinds "
            "other than mesh and torus");
  EXPECT_EQ(loading_error("fabric: {size: [4, 4]}\n"),
            "a.yaml:1:1: workload is missing; legal: exactly one of trace, collective, traffic, io");
  EXPECT_EQ(loading_error("fabric: {size: [4, 4]}\nworkload:\n"),
            "a.yaml:2:1: workload is missing; legal: exactly one of trace, collective, traffic, io");
  EXPECT_EQ(loading_error("fabric: {size: [4, 4]}\nworkload: {trace: {strict: true}}\n"),
            "a.yaml:2:19: workload.trace.chakra: is missing; legal: the prefix of files <prefix>.<rank>.et");
  EXPECT_THAT(
      loading_error("fabric: {size: [4, 4]}\nworkload: {collective: {kind: all_reduce}}\n"),
      StartsWith(
          "a.yaml:2:24: workload.collective.size: is missing; legal: a number of bytes from 0 B to 1024 TiB such as"));
}

TEST(ConfigBad, missing_files) {
  EXPECT_EQ(loading_error("fabric: {size: [4, 4]}\nworkload: {trace: {chakra: no/run}}\n"),
            "a.yaml:2:28: workload.trace.chakra: no such file; looked for 'no/run.*'");
  EXPECT_EQ(loading_error(kSmallConfig, {"workload.traffic.pattern=permutation", "workload.traffic.file=p.txt"}),
            "--set workload.traffic.file=p.txt: workload.traffic.file: no such file; looked for 'p.txt'");
  EXPECT_EQ(load_config_text(kSmallConfig, "a.yaml", {}, MemoryFiles()).name, "a");
}

TEST(ConfigBad, a_missing_configuration) {
  try {
    load_config("/no/such/dir/system.yaml");
    FAIL() << "a file that does not exist was loaded";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "cannot read '/no/such/dir/system.yaml': no such file");
  }
  try {
    load_config("/");
    FAIL() << "a directory was loaded";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "cannot read '/': it is a directory");
  }
}

TEST(ConfigBad, yaml_syntax) {
  EXPECT_THAT(error_of_line("npu: [1, 2"), StartsWith("a.yaml:4:1: not valid YAML: "));
  EXPECT_THAT(error_of_line("\tnpu: 1"), StartsWith("a.yaml:3:2: not valid YAML: "));
  EXPECT_THAT(error_of_line("npu: *x"), StartsWith("a.yaml:3:6: not valid YAML: the referenced anchor is not defined"));
  // The first thing that somebody types who wants the stalls of all links.
  EXPECT_THAT(error_of_line("waves: {scope: [*.l1[0].stall]}"), HasSubstr("is written in quotes: [\"*.stall\"]"));
  EXPECT_THAT(error_of_line("waves: {scope: **.stall}"), HasSubstr("is written in quotes"));
  EXPECT_EQ(error_of_line("threads: 1\n---\nthreads: 2"), "a.yaml:5:1: a second YAML document; one file is one system");
  EXPECT_EQ(
      loading_error("just text"),
      "a.yaml:1:1: 'just text' where keys are expected; known: name, seed, threads, clock, limits, run, waves, log, "
      "fabric, io, npu, memory, workload");
  EXPECT_THAT(loading_error(""), AllOf(HasSubstr("fabric.size: is missing"), HasSubstr("workload is missing")));
}

TEST(ConfigBad, keys_twice_or_no_names) {
  EXPECT_EQ(error_of_line("threads: 1\nseed: 4\nthreads: 2"),
            "a.yaml:5:1: duplicate key 'threads'; first given in line 3");
  EXPECT_THAT(error_of_line("[1, 2]: 3"), StartsWith("a.yaml:3:1: a key must be a plain name, not a list"));
  EXPECT_THAT(error_of_line("<<: {threads: 3}"),
              StartsWith("a.yaml:3:1: merge keys '<<' are not read; use 'include:' to reuse parts"));
}

TEST(ConfigBad, hostile_files_end_early) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_THAT(loading_error(bomb), EndsWith("more than 1000000 values in one file"));
  // The copies of one alias count too, where nothing around them is an anchor.
  std::string flood = "a: &a [" + std::string(2000, '0') + "]\nb: [";
  for (std::size_t at = flood.find('0'); at < flood.find(']'); at += 2) flood.insert(at + 1, ",");
  for (int i = 0; i < 1000; ++i) flood += i == 0 ? "*a" : ", *a";
  EXPECT_THAT(loading_error(flood + "]\n"), EndsWith("more than 1000000 values in one file"));
  EXPECT_THAT(loading_error("npu: &a [*a]\n"), HasSubstr("an alias inside of what it refers to"));
  EXPECT_THAT(loading_error(std::string(5000, '[')), HasSubstr("not valid YAML"));
  EXPECT_EQ(loading_error(std::string(9u << 20, ' ')),
            "a.yaml:1:1: the file is larger than a configuration may be, 8388608 bytes");
}

TEST(ConfigBad, all_errors_of_a_file_come_at_once_in_its_order) {
  EXPECT_EQ(
      loading_error("workload: {traffic: {rate: -1}}\nseed: x\nfabric:\n  size: [0, 4]\n  knid: mesh\nthreads: 0\n",
                    {"threads=-1", "clock=1"}),
      "a.yaml:1:28: workload.traffic.rate: '-1' is negative; legal: a number from 0 to 65535\n"
      "a.yaml:2:7: seed: 'x' cannot be used; legal: an integer\n"
      "a.yaml:4:10: fabric.size[0]: 0 is out of range; legal: [x, y], two integers from 1 to 4096; one integer with "
      "kinds other than mesh and torus\n"
      "a.yaml:5:3: unknown key 'knid' in 'fabric'; did you mean 'kind'? Known: kind, size, routing, flit_bytes, "
      "statistics, form, m, levels, model, in_switch, formats, accumulate, lanes, reduce_cycles, stage, "
      "register_every, control, "
      "matching, conflict, setting_memory, reload_cycles, stay_packets, header, control_buffer, output_packets, "
      "flow_control, "
      "link_layer, bit_error_rate, drop_rate, replay_packets, ack_packets, ack_timeout, retransmit_timeout, link, "
      "link_y, local, router\n"
      "--set threads=-1: threads: '-1' is out of range; legal: an integer from 1 to 256\n"
      "--set clock=1: clock: '1' has no unit; legal units: THz, GHz, MHz, kHz, Hz");
}

TEST(ConfigBad, a_flood_of_errors_is_cut) {
  std::string text = kSmallConfig;
  for (int i = 0; i < 60; ++i) text += "zzz" + std::to_string(i) + ": 1\n";
  EXPECT_THAT(loading_error(text), EndsWith("\n... and 10 more errors"));
}

}  // namespace
}  // namespace weft
