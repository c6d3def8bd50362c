// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "base/error.h"
#include "cli/sweep/sweep_table.h"

namespace weft::cli {
namespace {

/// Tables are written again at most this often while runs end quickly, and always at the end.
constexpr std::chrono::milliseconds kTablePeriod{500};

/// Every point once per seed, in order.
class ProductSource : public JobSource {
 public:
  explicit ProductSource(const SweepRequest& request) : request_(request), rows_(count_points(request.axes)) {
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].point = point_at(request.axes, i);
    require_one_seed_axis(request.axes, request.seeds);
  }

  std::optional<SweepJob> next() override {
    while (next_ < total()) {
      const Cell cell{next_ / request_.seeds, next_ % request_.seeds};
      SweepJob job = make_seed_job(cell);
      ++next_;
      // Settings that resolve to the same point share its run.
      const auto [it, is_new] = cells_.try_emplace(job.key);
      it->second.push_back(cell);
      if (is_new) return job;
      if (const auto done = outcomes_.find(job.key); done != outcomes_.end()) enter(cell, job.key, done->second);
    }
    return std::nullopt;
  }

  void ended(const SweepJob& job, const PointOutcome& outcome) override {
    PointOutcome kept = outcome;
    // One entry per rank would hold gigabytes over a long sweep.
    if (kept.summary.is_object()) kept.summary.erase("ranks");
    for (const Cell& cell : cells_.at(job.key)) enter(cell, job.key, kept);
    outcomes_.emplace(job.key, std::move(kept));
    write(false);
  }

  void write(bool always) {
    const auto now = std::chrono::steady_clock::now();
    if (!always && now < next_write_) return;
    write_sweep_csv(request_.out / "sweep.csv", rows_, request_.seeds > 1);
    if (request_.seeds > 1) write_runs_csv(request_.out / "runs.csv", rows_);
    next_write_ = std::chrono::steady_clock::now() + kTablePeriod;
  }

  std::size_t total() const { return rows_.size() * request_.seeds; }

 private:
  /// Where a run appears: a row, and which of the row's seeds it is.
  struct Cell {
    std::size_t row;
    std::size_t seed;
  };

  /// Runs of a row stand in the order of their seeds, whichever ended first.
  void enter(const Cell& cell, const std::string& key, const PointOutcome& outcome) {
    std::vector<RunEntry>& runs = rows_[cell.row].runs;
    const auto after = std::find_if(runs.begin(), runs.end(), [&](const RunEntry& r) { return r.order > cell.seed; });
    runs.insert(after, {key, outcome, cell.seed});
  }

  SweepJob make_seed_job(const Cell& cell) {
    const Point& point = rows_[cell.row].point;
    if (request_.seeds == 1) return make_job(cell.row, point, request_.resolve);
    Point seeded = point;
    try {
      seeded = with_seed(point, cell.seed, request_.resolve);
    } catch (const InputError&) {  // make_job says what is wrong with it
    }
    return make_job(cell.row, std::move(seeded), request_.resolve);
  }

  const SweepRequest& request_;
  std::vector<SweepRow> rows_;
  std::size_t next_ = 0;
  std::map<std::string, std::vector<Cell>> cells_;  // points and seeds that share a run, by its key
  std::map<std::string, PointOutcome> outcomes_;
  std::chrono::steady_clock::time_point next_write_{};
};

}  // namespace

SweepTally run_sweep(const SweepRequest& request, const SweepWatch& watch) {
  ProductSource source(request);
  const PointStore store(request.out);
  const std::string of_total = fmt::format(" of {}", source.total());
  const SweepTally tally = run_jobs(source, store, request.runner, [&](const SweepTally& t, std::size_t running) {
    watch(describe(t, running, of_total));
  });
  source.write(true);
  return tally;
}

}  // namespace weft::cli
