// SPDX-License-Identifier: Apache-2.0
// The sweep that searches the saturation rate of each point.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/csv_cell.h"
#include "base/error.h"
#include "base/output_file.h"
#include "cli/sweep/statistics.h"
#include "cli/sweep/sweep.h"
#include "cli/sweep/sweep_table.h"

namespace weft::cli {
namespace {

constexpr const char* kRate = "workload.traffic.rate";

/// The search of one point with one seed.
struct Search {
  Point point;  ///< with the seed where several are searched
  std::string seed;
  SaturationSearch search;
  bool busy = false;
  int status = 0;
  std::string error;
  std::vector<SweepRow> runs;
};

std::string rate_text(const std::optional<Decimal>& rate) { return rate ? rate->text() : ""; }
std::optional<double> number(const std::optional<Decimal>& rate) {
  return rate ? std::optional<double>(rate->value()) : std::nullopt;
}

/// "status,error,zero_load,saturation_rate,first_rate_above,runs" of one search.
std::string search_cells(const Search& s) {
  const auto zero_load = s.search.zero_load_cycles();
  return fmt::format("{},{},{},{},{},{}", s.status, csv_cell(s.error), zero_load ? fmt::format("{}", *zero_load) : "",
                     rate_text(s.search.last_good()), rate_text(s.search.first_bad()), s.runs.size());
}

/// "mean,half width" of what `value` says about the searches; both empty where one of them has no answer.
template <typename GetValue>
std::string mean_cells(const Search* first, const Search* last, GetValue value) {
  std::vector<double> samples;
  for (const Search* s = first; s != last; ++s) {
    const std::optional<double> sample = value(s->search);
    if (!sample) return ",";
    samples.push_back(*sample);
  }
  const MeanInterval interval = mean_interval(samples);
  return fmt::format("{},{}", interval.mean, interval.half_width ? fmt::format("{}", *interval.half_width) : "");
}

/// The same columns over the searches of one point.
std::string point_cells(const Search* first, const Search* last) {
  const Search* failed = std::find_if(first, last, [](const Search& s) { return s.status != kExitOk; });
  std::size_t runs = 0;
  for (const Search* s = first; s != last; ++s) runs += s->runs.size();
  return fmt::format("{},{},{},{},{},{}", failed == last ? kExitOk : failed->status,
                     csv_cell(failed == last ? "" : failed->error),
                     mean_cells(first, last, [](const SaturationSearch& s) { return s.zero_load_cycles(); }),
                     mean_cells(first, last, [](const SaturationSearch& s) { return number(s.last_good()); }),
                     mean_cells(first, last, [](const SaturationSearch& s) { return number(s.first_bad()); }), runs);
}

/// One bisection per point and seed; each has at most one run under way.
class SearchSource : public JobSource {
 public:
  SearchSource(const SweepRequest& request, const SaturationLimits& limits) : request_(request) {
    for (const Axis& axis : request.axes) {
      if (axis.path == kRate) throw InputError(fmt::format("--set {}: --find-saturation chooses it", kRate));
    }
    require_one_seed_axis(request.axes, request.seeds);
    for (std::size_t i = 0; i < count_points(request.axes); ++i) {
      for (std::size_t n = 0; n < request.seeds; ++n)
        searches_.push_back(make_search(point_at(request.axes, i), n, limits));
    }
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
    s.runs.push_back({row_point(job.point), {std::move(run)}});
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
    write_saturation();
    if (request_.seeds > 1) write_searches();
  }

  std::size_t failed() const {
    return static_cast<std::size_t>(
        std::count_if(searches_.begin(), searches_.end(), [](const Search& s) { return s.status != kExitOk; }));
  }

 private:
  Search make_search(Point point, std::size_t n, const SaturationLimits& limits) const {
    std::string seed;
    if (request_.seeds > 1) {
      try {
        point = with_seed(point, n, request_.resolve);
        seed = point.back().second;
      } catch (const InputError&) {  // make_job says what is wrong with it
      }
    }
    return {std::move(point), seed, SaturationSearch(limits), false, 0, "", {}};
  }

  /// The settings of a run in the order of the table's columns, which is the same for points that are not legal.
  Point row_point(const Point& point) const {
    if (request_.seeds == 1) return point;
    Point row;
    std::string seed;
    for (const auto& setting : point) {
      if (setting.first == "seed") {
        seed = setting.second;
      } else {
        row.push_back(setting);
      }
    }
    row.insert(row.end() - 1, {"seed", seed});  // before the rate
    return row;
  }

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

  std::string head() const {
    std::string text = "point";
    for (const Axis& axis : request_.axes) text += "," + csv_cell(axis.path);
    return text;
  }
  /// Number and parameters of a point.
  std::string start_of_row(std::size_t i) const {
    std::string text = std::to_string(i);
    for (const auto& [path, value] : point_at(request_.axes, i)) text += "," + csv_cell(value);
    return text;
  }

  void write_saturation() const {
    const bool means = request_.seeds > 1;
    std::string text = head() + ",status,error";
    for (const char* name : {"zero_load_latency_cycles", "saturation_rate", "first_rate_above"}) {
      text += fmt::format(means ? ",{0},{0}.ci95" : ",{0}", name);
    }
    text += ",runs\n";
    for (std::size_t i = 0; i * request_.seeds < searches_.size(); ++i) {
      const Search* first = &searches_[i * request_.seeds];
      text += fmt::format("{},{}\n", start_of_row(i),
                          means ? point_cells(first, first + request_.seeds) : search_cells(*first));
    }
    write_output(request_.out / "saturation.csv", text, OutputLinks::kReplace);
  }

  void write_searches() const {
    std::string text =
        head() + ",search_seed,status,error,zero_load_latency_cycles,saturation_rate,first_rate_above,runs\n";
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      text +=
          fmt::format("{},{},{}\n", start_of_row(i / request_.seeds), searches_[i].seed, search_cells(searches_[i]));
    }
    write_output(request_.out / "searches.csv", text, OutputLinks::kReplace);
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
