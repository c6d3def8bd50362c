// SPDX-License-Identifier: Apache-2.0
// What `weft advise collectives --played` does: the configuration's own workload, played once by each algorithm.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/counted.h"
#include "base/error.h"
#include "base/output_file.h"
#include "base/scratch_folder.h"
#include "cli/advise/collectives_advice.h"
#include "config/fabric_facts.h"
#include "config/names.h"
#include "npu/collective/algorithms/registry.h"
#include "npu/collective/form/shape.h"
#include "report/csv_reader.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

std::string workload_section(const CollectivesRequest& request, const Config& config) {
  if (std::holds_alternative<TraceWorkload>(config.workload)) return "workload.trace.";
  if (std::holds_alternative<CollectiveWorkload>(config.workload)) return "workload.collective.";
  throw InputError(fmt::format("{}: --played is for traces and collectives", request.config));
}

/// Why the fabric cannot carry an algorithm, whatever the group; "" if it can.
std::string why_unfit(const npu::Algorithm& algorithm, const FabricSpec& fabric) {
  if (algorithm.needs_switches && !switches_reduce(fabric)) return "it needs switches that reduce";
  if (algorithm.needs_colours && fabric.router.colours == 0) return "it needs fabric.router.colours of 2 or more";
  return "";
}

/// A table that has one algorithm for all that it does, and `ring` for all else.
std::string table_of(const npu::Algorithm& algorithm, const CollectivesAdvice& advice) {
  std::string text = fmt::format("fabric: {{kind: {}, npus: {}}}\ncollectives:\n", advice.fabric_kind, advice.npus);
  const std::vector<CollectiveKind> done = algorithm.kinds();
  for (const CollectiveKind kind : npu::all_kinds()) {
    const bool does = std::find(done.begin(), done.end(), kind) != done.end();
    text += fmt::format("  {}: {{1: {{0 B: [{}]}}}}\n", name_of(kind), does ? algorithm.name : "ring");
  }
  return text;
}

/// Times of the collectives that differ in kind, ranks or bytes.
class PlayedTimes {
 public:
  /// Takes from the table of a run what `algorithm` carried out.
  void add(const std::string& algorithm, const fs::path& table) {
    const report::CsvReader csv(
        table, {"kind", "algorithm", "ranks", "bytes", "start_cycle", "end_cycle", "start_ns", "end_ns"});
    for (std::size_t row = 0; row < csv.rows(); ++row) {
      if (csv.text(row, 1) != algorithm) continue;
      const auto kind = npu::kind_from_name(csv.text(row, 0));
      WEFT_CHECK(kind.has_value(), "a run's table has an unknown kind");
      Sum& sum = sums_[{*kind, csv.count(row, 2), csv.count(row, 3)}][algorithm];
      sum.cycles += static_cast<double>(csv.count(row, 5) - csv.count(row, 4));
      sum.ns += csv.number(row, 7) - csv.number(row, 6);
      ++sum.count;
    }
  }

  /// In the order of the documentation, with the means.
  std::vector<Ranking> rankings() const {
    std::vector<Ranking> all;
    for (const auto& [key, by_algorithm] : sums_) {
      Ranking ranking{std::get<0>(key), std::get<1>(key), std::get<2>(key), {}};
      for (const npu::Algorithm* algorithm : npu::algorithms()) {
        const auto found = by_algorithm.find(std::string(algorithm->name));
        if (found == by_algorithm.end()) continue;
        AlgorithmTime time;
        time.algorithm = found->first;
        time.cycles = static_cast<Cycle>(std::llround(found->second.cycles / found->second.count));
        time.ns = found->second.ns / found->second.count;
        ranking.algorithms.push_back(std::move(time));
      }
      all.push_back(std::move(ranking));
    }
    return all;
  }

 private:
  struct Sum {
    double cycles = 0;
    double ns = 0;
    double count = 0;
  };
  std::map<std::tuple<CollectiveKind, std::uint64_t, std::uint64_t>, std::map<std::string, Sum>> sums_;
};

}  // namespace

CollectivesAdvice advise_played(const CollectivesRequest& request,
                                const std::function<void(const std::string&)>& watch) {
  const Config config = load_as_it_stands(request);
  const std::string section = workload_section(request, config);
  CollectivesAdvice advice = advice_for(config);
  const ScratchFolder tables;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> runs;
  for (const npu::Algorithm* algorithm : npu::algorithms()) {
    const std::string name(algorithm->name);
    const std::string reason = why_unfit(*algorithm, config.fabric);
    if (!reason.empty()) {
      advice.leave_out(name, reason);
      continue;
    }
    const fs::path table = tables.path() / (name + ".yaml");
    write_output(table, table_of(*algorithm, advice));
    std::vector<std::string> settings = request.settings;
    settings.push_back(section + "algorithm=auto");
    settings.push_back(section + "algorithm_file=");
    settings.push_back(section + "algorithm_table=" + table.string());
    runs.push_back(std::move(settings));
    names.push_back(name);
  }
  PlayedTimes times;
  run_all(
      {request.program, request.config, request.jobs}, runs,
      [&](std::size_t done) { watch(fmt::format("{} of {} done", done, counted(runs.size(), "run"))); },
      [&](std::size_t number, const fs::path& table) { times.add(names[number], table); },
      [&](std::size_t number, int status, const std::string& said) {
        refuse_or_leave_out(advice, names[number], status, said);
      });
  advice.rankings = times.rankings();
  rank_algorithms(advice);
  require_some(request, advice);
  return advice;
}

}  // namespace weft::cli
