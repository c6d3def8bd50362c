// SPDX-License-Identifier: Apache-2.0
// The command line of `weft bench`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/bench/bench.h"
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
  command->callback([request, as_json, &status] {
    if (request->program.empty()) request->program = own_program();
    status = bench(*request, *as_json);
  });
}

}  // namespace weft::cli
