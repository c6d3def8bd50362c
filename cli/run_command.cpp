// SPDX-License-Identifier: Apache-2.0
#include "cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/scratch_folder.h"
#include "base/text_distance.h"
#include "cli/checked_config.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/directory_claim.h"
#include "cli/progress_line.h"
#include "cli/run_checkpoints.h"
#include "cli/stop_signal.h"
#include "cli/watch_view.h"
#include "config/check.h"
#include "config/load.h"
#include "config/machine_memory.h"
#include "report/report.h"
#include "runs/estimate/memory_estimate.h"
#include "runs/results_folder.h"
#include "runs/run.h"
#include "runs/run_report.h"
#include "runs/summary.h"
#include "runs/write_attempts.h"
#include "tb/build/rtl_interface.h"
#include "tb/switch/switch_build.h"
#include "waves/layout.h"

namespace weft::cli {
namespace {

using Path = std::filesystem::path;

constexpr std::chrono::milliseconds kProgressPeriod{200};
/// Cycles before and after a difference in lockstep whose waves are kept.
constexpr Cycle kLockstepBefore = 200;
constexpr Cycle kLockstepAfter = 50;

/// The configuration as it is run: a relative waves file lies in the results directory.
Config placed_in(Config config, const Path& out) {
  if (!config.waves.file.empty() && Path(config.waves.file).is_relative()) {
    config.waves.file = (out / config.waves.file).string();
  }
  return config;
}

/// Removes symbolic links in the results directory under the names of its wave file and of the files beside that: what
/// they point to is not meant. Absolute names of waves.file are the user's own.
void remove_wave_links(const Config& config, const Path& out) {
  if (config.waves.file.empty() || Path(config.waves.file).is_absolute()) return;
  const Path file = out / config.waves.file;
  std::vector<Path> links;
  std::error_code none;
  for (std::filesystem::directory_iterator at(file.parent_path(), none), end; !none && at != end; at.increment(none)) {
    const bool ours = at->path().filename().string().rfind(file.stem().string() + ".", 0) == 0;
    if (ours && at->is_symlink()) links.push_back(at->path());
  }
  for (const Path& link : links) std::filesystem::remove(link, none);
}

/// What lockstep has told.
struct LockstepNews {
  std::optional<tb::LockstepMismatch> difference;
  std::vector<std::string> switches;  ///< that are in lockstep
};

/// Makes switches that may be RTL.
fred::SwitchFactory switches_of(const RunRequest& request, LockstepNews* news) {
  const bool quiet = request.quiet;
  const auto builder = [quiet] {
    return std::make_shared<tb::ModelBuilder>(tb::default_build_dir(), [quiet](const std::string& text) {
      if (!quiet) fmt::print(stderr, "weft: {}\n", text);
    });
  };
  const auto options = [news, &request](const std::string& path) {
    news->switches.push_back(path);
    tb::LockstepOptions lockstep;
    lockstep.report = [news](const tb::LockstepMismatch& mismatch) { news->difference = mismatch; };
    if (path == request.lockstep_path) lockstep.waves = request.lockstep_waves;
    return lockstep;
  };
  return tb::switch_factory(builder, options);
}

/// A layout beside the waves of RTL and model, with the difference as its marker.
void show_difference(const Path& file, Cycle cycle) {
  constexpr double kCyclesShown = 24;
  constexpr double kPixels = 1000;
  const auto reader = waves::open_wave_file(file);
  waves::GtkwView view;
  view.marker = cycle * tb::kWaveTimePerCycle + tb::kWaveTimePerCycle / 2;
  const std::uint64_t before = tb::kWaveTimePerCycle * static_cast<std::uint64_t>(kCyclesShown / 2);
  view.start = *view.marker > before ? *view.marker - before : 0;
  view.units_per_pixel = kCyclesShown * static_cast<double>(tb::kWaveTimePerCycle) / kPixels;
  waves::write_layout(Path(file).replace_extension(".gtkw"), file, "lockstep", reader->header(), view);
}

/// The run once more in another process, with waves of the switch that differs.
void replay_with_waves(const RunRequest& request, const tb::LockstepMismatch& found, const Path& out) {
  const Path file = out / "lockstep.vcd";
  const Cycle from = found.cycle > kLockstepBefore ? found.cycle - kLockstepBefore : 0;
  const ScratchFolder scratch;
  std::vector<std::string> words = {own_program(),
                                    "run",
                                    request.config,
                                    "--quiet",
                                    "--out",
                                    (scratch.path() / "out").string(),
                                    "--lockstep-waves",
                                    fmt::format("{}:{}:{}:{}", found.path, from, found.cycle + kLockstepAfter,
                                                std::filesystem::absolute(file).string())};
  for (const std::string& setting : request.settings) {
    words.emplace_back("--set");
    words.push_back(setting);
  }
  ChildProcesses children;
  children.start(words, scratch.path() / "errors");
  while (!children.wait_for_one(std::chrono::seconds(1))) {
    if (StopSignal::requested()) return;
  }
  if (!std::filesystem::exists(file)) return;
  show_difference(file, found.cycle);
  fmt::print(stderr, "weft: waves of RTL and model: {}\n", file.string());
}

/// The switch in lockstep whose waves are wanted has to be there.
void require_taken(const RunRequest& request, const LockstepNews& news) {
  if (!request.lockstep_waves) return;
  if (news.switches.empty()) {
    throw InputError("--lockstep-waves: no switch is in lockstep; fabric.model: lockstep puts all of them there");
  }
  const std::vector<std::string_view> known(news.switches.begin(), news.switches.end());
  if (std::find(known.begin(), known.end(), request.lockstep_path) != known.end()) return;
  throw InputError(fmt::format("--lockstep-waves {}: no switch of this name is in lockstep; nearest: {}",
                               request.lockstep_path, nearest_name(request.lockstep_path, known)));
}

/// PATH:FROM:TO:FILE; a path has no colon.
void read_lockstep_waves(const std::string& text, RunRequest& request) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (int i = 0; i < 3; ++i) {
    const std::size_t colon = text.find(':', at);
    if (colon == std::string::npos) throw InputError("--lockstep-waves " + text + ": PATH:FROM:TO:FILE is legal");
    parts.push_back(text.substr(at, colon - at));
    at = colon + 1;
  }
  const auto cycle = [&](const std::string& part) {
    const long long number = tb::parse_number(part);
    if (number < 0) throw InputError("--lockstep-waves " + text + ": cycles are whole numbers from 0 on");
    return static_cast<Cycle>(number);
  };
  request.lockstep_path = parts[0];
  request.lockstep_waves = tb::LockstepWaves{cycle(parts[1]), cycle(parts[2]), text.substr(at)};
}

sc_models::RunResult simulate(const Config& config, bool watch, sc_models::RunControl& control,
                              const fred::SwitchFactory& make_switch, CheckpointKeeper* checkpoints) {
  ProgressLine line;
  WatchView view;
  const auto start = std::chrono::steady_clock::now();
  if (watch) {
    control.want_details(WatchView::kShown);
    control.on_progress(
        [&](const sc_models::RunProgress& progress) {
          view.show(config, progress, std::chrono::steady_clock::now() - start);
        },
        WatchView::period());
  } else if (on_terminal()) {
    control.on_progress(
        [&](const sc_models::RunProgress& progress) {
          line.show(progress_text(progress, config.clock, std::chrono::steady_clock::now() - start));
        },
        kProgressPeriod);
  }
  runs::RunSetup setup;
  setup.make_switch = make_switch;
  if (checkpoints == nullptr) return runs::run(config, control, setup);
  setup.checkpoints = checkpoints->setup();
  checkpoints->tell(control);
  sc_models::RunResult result = runs::run(config, control, setup);
  checkpoints->add_cost(&result);
  return result;
}

void warn(const std::string& text) { fmt::print(stderr, "weft: warning: {}\n", text); }

void say_warnings(const Config& config, const sc_models::RunResult& result) {
  for (const std::string& text : result.warnings) warn(text);
  const std::string drift = runs::warmup_warning(config, result);
  if (!drift.empty()) warn(drift);
}

/// Writes the page about a run and says where it lies; that it cannot be written spoils no results.
void write_page(const Path& folder) {
  const Path page = folder / report::kReportFile;
  try {
    report::write_report({folder}, page);
    std::cout << "  report           " << page.string() << "\n" << std::flush;
  } catch (const std::exception& error) {
    warn(fmt::format("{} is not written: {}", page.string(), error.what()));
  }
}

/// Says on standard error why a run did not finish, and gives the exit status.
int conclude(const Config& config, const sc_models::RunResult& result, const Path& out) {
  switch (result.stop) {
    case sc_models::StopReason::kFinished:
    case sc_models::StopReason::kDrainLimit:
      return kExitOk;
    case sc_models::StopReason::kCycleLimit:
      fmt::print(stderr, "weft: error: limits.cycles = {} reached before the workload finished{}{}\n",
                 config.limits.cycles, result.stop_text.empty() ? "" : "\n", result.stop_text);
      return kExitLimit;
    case sc_models::StopReason::kInterrupted:
      fmt::print(stderr, "weft: interrupted at cycle {} by {}; what there is lies in {}\n", result.cycles,
                 StopSignal::name(), out.string());
      return StopSignal::status();
    case sc_models::StopReason::kBadInput:
      fmt::print(stderr, "weft: error: {}\nstopped at cycle {}; what there is lies in {}\n", result.stop_text,
                 result.cycles, out.string());
      return kExitBadInput;
    case sc_models::StopReason::kViolation:
      fmt::print(stderr, "weft: error: {}\n", result.stop_text);
      return kExitViolation;
    case sc_models::StopReason::kFullDisk:
      fmt::print(stderr, "weft: error: {}\nstopped at cycle {}; what there is lies in {}\n", result.stop_text,
                 result.cycles, out.string());
      return kExitInternal;
  }
  return kExitInternal;
}

}  // namespace

int run_configuration(const RunRequest& given) {
  RunRequest request = given;
  std::optional<runs::CheckpointFile> from;
  if (request.resume) {
    from = checkpoint_in(request.out);
    request.out = go_to_folder(*from, request.out);
  }
  const Config config = from ? config_of(*from, request.settings) : load_checked(request.config, request.settings);
  const int threads = threads_of(config, request.threads);
  const CheckpointWish wish = read_checkpoint_wish(request.checkpoint, config.clock);
  if (!from) refuse_checkpoints(config, wish, request.out);
  refuse_bad_nodes(config);
  const std::string memory = memory_warning(runs::quick_memory_estimate(config).bytes, memory_bound());
  if (!memory.empty()) warn(memory);
  for (const std::string& text : config_warnings(config)) warn(text);
  DirectoryClaim claim = DirectoryClaim::of(request.out, config.name);
  const Path out = claim.path();
  if (from) from = checkpoint_in(request.out);  // another process may have gone on with it meanwhile
  const runs::ResultsFolder folder(out, to_yaml(config));
  std::optional<CheckpointKeeper> checkpoints;
  if (from) {
    checkpoints.emplace(std::move(*from), config, wish, out);
    checkpoints->setup()->threads = threads;
  } else if (wish.any()) {
    checkpoints.emplace(config, wish, out);
  }
  remove_wave_links(config, out);
  sc_models::RunControl control;
  // Until everything is written, a signal ends nothing.
  const StopSignal stop(&control);
  sc_models::RunResult result;
  LockstepNews lockstep;
  const fred::SwitchFactory make_switch = switches_of(request, &lockstep);
  try {
    result =
        simulate(placed_in(config, out), request.watch, control, make_switch, checkpoints ? &*checkpoints : nullptr);
  } catch (const InputError&) {
    // A trace that cannot be read leaves no empty results behind.
    if (checkpoints && !request.resume) checkpoints->remove();
    claim.abandon();
    throw;
  }
  std::vector<std::string> left_out;
  std::string not_written;
  try {
    left_out = folder.write(config, result, request.all_tables);
  } catch (const runs::ResultsNotWritten& lost) {
    not_written = lost.what();  // what the run has to say comes first
  }
  if (!request.quiet) {
    runs::print_report(config, result, std::cout);
    for (const std::string& text : left_out) std::cout << "  " << text << "\n";
    std::cout << "  results          " << out.string() << "\n" << std::flush;
    if (!config.waves.file.empty())
      std::cout << "  waves            " << placed_in(config, out).waves.file << "\n" << std::flush;
    if (request.report) write_page(out);
  }
  say_warnings(config, result);
  require_taken(request, lockstep);
  const int status = conclude(config, result, out);
  if (lockstep.difference && !request.lockstep_waves) replay_with_waves(request, *lockstep.difference, out);
  if (not_written.empty()) {
    if (checkpoints) checkpoints->end(result.stop, result.cycles);
    return status;
  }
  fmt::print(stderr, "weft: error: results are lost:\n{}\n", not_written);
  return status == kExitOk ? kExitInternal : status;
}

namespace {

constexpr const char* kCheckpointHelp =
    "keep the state of the run in the results directory, for `weft resume`: `every 10min` by the clock on the wall, "
    "`at 2ms` or `at 1000000` once, at a simulated time or cycle; a signal that stops the run leaves one, too";

/// What `weft run` and `weft resume` have in common.
void add_output_options(const Command& command, const std::shared_ptr<RunRequest>& request) {
  command.flag("--quiet,-q", request->quiet, "print no report; errors and warnings still go to standard error");
  command.flag("--watch", request->watch,
               "show how far the run is, its busiest links and running collectives while it goes on");
  command.flag_with(
      "--no-report", [request] { request->report = false; }, "write no report.html; --quiet writes none either");
  command.flag("--all-tables", request->all_tables, "write tables of more than 100,000 rows too");
  command.option("--checkpoint", request->checkpoint, kCheckpointHelp).values(2).type_name("every|at TIME");
}

}  // namespace

void add_resume_command(const Command& app, int& status) {
  const Command command = app.subcommand("resume", "Go on with a run that was stopped, from its last checkpoint");
  auto request = std::make_shared<RunRequest>();
  request->resume = true;
  command.option("DIR", request->out, "results directory of a run that was begun with --checkpoint").required();
  add_set_option(command, request->settings, "override limits.cycles; all else stays as the run was begun");
  add_output_options(command, request);
  command
      .option("--threads", request->threads,
              "threads that step the fabric; of more than the run was begun with, the others have nothing to do")
      .range(1, 256);
  command.footer(R"(Examples:
  weft run configs/mesh-wafer.yaml --checkpoint every 10min --out results/wafer
  weft resume results/wafer
The results are those of a run that was never stopped, byte for byte, but for what it cost.)");
  command.action([request, &status] { status = run_configuration(*request); });
}

void add_run_command(const Command& app, int& status) {
  const Command command = app.subcommand("run", "Run a configuration and write its results");
  auto request = std::make_shared<RunRequest>();
  add_config_argument(command, request->config);
  add_set_option(command, request->settings, "override one key of the configuration; may be repeated");
  command.option("--out", request->out, "results directory (default: results/NAME-N, the first free N)")
      .type_name("DIR");
  add_output_options(command, request);
  command
      .option_with(
          "--lockstep-waves", [request](const std::string& text) { read_lockstep_waves(text, *request); },
          "waves of RTL and model of one switch in lockstep; the run ends after them")
      .type_name("PATH:FROM:TO:FILE");
  command.footer(R"(Examples:
  weft run configs/demo.yaml
  weft run configs/mesh-wafer.yaml --watch
  weft run configs/demo.yaml --set fabric.link.bandwidth="1.5 TB/s" --out results/fast-links
  weft run configs/booksim-ref4.yaml --set workload.traffic.rate=0.3 --quiet --out results/load-0.3
The results directory holds config.resolved.yaml, summary.json, tables (links.csv, nodes.csv, collectives.csv, latency.csv ...),
and report.html, a page for a browser.
Ctrl-C, SIGTERM, SIGHUP, SIGUSR1 and SIGXCPU stop cleanly and write what there is (exit status 128 + the signal's number);
Ctrl-C after that ends at once. Of an earlier run everything but its waves stays until the results of this one are written.)");
  command.action([request, &status] { status = run_configuration(*request); });
}

}  // namespace weft::cli
