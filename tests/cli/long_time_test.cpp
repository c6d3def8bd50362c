// SPDX-License-Identifier: Apache-2.0
// Runs that last longer than SystemC's 18,446 s, slow clocks, and pauses in which flits wait in the fabric.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::write_text;

class LongTime : public ProgramCase {
 protected:
  /// x.0.json, x.1.json, ...: lists of nodes.
  void write_trace(const std::vector<std::string>& ranks) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      write_text(dir_ / ("x." + std::to_string(rank) + ".json"), "{\"workload_graph\": [" + ranks[rank] + "]}");
    }
  }
  void write_mesh(int nodes, const std::string& npu) {
    write_text(dir_ / "c.yaml", "fabric: {size: [" + std::to_string(nodes) + ", 1]}\nnpu: {" + npu +
                                    "}\nworkload: {trace: {chakra: x}}\n");
  }
  /// The same run with other options; its cycles.
  std::uint64_t cycles(std::vector<std::string> options, int status = kExitOk) {
    options.insert(options.begin(), {"run", "c.yaml", "--quiet", "--out", "o"});
    const ChildResult r = weft(options);
    EXPECT_EQ(r.status, status) << r.err;
    return summary("o")["cycles"].get<std::uint64_t>();
  }
};

std::string operations(std::uint64_t number) {
  return R"({"Id": 1, "Name": "a", "NodeType": 4, "tensor_size": 1, "num_ops": )" + std::to_string(number) + "}";
}

// At 1 FLOP/s each operation takes a second, 10^9 cycles. SystemC counts 18,446 s.
TEST_F(LongTime, of_a_compute_node_is_exact) {
  write_mesh(1, "peak_flops: 1 FLOP/s");
  for (const std::uint64_t seconds : {18'440U, 18'450U, 20'000U, 100'000'000U, 1'000'000'000U}) {
    write_trace({operations(seconds)});
    EXPECT_EQ(cycles({}), seconds * 1'000'000'000);
    const nlohmann::json all = summary("o");
    EXPECT_EQ(all["time_ns"].get<double>(), static_cast<double>(seconds) * 1e9);
    EXPECT_EQ(all["ranks"][0]["finish_ns"].get<double>(), static_cast<double>(seconds) * 1e9);
  }
}

// What comes after a pause takes as long after 30,000 s as after 1 s, also between two clocks and in modules.
TEST_F(LongTime, moves_what_comes_later) {
  write_mesh(4, "peak_flops: 1 FLOP/s");
  const auto trace = [&](std::uint64_t seconds) {
    const std::string join = R"({"Id": 2, "Name": "ar", "NodeType": 7, "comm_type": 0, "comm_size": 4096)";
    write_trace({operations(seconds) + ", " + join + R"(, "data_deps": [1]})", join + "}", join + "}", join + "}"});
  };
  for (const std::string option : {"threads=1", "threads=2", "fabric.form=modules", "npu.clock=750 MHz"}) {
    trace(1);
    const std::uint64_t after_a_second = cycles({"--set", option});
    trace(30'000);
    EXPECT_EQ(cycles({"--set", option}), after_a_second + 29'999'000'000'000) << option;
  }
}

// 10^10 s in microseconds are 10^19 cycles, more than 2^63.
TEST_F(LongTime, that_cannot_be_counted_is_refused_with_its_node_bad) {
  write_mesh(1, "peak_flops: 1 FLOP/s");
  write_trace({R"({"Id": 7, "Name": "age", "NodeType": 4, "runtime": 10000000000000000})"});
  const std::string sentence =
      "node 7 'age' has 10000000000000000 microseconds: work of 10000000000000000 units at "
      "1000000 units per second takes more than the 9223372036854775807 cycles";
  const ChildResult check = weft({"check", "c.yaml"});
  EXPECT_EQ(check.status, kExitBadInput);
  EXPECT_THAT(check.err, HasSubstr(sentence));
  const ChildResult run = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(run.status, kExitBadInput);
  EXPECT_THAT(run.err, HasSubstr(sentence));
}

// Two nodes of 5 x 10^9 s, 5 x 10^18 cycles each: either can be counted, their sum cannot.
TEST_F(LongTime, stops_before_cycles_wrap_bad) {
  write_mesh(1, "peak_flops: 1 FLOP/s");
  write_trace({R"({"Id": 1, "Name": "a", "NodeType": 4, "runtime": 5000000000000000},
                  {"Id": 2, "Name": "b", "NodeType": 4, "runtime": 5000000000000000, "data_deps": [1]})"});
  const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "o"});
  EXPECT_EQ(r.status, kExitViolation);
  EXPECT_THAT(r.err, HasSubstr("the run lasts longer than the 9223372036854775807 cycles that clock 'clock' counts"));
  EXPECT_EQ(summary("o")["cycles"].get<std::uint64_t>(), 5'000'000'000'000'000'000U);
}

// A cycle of 1 s instead of 1 ns changes nothing that is counted in cycles: 20,000 cycles are 20,000 s.
TEST_F(LongTime, of_a_clock_of_1_Hz_has_the_same_cycles) {
  write_text(dir_ / "c.yaml",
             "fabric: {size: [4, 4]}\nworkload: {traffic: {rate: 0.1, warmup_cycles: 0, measure_cycles: 20000}}\n");
  const std::uint64_t fast = cycles({"--set", "clock=1 GHz"});
  EXPECT_GT(fast, 20'000U);
  EXPECT_EQ(cycles({"--set", "clock=1 Hz"}), fast);
  EXPECT_EQ(summary("o")["time_ns"].get<double>(), static_cast<double>(fast) * 1e9);
  EXPECT_EQ(cycles({"--set", "clock=1 Hz", "--set", "fabric.form=modules"}), fast);
}

// NPUs of 100 kHz act once in 10,000 cycles of the fabric: with 20,000 cycles of silence, two of theirs, this looked
// like a deadlock.
TEST_F(LongTime, of_slow_npus_is_no_deadlock) {
  write_text(dir_ / "c.yaml", "fabric: {size: [4, 4]}\nworkload: {collective: {size: 64 KiB}}\n");
  const std::string patient = "limits.watchdog_cycles=1000000000000";
  for (const std::string clock : {"npu.clock=100 kHz", "npu.clock=50 kHz"}) {
    EXPECT_EQ(cycles({"--set", clock}), cycles({"--set", clock, "--set", patient})) << clock;
  }
}

class Straggler : public LongTime {
 protected:
  /// Three of four ranks add `bytes` in a switch; the last computes for 1 ms before it does `then`.
  void write(const std::string& bytes, const std::string& then) {
    const std::string add = R"({"Id": 2, "Name": "ar", "NodeType": 7, "comm_type": 0, "comm_size": )" + bytes + "}";
    write_trace({add, add, add, R"({"Id": 1, "Name": "late", "NodeType": 4, "runtime": 1000})" + then});
    write_text(dir_ / "c.yaml",
               "fabric: {kind: fred, levels: [{groups: 1}]}\nnpu: {count: 4}\n"
               "workload: {trace: {chakra: x, algorithm: in_switch}}\n");
  }
};

// Operands wait in the switch for the one of an NPU that still computes: of 4 KiB all, of 1 MiB as many as fit, and the
// network interfaces go on trying.
TEST_F(Straggler, that_computes_for_long_is_no_deadlock) {
  for (const std::string bytes : {"4096", "1048576"}) {
    write(bytes,
          R"(, {"Id": 2, "Name": "ar", "NodeType": 7, "comm_type": 0, "data_deps": [1], "comm_size": )" + bytes + "}");
    const std::uint64_t end = cycles({});
    EXPECT_GT(end, 1'000'000U);
    EXPECT_LT(end, 1'100'000U);
  }
}

TEST_F(Straggler, that_never_joins_is_a_deadlock_when_it_has_computed) {
  for (const std::string bytes : {"4096", "1048576"}) {
    write(bytes, "");
    const ChildResult r = weft({"run", "c.yaml", "--quiet", "--out", "o"});
    EXPECT_EQ(r.status, kExitViolation);
    EXPECT_THAT(r.err, HasSubstr(" flits are in the fabric and none has moved since cycle "));
    EXPECT_GE(summary("o")["cycles"].get<std::uint64_t>(), 1'000'000U);
    EXPECT_LT(summary("o")["cycles"].get<std::uint64_t>(), 1'100'000U);
  }
}

}  // namespace
}  // namespace weft::cli
