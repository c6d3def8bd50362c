// SPDX-License-Identifier: Apache-2.0
// The command line of `weft sweep`.
#include <fmt/format.h>
#include <cmath>

#include <algorithm>
#include <iostream>
#include <memory>
#include <thread>

#include "base/error.h"
#include "cli/checked_config.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/input_fingerprint.h"
#include "cli/progress_line.h"
#include "cli/stop_signal.h"
#include "cli/sweep/sweep.h"
#include "config/load.h"
#include "runs/summary.h"

namespace weft::cli {
namespace {

struct SweepOptions {
  std::string config;
  std::vector<std::string> settings;
  std::string out;
  std::string runner;
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::size_t seeds = 1;
  bool find_saturation = false;
  std::string tolerance = "0.01";
  std::string max_rate = "1";
  bool quiet = false;
};

ResolvedPoint resolve(const std::string& path, const std::vector<std::string>& settings) {
  const Config config = load_checked(path, settings);
  return {fmt::format("weft {}\n{}\n{}", runs::version(), to_yaml(config), input_fingerprint(config)), config.seed};
}

SweepRequest make_request(const SweepOptions& options) {
  SweepRequest request;
  for (const std::string& setting : options.settings) request.axes.push_back(parse_axis(setting));
  request.out = options.out;
  request.runner = {options.runner.empty() ? own_program() : options.runner, options.config, options.jobs};
  request.seeds = options.seeds;
  request.resolve = [path = options.config](const auto& settings) { return resolve(path, settings); };
  return request;
}

/// Steps of `tolerance` up to `max_rate`, which must be a multiple of it.
SaturationLimits limits_of(const SweepOptions& options) {
  const auto tolerance = Decimal::parse(options.tolerance);
  const auto max_rate = Decimal::parse(options.max_rate);
  if (!tolerance || !max_rate || *tolerance <= Decimal(0) || *max_rate <= *tolerance) {
    throw InputError(fmt::format("--tolerance {} --max-rate {}: expected two numbers, 0 < tolerance < max rate",
                                 options.tolerance, options.max_rate));
  }
  SaturationLimits limits;
  limits.tolerance = *tolerance;
  limits.high_step = std::llround(max_rate->value() / tolerance->value());
  if (!(Decimal(limits.high_step) * *tolerance == *max_rate)) {
    throw InputError(
        fmt::format("--max-rate {}: not a multiple of --tolerance {}", options.max_rate, options.tolerance));
  }
  return limits;
}

/// How many failed, and with what.
std::string failure_text(const SweepTally& tally) {
  const bool one_error = tally.alike == tally.failed;
  const bool all = tally.kept + tally.finished == 0;
  const std::string who = tally.failed == 1 ? "1 run" : fmt::format("{}{} runs", all ? "all " : "", tally.failed);
  const char* which = tally.failed == 1 ? ":" : one_error ? ", with the same error:" : "; the first:";
  return fmt::format("{} failed{}\n{}{}", who, which,
                     tally.first_error.empty() ? "it said nothing on standard error" : tally.first_error,
                     one_error ? "" : "\nthe columns status and error of the table have all");
}

/// Settings of one value that look like a list without its brackets.
std::string list_hints(const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings) {
    const Axis axis = parse_axis(setting);
    const std::string& value = axis.values.front();
    if (axis.values.size() > 1 || value.find(',') == std::string::npos || value.find_first_of("[{\"'") == 0) continue;
    text += fmt::format("--set {}={} is one value; several are a list: --set {}=[{}]\n", axis.path, value, axis.path,
                        value);
  }
  return text;
}

/// Says where the tables are and what became of the points; gives the exit status.
int conclude(const SweepOptions& options, const SweepTally& tally) {
  if (!options.quiet) {
    fmt::print("{}\ntable in {}/{}\n", describe(tally, 0, ""), options.out,
               options.find_saturation ? "saturation.csv" : "sweep.csv");
  }
  if (tally.interrupted) {
    fmt::print(stderr, "weft: interrupted; the same command continues where this one was\n");
    return StopSignal::status();
  }
  if (tally.failed > 0) {
    fmt::print(stderr, "weft: error: {}\n{}", failure_text(tally), list_hints(options.settings));
    return tally.first_failure;
  }
  return kExitOk;
}

int sweep(const SweepOptions& options) {
  // A file that cannot be read would otherwise fail once per point.
  disk_files().read(options.config);
  const SweepRequest request = make_request(options);
  const StopSignal stop;
  ProgressLine line;
  const auto watch = [&](const std::string& text) { line.show(text); };
  const SweepTally tally =
      options.find_saturation ? find_saturation(request, limits_of(options), watch) : run_sweep(request, watch);
  line.clear();
  return conclude(options, tally);
}

}  // namespace

void add_sweep_command(const Command& app, int& status) {
  const Command command = app.subcommand("sweep", "Run many points of a configuration, one process each");
  auto options = std::make_shared<SweepOptions>();
  add_config_argument(command, options->config);
  add_set_option(command, options->settings,
                 "one axis: PATH=a:b:step, PATH=a:b:*factor, PATH=[x, y, ...] or PATH=x; may be repeated, the points "
                 "are the product");
  command.option("--out", options->out, "directory of the tables and of all points").required().type_name("DIR");
  command.option("--jobs,-j", options->jobs, "runs at the same time")
      .show_default()
      .range(std::size_t{1}, std::size_t{1024});
  command
      .option("--seeds", options->seeds,
              "runs (or searches) per point with seeds s, s+1, ...; means with 95 % t-intervals")
      .range(std::size_t{1}, std::size_t{10000});
  command.flag("--find-saturation", options->find_saturation,
               "search workload.traffic.rate for the knee: latency above three times that of the lowest rate, or "
               "saturated");
  command
      .option("--tolerance", options->tolerance,
              "of --find-saturation: distance between the rates in the answer, and the lowest rate")
      .show_default();
  command.option("--max-rate", options->max_rate, "of --find-saturation: the highest rate tried").show_default();
  command.option("--runner", options->runner, "program that runs a point, called like this one (default: this one)")
      .type_name("PROGRAM");
  command.flag("--quiet,-q", options->quiet, "print nothing but errors");
  command.footer(R"(Examples:
  weft sweep configs/booksim-ref4.yaml --set workload.traffic.rate=0.05:0.40:0.05 --jobs 2 --out results/load
  weft sweep configs/demo.yaml --set fabric.link.bandwidth="[375 GB/s, 750 GB/s]" --set fabric.router.vcs=[2,4] --out results/links
  weft sweep configs/booksim-ref4.yaml --set fabric.size="[[4, 4], [8, 8]]" --find-saturation --seeds 3 --out results/knee
  weft sweep configs/booksim-ref4.yaml --set workload.traffic.rate=0.2 --seeds 5 --out results/seeds
OUT/sweep.csv has one row per point: parameters, status, error, the figures of summary.json. OUT/points/ keeps each point's results.
The same command again runs only what has not finished; Ctrl-C keeps what is done. A list as a value: [[8, 8]].
The exit status is 0 only when all points finished, else that of the first point that failed.)");
  command.action([options, &status] { status = sweep(*options); });
}

}  // namespace weft::cli
