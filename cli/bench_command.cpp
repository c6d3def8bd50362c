// SPDX-License-Identifier: Apache-2.0
// The command line of `weft bench`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/bench/bench.h"
#include "cli/bench/rtl_bench.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/progress_line.h"
#include "cli/stop_signal.h"
#include "kernel/error.h"
#include "wafer/results_summary.h"

namespace weft::cli {
namespace {

int bench(const BenchRequest& request, bool as_json) {
  const StopSignal stop;
  ProgressLine line;
  const auto figures = run_bench(request, [&](const std::string& text) { line.show(text); });
  line.clear();
  if (!as_json) {
    print_bench(figures, std::cout);
    return kExitOk;
  }
  nlohmann::ordered_json report;
  report["version"] = wafer::version();
  report["points"] = bench_json(figures);
  std::cout << report.dump(2) << "\n";
  return kExitOk;
}

int bench_rtl(const RtlBenchRequest& request, bool as_json) {
  const StopSignal stop;
  ProgressLine line;
  const auto figures = run_rtl_bench(request, [&](const std::string& text) { line.show(text); });
  line.clear();
  if (!as_json) {
    print_rtl_bench(request, figures, std::cout);
    return kExitOk;
  }
  nlohmann::ordered_json report;
  report["version"] = wafer::version();
  report["switch"] = fmt::format("Fred_{}({})", request.m, request.ports);
  report["points"] = rtl_bench_json(figures);
  std::cout << report.dump(2) << "\n";
  return kExitOk;
}

void add_rtl(CLI::App& bench, const std::shared_ptr<bool>& as_json, int& status) {
  CLI::App* command = bench.add_subcommand("rtl", "RTL of a FRED switch: alone, in the harness, in lockstep");
  auto request = std::make_shared<RtlBenchRequest>();
  command->add_flag("--json", *as_json, "print JSON instead of a table");
  command->add_option("--m", request->m, "middle stages")->capture_default_str()->check(CLI::Range(2, 8));
  command->add_option("--ports", request->ports, "ports of the switch")
      ->capture_default_str()
      ->check(CLI::Range(2, 32));
  command->add_option("--lanes", request->lanes, "lanes of 4 bytes; several are measured one after the other")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_flag("--accumulate", request->accumulate_fp32, "BF16 with FP32 accumulation instead of FP32");
  command->add_option("--cycles", request->cycles, "of a run (default: 400000 / lanes)")->check(CLI::PositiveNumber);
  command->add_option("--seed", request->seed, "of the traffic")->capture_default_str();
  command->add_option("--repeats", request->repeats, "runs of each kind; the median counts")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{100}));
  command->add_flag("--waves", request->waves, "also with waves");
  command->add_flag("--coverage", request->coverage, "also with lines and toggles counted, which takes long to build");
  command
      ->add_option("--build-dir", request->build_dir, "where built models are kept (default: below the user's cache)")
      ->type_name("DIR");
  command->footer(
      "Examples:\n  weft bench rtl --lanes 4 16\n  weft bench rtl --m 2 --ports 4 --lanes 4 --waves --coverage");
  command->callback([request, as_json, &status] { status = bench_rtl(*request, *as_json); });
}

std::string list_points() {
  std::string text = "Points:\n";
  for (const BenchPoint& point : bench_points()) text += fmt::format("  {:<28} {}\n", point.name, point.purpose);
  return text + "Examples:\n  weft bench\n  weft bench --filter 8x8 --json > speed.json";
}

}  // namespace

void add_bench_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("bench", "Measure the speed and memory of this build");
  auto request = std::make_shared<BenchRequest>();
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "print JSON instead of a table");
  command->add_option("--filter", request->filter, "only points whose name holds this text (and 1x1)")
      ->type_name("TEXT");
  command->add_option("--repeats", request->repeats, "runs per point; the median counts")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{100}));
  command->add_option("--runner", request->program, "program that runs a point, called like this one")
      ->type_name("PROGRAM");
  command->footer(list_points());
  add_rtl(*command, as_json, status);
  command->callback([command, request, as_json, &status] {
    if (!command->get_subcommands().empty()) return;
    if (request->program.empty()) request->program = own_program();
    status = bench(*request, *as_json);
  });
}

}  // namespace weft::cli
