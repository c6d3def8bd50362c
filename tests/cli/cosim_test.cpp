// SPDX-License-Identifier: Apache-2.0
// `weft cosim` and switches of RTL as child processes: exit statuses, files, replays. The RTL is built on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/cli/program_case.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

const std::string kExamples = test::source("docs/examples/own_reducer/");

class Cosim : public ProgramCase {
 protected:
  Cosim() { setenv("WEFT_RTL_DIR", WEFT_TEST_MODELS, 1); }

  nlohmann::json json(const std::string& file) { return nlohmann::json::parse(read_text(dir_ / file)); }
};

TEST_F(Cosim, list_is_one_name_per_line) {
  const ChildResult r = weft({"cosim", "--list"});
  EXPECT_EQ(r.status, kExitOk);
  EXPECT_EQ(r.err, "");
  EXPECT_THAT(r.out, HasSubstr("\nelastic_reg\nuswitch_r\nuswitch_d\nuswitch_rd\n"));
  EXPECT_THAT(r.out, Not(HasSubstr(" ")));
}

TEST_F(Cosim, of_built_in_rtl_finds_nothing) {
  const ChildResult r = weft({"cosim", "--block", "int_alu", "--cycles", "2e4", "--seed", "7", "--out", "o"});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  const auto found = json("o/cosim.json");
  EXPECT_EQ(found["block"], "int_alu");
  EXPECT_EQ(found["seed"], 7);
  EXPECT_GE(found["cycles"], 20000);
  EXPECT_EQ(found["mismatches"], 0);
  EXPECT_TRUE(found["first"].is_null());
  EXPECT_FALSE(std::filesystem::exists(dir_ / "o/cosim.vcd"));
}

/// The example of docs/own_rtl.md compares by subtraction, which overflows; the replay finds the same.
TEST_F(Cosim, of_own_rtl_finds_its_fault_and_says_how_to_find_it_again) {
  const std::vector<std::string> words = {"cosim", "--like",     "int_alu",  "--rtl", kExamples + "my_reducer.sv",
                                          "--top", "my_reducer", "--cycles", "1e4"};
  std::vector<std::string> first = words;
  first.insert(first.end(), {"--out", "o"});
  const ChildResult r = weft(first);
  EXPECT_EQ(r.status, kExitViolation);
  EXPECT_THAT(r.err, HasSubstr("int_alu seed 1: first mismatch in cycle "));
  const auto found = json("o/cosim.json");
  EXPECT_EQ(found["first"]["port"], "y_o");
  EXPECT_THAT(found["first"]["flow"].get<std::string>(), testing::AnyOf(HasSubstr("min "), HasSubstr("max ")));
  EXPECT_NE(found["first"]["expected"], found["first"]["actual"]);
  ASSERT_EQ(found["wave"], "cosim.vcd");
  const std::string waves = read_text(dir_ / "o/cosim.vcd");
  EXPECT_THAT(waves, HasSubstr("$scope module model $end"));
  EXPECT_THAT(waves, HasSubstr("difference"));

  std::istringstream replay(found["replay"].get<std::string>());
  std::vector<std::string> again{std::istream_iterator<std::string>(replay), {}};
  again.erase(again.begin());
  again.insert(again.end(), {"--out", "p"});
  EXPECT_EQ(weft(again).status, kExitViolation);
  EXPECT_EQ(json("p/cosim.json")["first"], found["first"]);
}

TEST_F(Cosim, of_own_rtl_with_registers_compares_the_order) {
  const std::vector<std::string> words = {"cosim", "--like",      "int_alu",  "--rtl", kExamples + "my_pipeline.sv",
                                          "--top", "my_pipeline", "--cycles", "1e4",   "--compare",
                                          "order"};
  const ChildResult r = weft(words);
  EXPECT_EQ(r.status, kExitOk) << r.err;
}

TEST_F(Cosim, names_ports_and_parameters_that_do_not_fit_bad) {
  write_text(
      dir_ / "mine.sv",
      "module mine #(parameter int Lanes = 2) (input logic en_i, input logic [31:0] a_i, output logic [15:0] y_o,"
      " input logic extra_i);\n  assign y_o = en_i & extra_i ? a_i : 0;\nendmodule\n");
  const ChildResult r = weft({"cosim", "--like", "int_alu", "--rtl", "mine.sv", "--top", "mine"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("missing port: input op_i of 2 bits"));
  EXPECT_THAT(r.err, HasSubstr("missing port: input b_i of 32 bits"));
  EXPECT_THAT(r.err, HasSubstr("port y_o has 16 bits, it must have 32"));
  EXPECT_THAT(r.err, HasSubstr("extra port: input extra_i"));
  const ChildResult g = weft({"cosim", "--like", "int_alu", "--rtl", "mine.sv", "--top", "mine", "-G", "Lane=1"});
  EXPECT_EQ(g.status, kExitBadInput);
  EXPECT_THAT(g.err, HasSubstr("module mine has no parameter Lane (did you mean Lanes?); it has: Lanes"));
}

TEST_F(Cosim, refuses_what_it_cannot_run_bad) {
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "cosim");
    const ChildResult r = weft(words);
    EXPECT_EQ(r.status, kExitBadInput) << words[1];
    return r.err;
  };
  EXPECT_THAT(refusal({"--block", "elastic_rag"}), HasSubstr("did you mean elastic_reg?"));
  EXPECT_THAT(refusal({"--block", "int_alu", "--cycles", "1.5"}), HasSubstr("--cycles 1.5: a whole number"));
  EXPECT_THAT(refusal({"--block", "int_alu", "-G", "Width"}), HasSubstr("-G Width: NAME=VALUE is legal"));
  EXPECT_THAT(refusal({"--block", "int_alu", "--compare", "cycles"}), HasSubstr("legal are cycle, order"));
  EXPECT_THAT(refusal({"--block", "int_alu", "--rtl", "x.sv"}), HasSubstr("--like BLOCK"));
  EXPECT_THAT(refusal({"--like", "int_alu"}), HasSubstr("--rtl FILE or -f LIST"));
  EXPECT_THAT(refusal({"--like", "int_alu", "--rtl", "x.sv", "--top", "x"}), HasSubstr("--rtl x.sv: there is no such"));
  EXPECT_THAT(refusal({"--block", "all"}), HasSubstr("--regress N"));
  EXPECT_THAT(refusal({}), HasSubstr("--block BLOCK, --like BLOCK or --list"));
}

TEST_F(Cosim, regression_resumes_and_reports) {
  const std::vector<std::string> words = {"cosim", "--block", "int_alu", "--cycles",   "2e3",   "--regress",
                                          "3",     "--jobs",  "2",       "--coverage", "--out", "r"};
  const ChildResult first = weft(words);
  EXPECT_EQ(first.status, kExitOk) << first.err;
  EXPECT_THAT(first.out, HasSubstr("3 runs, 0 failed, 0 kept from before"));
  const std::string junit = read_text(dir_ / "r/junit.xml");
  EXPECT_THAT(junit, HasSubstr("<testsuite name=\"int_alu\" tests=\"3\" failures=\"0\">"));
  const auto coverage = json("r/coverage.json");
  EXPECT_EQ(coverage["bins"], 49);  // 3 operations x 4 x 4 classes, and disabled
  std::uint64_t drawn = 0;
  for (const auto& [name, count] : coverage["counts"].items()) {
    if (name != "int_alu.disabled") drawn += count.get<std::uint64_t>();
  }
  EXPECT_EQ(drawn, 3U * 2008U);  // one pair per cycle, and 8 cycles at the end of each run

  std::filesystem::remove_all(dir_ / "r/int_alu.seed2");
  EXPECT_THAT(weft(words).out, HasSubstr("3 runs, 0 failed, 2 kept from before"));
}

/// Bins that did not happen, that nobody has planned, and those of the plan that are none end a regression with
/// status 3.
TEST_F(Cosim, regression_lists_bins_that_are_missing) {
  std::vector<std::string> words = {"cosim", "--block", "int_alu", "--cycles", "5", "--regress", "1", "--out", "r"};
  EXPECT_EQ(weft(words).status, kExitOk);
  words.emplace_back("--coverage");
  const ChildResult never = weft(words);
  EXPECT_EQ(never.status, kExitViolation);
  EXPECT_THAT(never.out, HasSubstr("  never hit: int_alu."));

  write_text(dir_ / "plan.yaml",
             "- {testpoint: all, why: so, test: cosim int_alu, bins: [int_alu.sum.*, int_alu.m*, fp_add.sum.*]}\n");
  words.back() = "--plan";
  words.emplace_back("plan.yaml");
  const ChildResult unplanned = weft(words);
  EXPECT_EQ(unplanned.status, kExitViolation);
  EXPECT_THAT(unplanned.out, testing::EndsWith("  in no testpoint: int_alu.disabled\n"));
  words.back() = "other.yaml";
  EXPECT_THAT(weft(words).err, HasSubstr("--plan other.yaml: there is no such file"));
  EXPECT_THAT(weft({"cosim", "--block", "int_alu", "--plan", "plan.yaml"}).err, HasSubstr("--plan is for --regress"));
}

TEST_F(Cosim, regression_of_a_faulty_block_fails_with_replays) {
  const ChildResult r = weft({"cosim", "--like", "int_alu", "--rtl", kExamples + "my_reducer.sv", "--top", "my_reducer",
                              "--cycles", "1e4", "--regress", "2", "--out", "r"});
  EXPECT_EQ(r.status, kExitViolation);
  const std::string junit = read_text(dir_ / "r/junit.xml");
  EXPECT_THAT(junit, HasSubstr("failures=\"2\""));
  EXPECT_THAT(junit, HasSubstr("replay: weft cosim --like int_alu --rtl "));
}

constexpr const char* kSystem = R"(name: small
clock: 1 GHz
fabric:
  kind: fred
  flit_bytes: 8 B
  m: 2
  matching: greedy
  local: {bandwidth: 8 GB/s, latency: 3 ns}
  setting_memory: 24 B
  control_buffer: 32 B
  in_switch: true
  levels:
    - {groups: 1, ports: 4, planes: 1, buffer: 128 B, reconfig_cycles: 1}
npu: {count: 4, packet_bytes: 32 B}
workload:
  collective: {kind: all_reduce, size: 1 KiB, group: all, algorithm: in_switch, dtype: fp32, data: values}
)";

/// One run per model: the same cycle, the same flits on every link; sums are checked by `data: values`.
TEST_F(Cosim, a_wafer_gives_the_same_with_switches_of_any_model) {
  write_text(dir_ / "c.yaml", kSystem);
  for (const char* model : {"tlm", "rtl", "lockstep"}) {
    const ChildResult r =
        weft({"run", "c.yaml", "--set", std::string("fabric.model=") + model, "--quiet", "--out", model});
    EXPECT_EQ(r.status, kExitOk) << r.err;
  }
  const auto tlm = json("tlm/summary.json");
  // Only the model tells why it changes its setting.
  EXPECT_TRUE(tlm["stored_settings"]["preemptions"].is_number());
  EXPECT_EQ(json("lockstep/summary.json")["stored_settings"], tlm["stored_settings"]);
  EXPECT_TRUE(json("rtl/summary.json")["stored_settings"]["preemptions"].is_null());
  EXPECT_TRUE(json("rtl/summary.json")["stored_settings"]["yields"].is_null());
  EXPECT_EQ(json("rtl/summary.json")["stored_settings"]["changes"], tlm["stored_settings"]["changes"]);
  for (const char* model : {"tlm", "rtl", "lockstep"}) {
    const auto switches = json(std::string(model) + "/summary.json")["switches"];
    ASSERT_EQ(switches["each"].size(), 1U);
    EXPECT_EQ(switches["each"][0]["name"], "fabric.l1[0]");
    EXPECT_EQ(switches["each"][0]["model"], model);
    EXPECT_EQ(switches["models"][model], 1);
    const auto compared = switches["each"][0]["compared_cycles"].get<std::uint64_t>();
    EXPECT_EQ(compared > 0, std::string(model) == "lockstep");
    EXPECT_LE(compared, tlm["cycles"].get<std::uint64_t>());
  }
  for (const char* model : {"rtl", "lockstep"}) {
    const auto other = json(std::string(model) + "/summary.json");
    for (const char* key : {"cycles", "packets", "flits", "flit_hops", "uswitch_hops"}) {
      ASSERT_TRUE(tlm.contains(key)) << key;
      EXPECT_EQ(other[key], tlm[key]) << model << " " << key;
    }
    for (const char* file : {"nodes.csv", "collectives.csv", "latency.csv"}) {
      EXPECT_EQ(read_text(dir_ / model / file), read_text(dir_ / "tlm" / file)) << model;
    }
    // Why links carry nothing is known to the model alone, which in lockstep runs beside the RTL.
    const weft::test::CsvTable links(dir_ / model / "links.csv");
    const weft::test::CsvTable of_model(dir_ / "tlm" / "links.csv");
    ASSERT_EQ(links.rows(), of_model.rows());
    for (std::size_t i = 0; i < links.rows(); ++i) {
      for (const char* column : {"link", "from", "to", "flits", "utilisation"}) {
        EXPECT_EQ(links.at(i, column), of_model.at(i, column)) << model;
      }
      const bool of_switch = links.at(i, "link").rfind("fabric.", 0) == 0;
      for (const char* column : {"stall_cycles", "lost_arbitration_cycles", "waiting_operand_cycles"}) {
        const bool known = std::string(model) == "lockstep" || !of_switch;
        EXPECT_EQ(links.at(i, column), known ? of_model.at(i, column) : "") << model << " " << column;
      }
    }
  }
}

/// WEFT_FAULTY has seeded fault 1, an adder that rounds towards zero: the run stops, and is repeated with waves of that
/// switch.
TEST_F(Cosim, a_wafer_in_lockstep_stops_at_the_first_difference_and_shows_it) {
  // Two NPUs at a single RD-uSwitch, which is quick to build.
  std::string system = kSystem;
  system.replace(system.find("ports: 4"), 8, "ports: 2");
  system.replace(system.find("count: 4"), 8, "count: 2");
  write_text(dir_ / "c.yaml", system);
  const ChildResult r = weft::test::run_child(
      {WEFT_FAULTY, "run", "c.yaml", "--set", "fabric.model=lockstep", "--out", "o"}, dir_.path().string());
  EXPECT_EQ(r.status, kExitViolation);
  EXPECT_THAT(r.err,
              testing::ContainsRegex("lockstep: fabric.* in cycle [0-9]+: output port [01], bytes [0-9]+ to [0-9]+ "
                                     ".flow '.*', packet [0-9]+.: the model says 0x[0-9a-f]+, the RTL 0x"));
  ASSERT_THAT(r.err, HasSubstr("weft: waves of RTL and model: "));
  const std::string waves = read_text(dir_ / "o/lockstep.vcd");
  EXPECT_THAT(waves, HasSubstr("$scope module model $end"));
  EXPECT_THAT(waves, HasSubstr("fred_switch_m2_p2"));
  const std::string after_cycle = r.err.substr(r.err.find(" in cycle ") + 10);
  const std::uint64_t cycle = std::stoull(after_cycle);
  EXPECT_THAT(waves, HasSubstr("\n#" + std::to_string(cycle * 1000 + 500) + "\n"));
  // The layout beside them marks it and shows both sides.
  const std::string layout = read_text(dir_ / "o/lockstep.gtkw");
  EXPECT_THAT(layout, HasSubstr(" " + std::to_string(cycle * 1000 + 500) + " -1 -1"));
  EXPECT_THAT(layout, HasSubstr("\nmodel.out_data_o_0[63:0]\n"));
  EXPECT_THAT(layout, HasSubstr("\nTOP.out_data_o[127:0]\n"));
  const std::string signals = weft({"waves", "list", "o/lockstep.vcd"}).out;
  EXPECT_THAT(signals, HasSubstr("model.out_data_o_0[63:0] "));
  EXPECT_THAT(signals, HasSubstr("TOP.out_data_o[127:0] "));
}

/// What is recorded of links and switches has the same names and the same flits with every model.
TEST_F(Cosim, waves_of_any_model_show_the_same) {
  std::string system = kSystem;
  system.replace(system.find("ports: 4"), 8, "ports: 2");
  system.replace(system.find("count: 4"), 8, "count: 2");
  write_text(dir_ / "c.yaml", system);
  for (const char* model : {"tlm", "rtl", "lockstep"}) {
    const ChildResult r = weft({"run", "c.yaml", "--set", std::string("fabric.model=") + model, "--quiet", "--out",
                                model, "--set", "waves.file=run.vcd"});
    ASSERT_EQ(r.status, kExitOk) << r.err;
  }
  ChildResult r = weft({"waves", "diff", "tlm/run.vcd", "lockstep/run.vcd"});
  EXPECT_EQ(r.status, 0) << r.out;
  // RTL does not say why it waits, and its credits are those behind the port (docs/parity.md).
  r = weft({"waves", "diff", "tlm/run.vcd", "rtl/run.vcd", "**.valid", "**.packet", "**.vc", "**.head", "**.tail",
            "**.stored_setting", "**.running"});
  EXPECT_EQ(r.status, 0) << r.out;
  EXPECT_THAT(r.out, HasSubstr("the same up to "));
}

/// Before anything is built.
TEST_F(Cosim, seeded_faults_that_there_are_not_bad) {
  const ChildResult r = weft({"cosim", "--block", "fp_add", "--mutant", "11"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("has no seeded fault 11; legal: 1 to 10 ("));
}

TEST_F(Cosim, options_of_lockstep_that_no_switch_takes_bad) {
  write_text(dir_ / "c.yaml", kSystem);
  ChildResult r = weft({"run", "c.yaml", "--quiet", "--lockstep-waves", "fabric.l1[0]:0:9:w.vcd"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("--lockstep-waves: no switch is in lockstep"));
  r = weft(
      {"run", "c.yaml", "--quiet", "--set", "fabric.model=lockstep", "--lockstep-waves", "fabric.l1[9]:0:9:w.vcd"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("--lockstep-waves fabric.l1[9]: no switch of this name is in lockstep; nearest: "
                               "fabric.l1[0]"));
}

/// With the place of the key; what only a whole switch shows is refused when the run starts.
TEST_F(Cosim, rtl_refuses_what_it_does_not_have_bad) {
  std::string system = kSystem;
  write_text(dir_ / "c.yaml", system.replace(system.find("greedy"), 6, "maximum"));
  for (const char* command : {"check", "run"}) {
    const ChildResult r = weft({command, "c.yaml", "--set", "fabric.model=lockstep"});
    EXPECT_EQ(r.status, kExitBadInput);
    EXPECT_THAT(r.err, HasSubstr("c.yaml:7:13: fabric.matching: maximum, but fabric.model: lockstep matches unicasts "
                                 "one after the other within a cycle; legal: greedy, or model: tlm"));
  }
  write_text(dir_ / "d.yaml", kSystem);
  const ChildResult r = weft({"run", "d.yaml", "--set", "fabric.model=rtl", "--set", "fabric.output_packets=64",
                              "--set", "npu.packet_bytes=16 KiB", "--set", "fabric.control_buffer=16 KiB", "--set",
                              "fabric.levels[0].buffer=16 KiB", "--quiet"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("as rtl: RTL of a FRED switch: "));
}

}  // namespace
}  // namespace weft::cli
