// SPDX-License-Identifier: Apache-2.0
// The command line of `weft bench`.
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <memory>
#include <utility>

#include "base/error.h"
#include "cli/bench/access_bench.h"
#include "cli/bench/bench.h"
#include "cli/bench/memory_bench.h"
#include "cli/bench/rtl_bench.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/progress_line.h"
#include "cli/stop_signal.h"
#include "runs/summary.h"

namespace weft::cli {
namespace {

/// How the figures of one benchmark are shown.
template <typename Figures>
struct BenchTable {
  std::function<void()> head;
  std::function<void(const Figures&)> row;
  std::function<void()> legend;
  std::function<nlohmann::ordered_json(const Figures&)> json;
};

/// What a run of benchmarks shows: rows as they come, or one JSON object at the end; failures on standard error.
template <typename Figures>
class BenchOutput {
 public:
  BenchOutput(BenchTable<Figures> table, bool as_json) : table_(std::move(table)), as_json_(as_json) {
    report_["version"] = runs::version();
  }

  BenchListener<Figures> listener() {
    return {[this](const std::string& text) { line_.show(text); }, [this](const Figures& figures) { show(figures); },
            [this](const BenchFailure& failure) { show(failure); }};
  }
  nlohmann::ordered_json& report() { return report_; }
  /// After the last one; returns the exit status.
  int end() {
    line_.clear();
    if (as_json_) {
      report_["points"] = points_;
      report_["failed"] = bench_json(failures_);
      std::cout << report_.dump(2) << "\n";
    } else if (!points_.empty()) {
      table_.legend();
    }
    return failures_.empty() ? kExitOk : failures_.front().status;
  }

 private:
  void show(const Figures& figures) {
    line_.clear();
    if (!as_json_ && points_.empty()) table_.head();
    if (!as_json_) table_.row(figures);
    points_.push_back(table_.json(figures));
  }
  void show(const BenchFailure& failure) {
    line_.clear();
    fmt::print(stderr, "weft: error: {}: {}\n", failure.name, failure.what);
    failures_.push_back(failure);
  }

  const BenchTable<Figures> table_;
  const bool as_json_;
  ProgressLine line_;
  nlohmann::ordered_json report_;
  nlohmann::ordered_json points_ = nlohmann::ordered_json::array();
  std::vector<BenchFailure> failures_;
};

int bench(const BenchRequest& request, bool as_json) {
  const StopSignal stop;
  BenchTable<BenchFigures> table;
  table.head = [] { print_bench_head(std::cout); };
  table.row = [](const BenchFigures& figures) { print_bench(figures, std::cout); };
  table.legend = [&] { print_bench_legend(request, std::cout); };
  table.json = [](const BenchFigures& figures) { return bench_json(figures); };
  BenchOutput<BenchFigures> output(std::move(table), as_json);
  run_bench(request, output.listener());
  return output.end();
}

int bench_rtl(const RtlBenchRequest& request, bool as_json) {
  const StopSignal stop;
  BenchTable<RtlBenchFigures> table;
  table.head = [&] { print_rtl_bench_head(request, std::cout); };
  table.row = [](const RtlBenchFigures& figures) { print_rtl_bench(figures, std::cout); };
  table.legend = [&] { print_rtl_bench_legend(request, std::cout); };
  table.json = rtl_bench_json;
  BenchOutput<RtlBenchFigures> output(std::move(table), as_json);
  output.report()["switch"] = fmt::format("Fred_{}({})", request.m, request.ports);
  run_rtl_bench(request, output.listener());
  return output.end();
}

void add_rtl(const Command& bench, const std::shared_ptr<bool>& as_json, int& status) {
  const Command command = bench.subcommand("rtl", "RTL of a FRED switch: alone, in the harness, in lockstep");
  auto request = std::make_shared<RtlBenchRequest>();
  command.flag("--json", *as_json, "print JSON instead of a table");
  command.option("--m", request->m, "middle stages").show_default().range(2, 8);
  command.option("--ports", request->ports, "ports of the switch").show_default().range(2, 32);
  command.option("--lanes", request->lanes, "lanes of 4 bytes; several are measured one after the other")
      .show_default()
      .range(1, 256);
  command.flag("--accumulate", request->accumulate_fp32, "BF16 with FP32 accumulation instead of FP32");
  command.option("--cycles", request->cycles, "of a run (default: 400000 / lanes)").positive();
  command.option("--seed", request->seed, "of the traffic").show_default();
  command.option("--repeats", request->repeats, "runs of each kind; the median counts")
      .show_default()
      .range(std::size_t{1}, std::size_t{100});
  command.flag("--waves", request->waves, "also with waves");
  command.flag("--coverage", request->coverage, "also with lines and toggles counted, which takes long to build");
  command.option("--build-dir", request->build_dir, "where built models are kept (default: below the user's cache)")
      .type_name("DIR");
  command.footer(
      "Examples:\n  weft bench rtl --lanes 4 16\n  weft bench rtl --m 2 --ports 4 --lanes 4 --waves --coverage\n"
      "A width that fails does not keep the others from being measured; the exit status is that of the first failure.");
  command.action([request, as_json, &status] { status = bench_rtl(*request, *as_json); });
}

int bench_access(const AccessBenchRequest& request, bool as_json) {
  BenchTable<AccessBenchFigures> table;
  table.head = [] { print_access_bench_head(std::cout); };
  table.row = [](const AccessBenchFigures& figures) { print_access_bench(figures, std::cout); };
  table.legend = [] { print_access_bench_legend(std::cout); };
  table.json = access_bench_json;
  BenchOutput<AccessBenchFigures> output(std::move(table), as_json);
  run_access_bench(request, output.listener());
  return output.end();
}

void add_access(const Command& bench, const std::shared_ptr<bool>& as_json, int& status) {
  const Command command = bench.subcommand("access", "Simulated cost of grants, encryption, integrity, oblivious mode");
  auto request = std::make_shared<AccessBenchRequest>();
  command.flag("--json", *as_json, "print JSON instead of a table");
  command.option("--accesses", request->accesses, "of each measurement").show_default().positive();
  command.option("--seed", request->seed, "of random addresses").show_default();
  command.footer("Examples:\n  weft bench access\n  weft bench access --accesses 1000 --json");
  command.action([request, as_json, &status] { status = bench_access(*request, *as_json); });
}

int bench_memory(const MemoryBenchRequest& request, bool as_json) {
  BenchTable<MemoryBenchFigures> table;
  table.head = [] { print_memory_bench_head(std::cout); };
  table.row = [](const MemoryBenchFigures& figures) { print_memory_bench(figures, std::cout); };
  table.legend = [&] { print_memory_bench_legend(request, std::cout); };
  table.json = memory_bench_json;
  BenchOutput<MemoryBenchFigures> output(std::move(table), as_json);
  run_memory_bench(request, output.listener());
  return output.end();
}

void add_memory(const Command& bench, const std::shared_ptr<bool>& as_json, int& status) {
  const Command command = bench.subcommand("memory", "TLM accesses through a memory port and a DRAM channel");
  auto request = std::make_shared<MemoryBenchRequest>();
  command.flag("--json", *as_json, "print JSON instead of a table");
  command.option("--accesses", request->transactions, "of each run").show_default().positive();
  command.option("--seed", request->seed, "of random addresses").show_default();
  command.option("--repeats", request->repeats, "runs of each kind; the median counts")
      .show_default()
      .range(std::size_t{1}, std::size_t{100});
  command.footer("Examples:\n  weft bench memory\n  weft bench memory --accesses 100000 --repeats 1 --json");
  command.action([request, as_json, &status] { status = bench_memory(*request, *as_json); });
}

std::string list_points() {
  std::string text = "Points:\n";
  for (const BenchPoint& point : bench_points()) text += fmt::format("  {:<28} {}\n", point.name, point.purpose);
  return text + "Examples:\n  weft bench\n  weft bench --filter 8x8 --json > speed.json";
}

}  // namespace

void add_bench_command(const Command& app, int& status) {
  const Command command = app.subcommand("bench", "Measure the speed and memory of this build");
  auto request = std::make_shared<BenchRequest>();
  auto as_json = std::make_shared<bool>(false);
  command.flag("--json", *as_json, "print JSON instead of a table");
  command.option("--filter", request->filter, "only points whose name holds this text (and 1x1)").type_name("TEXT");
  command.option("--repeats", request->repeats, "runs per point; the median counts")
      .show_default()
      .range(std::size_t{1}, std::size_t{100});
  command.option("--runner", request->program, "program that runs a point, called like this one").type_name("PROGRAM");
  command.footer(list_points());
  add_rtl(command, as_json, status);
  add_access(command, as_json, status);
  add_memory(command, as_json, status);
  command.action([command, request, as_json, &status] {
    if (command.has_chosen_subcommand()) return;
    if (request->program.empty()) request->program = own_program();
    status = bench(*request, *as_json);
  });
}

}  // namespace weft::cli
