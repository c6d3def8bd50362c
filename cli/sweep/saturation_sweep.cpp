// SPDX-License-Identifier: Apache-2.0
// The sweep that searches the saturation rate of each point.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/sweep/sweep.h"
#include "cli/sweep/sweep_table.h"
#include "kernel/error.h"
#include "wafer/csv_file.h"
#include "wafer/results_folder.h"

namespace weft::cli {
namespace {

/// One bisection per point; each has at most one run under way.
class SearchSource : public JobSource {
 public:
  SearchSource(const SweepRequest& request, const SaturationLimits& limits) : request_(request) {
    for (const Axis& axis : request.axes) {
      if (axis.path == kRate) throw InputError(fmt::format("--set {}: --find-saturation chooses it", kRate));
    }
    const std::size_t points = count_points(request.axes);
    for (std::size_t i = 0; i < points; ++i)
      searches_.push_back({point_at(request.axes, i), SaturationSearch(limits), false, 0, "", {}});
  }

  std::optional<SweepJob> next() override {
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      Search& s = searches_[i];
      const auto rate = s.search.next_rate();
      if (s.busy || !rate) continue;
      s.busy = true;
      Point point = s.point;
      point.emplace_back(kRate, rate->text());
      return make_job(i, std::move(point), request_.resolve);
    }
    return std::nullopt;
  }

  void ended(const SweepJob& job, const PointOutcome& outcome) override {
    Search& s = searches_[job.row];
    s.busy = false;
    RunEntry run{job.key, outcome};
    if (run.outcome.summary.is_object()) run.outcome.summary.erase("ranks");
    s.runs.push_back({job.point, {std::move(run)}});
    if (outcome.status != kExitOk) {
      s.error = outcome.error;
      s.status = outcome.status;
      s.search.give_up();
    } else {
      evaluate(s, outcome.summary);
    }
    write();
  }

  void write() const {
    std::vector<SweepRow> runs;
    for (const Search& s : searches_) runs.insert(runs.end(), s.runs.begin(), s.runs.end());
    write_sweep_csv(request_.out / "sweep.csv", runs, false);
    std::string text = "point";
    for (const Axis& axis : request_.axes) text += "," + wafer::csv_cell(axis.path);
    text += ",status,error,zero_load_latency_cycles,saturation_rate,first_rate_above,runs\n";
    for (std::size_t i = 0; i < searches_.size(); ++i) text += row_text(i, searches_[i]);
    wafer::write_file_atomically(request_.out / "saturation.csv", text);
  }

  std::size_t failed() const {
    return static_cast<std::size_t>(
        std::count_if(searches_.begin(), searches_.end(), [](const Search& s) { return s.status != kExitOk; }));
  }

 private:
  static constexpr const char* kRate = "workload.traffic.rate";

  struct Search {
    Point point;
    SaturationSearch search;
    bool busy = false;
    int status = 0;
    std::string error;
    std::vector<SweepRow> runs;
  };

  static void evaluate(Search& s, const nlohmann::json& summary) {
    RateOutcome rate;
    rate.saturated = summary.value("saturated", false);
    const nlohmann::json mean = summary.value(nlohmann::json::json_pointer("/latency_cycles/mean"), nlohmann::json());
    if (mean.is_number()) rate.mean_latency_cycles = mean.get<double>();
    if (!rate.saturated && !rate.mean_latency_cycles) {
      s.status = kExitBadInput;
      s.error = "no packet was measured at this rate: raise workload.traffic.measure_cycles or --tolerance";
      s.search.give_up();
      return;
    }
    s.search.add(rate);
  }

  static std::string row_text(std::size_t i, const Search& s) {
    std::string text = std::to_string(i);
    for (const auto& [path, value] : s.point) text += "," + wafer::csv_cell(value);
    const auto rate = [](const std::optional<Decimal>& r) { return r ? r->text() : std::string(); };
    const auto zero_load = s.search.zero_load_cycles();
    return text + fmt::format(",{},{},{},{},{},{}\n", s.status, wafer::csv_cell(s.error),
                              zero_load ? fmt::format("{}", *zero_load) : "", rate(s.search.last_good()),
                              rate(s.search.first_bad()), s.runs.size());
  }

  const SweepRequest& request_;
  std::vector<Search> searches_;
};

}  // namespace

SweepTally find_saturation(const SweepRequest& request, const SaturationLimits& limits, const SweepWatch& watch) {
  SearchSource source(request, limits);
  const PointStore store(request.out);
  SweepTally tally = run_jobs(source, store, request.runner,
                              [&](const SweepTally& t, std::size_t running) { watch(describe(t, running, "")); });
  source.write();
  tally.failed = source.failed();
  if (tally.failed > 0 && tally.first_failure == kExitOk) tally.first_failure = kExitBadInput;
  return tally;
}

}  // namespace weft::cli
