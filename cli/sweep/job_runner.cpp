// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/job_runner.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/error.h"
#include "cli/child_process.h"
#include "cli/stop_signal.h"
#include "cli/sweep/summary_figures.h"

namespace weft::cli {
namespace {

/// How often the watcher is called while nothing ends.
constexpr std::chrono::milliseconds kPatience{100};

/// The jobs of one sweep under way.
class JobRunner {
 public:
  JobRunner(JobSource& source, const PointStore& store, const RunnerOptions& options)
      : source_(source), store_(store), options_(options) {}

  /// Starts what can start; false when nothing runs and nothing more can.
  bool fill() {
    while (children_.running() < options_.jobs && !StopSignal::requested()) {
      std::optional<SweepJob> job = source_.next();
      if (!job) break;
      begin(std::move(*job));
    }
    return children_.running() > 0 && !StopSignal::requested();
  }

  void wait() {
    const auto end = children_.wait_for_one(kPatience);
    if (!end) return;
    const SweepJob job = std::move(started_.at(end->pid));
    started_.erase(end->pid);
    count(job, store_.end(job.key, job.point, end->status));
  }

  SweepTally stop() {
    tally_.interrupted = StopSignal::requested();
    children_.kill_all();
    return tally_;
  }

  const SweepTally& tally() const { return tally_; }
  std::size_t running() const { return children_.running(); }

 private:
  void begin(SweepJob job) {
    if (!job.error.empty()) {
      count(job, store_.refuse(job.key, job.point, kExitBadInput, job.error));
    } else if (const auto outcome = store_.finished(job.key)) {
      ++tally_.kept;
      if (is_approximate(outcome->summary)) ++tally_.approximate;
      source_.ended(job, *outcome);
    } else {
      store_.begin(job.key);
      const pid_t pid = children_.start(arguments(job), store_.error_file(job.key));
      started_.emplace(pid, std::move(job));
    }
  }

  std::vector<std::string> arguments(const SweepJob& job) const {
    std::vector<std::string> result{options_.program, "run",   options_.config,
                                    "--quiet",        "--out", store_.directory(job.key).string()};
    for (std::string& setting : settings_of(job.point)) {
      result.emplace_back("--set");
      result.push_back(std::move(setting));
    }
    return result;
  }

  void count(const SweepJob& job, const PointOutcome& outcome) {
    ++(outcome.status == kExitOk ? tally_.finished : tally_.failed);
    if (outcome.status == kExitOk && is_approximate(outcome.summary)) ++tally_.approximate;
    if (tally_.first_failure == kExitOk) {
      tally_.first_failure = outcome.status;
      tally_.first_error = outcome.error;
    }
    if (outcome.status != kExitOk && outcome.error == tally_.first_error) ++tally_.alike;
    source_.ended(job, outcome);
  }

  JobSource& source_;
  const PointStore& store_;
  const RunnerOptions& options_;
  ChildProcesses children_;
  std::map<pid_t, SweepJob> started_;
  SweepTally tally_;
};

}  // namespace

std::vector<std::string> settings_of(const Point& point) {
  std::vector<std::string> settings;
  for (const auto& [path, value] : point) settings.push_back(path + "=" + value);
  return settings;
}

Point with_seed(const Point& point, std::size_t n, const PointResolver& resolve) {
  const std::uint64_t seed = resolve(settings_of(point)).seed + n;
  Point seeded;
  for (const auto& setting : point) {
    if (setting.first != "seed") seeded.push_back(setting);
  }
  seeded.emplace_back("seed", std::to_string(seed));
  return seeded;
}

void require_one_seed_axis(const std::vector<Axis>& axes, std::size_t seeds) {
  if (seeds == 1) return;
  for (const Axis& axis : axes) {
    if (axis.path == "seed" && axis.values.size() > 1) {
      throw InputError("--seeds and a range of `seed` exclude each other");
    }
  }
}

SweepJob make_job(std::size_t row, Point point, const PointResolver& resolve) {
  SweepJob job{row, std::move(point), "", ""};
  const std::vector<std::string> settings = settings_of(job.point);
  try {
    job.key = key_of(resolve(settings).identity);
  } catch (const InputError& error) {
    job.error = error.what();
    std::string identity = "refused";
    for (const std::string& setting : settings) identity += "\n" + setting;
    job.key = key_of(identity);
  }
  return job;
}

std::string describe(const SweepTally& tally, std::size_t running, const std::string& of_total) {
  std::string text = fmt::format("{}{} runs done", tally.kept + tally.finished + tally.failed, of_total);
  if (tally.kept > 0) text += fmt::format(", {} of them earlier", tally.kept);
  if (tally.approximate > 0) text += fmt::format(", {} approximate", tally.approximate);
  if (tally.failed > 0) text += fmt::format(", {} failed", tally.failed);
  if (running > 0) text += fmt::format(", {} under way", running);
  return text;
}

SweepTally run_jobs(JobSource& source, const PointStore& store, const RunnerOptions& options,
                    const std::function<void(const SweepTally&, std::size_t running)>& watch) {
  JobRunner runner(source, store, options);
  while (runner.fill()) {
    watch(runner.tally(), runner.running());
    runner.wait();
  }
  watch(runner.tally(), 0);
  return runner.stop();
}

}  // namespace weft::cli
