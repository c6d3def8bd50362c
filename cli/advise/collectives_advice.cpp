// SPDX-License-Identifier: Apache-2.0
#include "cli/advise/collectives_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/units.h"
#include "config/key.h"
#include "config/names.h"
#include "npu/collective/algorithms/registry.h"
#include "runs/summary.h"

namespace weft::cli {
namespace {

std::string bytes_text(std::uint64_t bytes) { return format_quantity(Rational{bytes, 1}, Dimension::kBytes); }

/// All that are to run, and where each stands.
struct Points {
  explicit Points(CollectivesAdvice& advice) {
    for (Ranking& ranking : advice.rankings) {
      for (AlgorithmTime& time : ranking.algorithms) {
        all.push_back(&time);
        times.push_back(&time);
      }
    }
  }
  std::vector<CollectivePoint*> all;
  std::vector<AlgorithmTime*> times;  ///< the same
};

}  // namespace

void rank_algorithms(CollectivesAdvice& advice) {
  for (Ranking& ranking : advice.rankings) {
    std::vector<AlgorithmTime>& list = ranking.algorithms;
    list.erase(std::remove_if(list.begin(), list.end(), [](const AlgorithmTime& time) { return !time.finished; }),
               list.end());
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  }
  std::vector<Ranking>& all = advice.rankings;
  all.erase(std::remove_if(all.begin(), all.end(), [](const Ranking& ranking) { return ranking.algorithms.empty(); }),
            all.end());
  // Runs end in any order.
  const auto order = [](const LeftOutRuns& left) {
    const auto& known = npu::algorithms();
    const auto named = [&](const npu::Algorithm* algorithm) { return algorithm->name == left.algorithm; };
    return std::pair(std::find_if(known.begin(), known.end(), named) - known.begin(), left.reason);
  };
  std::sort(advice.left_out.begin(), advice.left_out.end(),
            [&](const LeftOutRuns& a, const LeftOutRuns& b) { return order(a) < order(b); });
}

CollectivesAdvice advise_collectives(const CollectivesRequest& request,
                                     const std::function<void(const std::string&)>& watch) {
  CollectivesAdvice advice = plan_collectives(request);
  const Points points(advice);
  run_points(
      {request.program, request.config, request.jobs}, points.all,
      [&](std::size_t done) { watch(fmt::format("{} of {} done", done, counted(points.all.size(), "run"))); },
      [&](std::size_t number, int status, const std::string& said) {
        AlgorithmTime& time = *points.times[number];
        refuse_or_leave_out(advice, time.algorithm, status, said);
        time.finished = false;
      });
  rank_algorithms(advice);
  require_some(request, advice);
  return advice;
}

void refuse_or_leave_out(CollectivesAdvice& advice, const std::string& algorithm, int status, const std::string& said) {
  if (status != kExitBadInput && status != kExitLimit) throw_failure("algorithm " + algorithm, status, said);
  advice.leave_out(algorithm, said);
}

void require_some(const CollectivesRequest& request, const CollectivesAdvice& advice) {
  if (!advice.rankings.empty()) return;
  throw InputError(fmt::format(
      "{}: no collective could be simulated{}", request.config,
      advice.left_out.empty()
          ? ""
          : fmt::format("; algorithm {}: {}", advice.left_out.front().algorithm, advice.left_out.front().reason)));
}

void print_collectives(const CollectivesAdvice& advice, std::ostream& out) {
  out << fmt::format("collectives on {}, a {} of {} NPUs\n\n", advice.name, advice.fabric_kind, advice.npus);
  out << fmt::format("{:<15} {:>6} {:>10}  {:<18} {:>12}  {:<18} {:>12} {:>7}\n", "collective", "ranks", "bytes",
                     "fastest", "time us", "second", "time us", "ratio");
  for (const Ranking& ranking : advice.rankings) {
    const AlgorithmTime& first = ranking.algorithms.front();
    out << fmt::format("{:<15} {:>6} {:>10}  {:<18} {:>12.3f}", name_of(ranking.kind), ranking.ranks,
                       bytes_text(ranking.bytes), first.algorithm, first.ns * 1e-3);
    if (ranking.algorithms.size() > 1) {
      const AlgorithmTime& second = ranking.algorithms[1];
      out << fmt::format("  {:<18} {:>12.3f} {:>7.2f}", second.algorithm, second.ns * 1e-3,
                         first.ns > 0 ? second.ns / first.ns : 1);
    }
    out << "\n";
  }
  if (!advice.left_out.empty()) out << "\n";
  for (const LeftOutRuns& left : advice.left_out)
    out << fmt::format("left out: {} of {}: {}\n", counted(left.runs, "run"), left.algorithm, left.reason);
}

nlohmann::ordered_json collectives_json(const CollectivesRequest& request, const CollectivesAdvice& advice) {
  nlohmann::ordered_json collectives = nlohmann::ordered_json::array();
  for (const Ranking& ranking : advice.rankings) {
    nlohmann::ordered_json algorithms = nlohmann::ordered_json::array();
    for (const AlgorithmTime& time : ranking.algorithms)
      algorithms.push_back({{"algorithm", time.algorithm}, {"cycles", time.cycles}, {"ns", time.ns}});
    collectives.push_back({{"kind", std::string(name_of(ranking.kind))},
                           {"ranks", ranking.ranks},
                           {"bytes", ranking.bytes},
                           {"algorithms", algorithms}});
  }
  nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
  for (const LeftOutRuns& left : advice.left_out)
    left_out.push_back({{"algorithm", left.algorithm}, {"reason", left.reason}, {"runs", left.runs}});
  return {{"config", request.config},
          {"fabric", {{"name", advice.name}, {"kind", advice.fabric_kind}, {"npus", advice.npus}}},
          {"collectives", collectives},
          {"left_out", left_out}};
}

std::string collectives_table(const CollectivesRequest& request, const CollectivesAdvice& advice) {
  std::string text = fmt::format(
      "# Algorithms by kind, number of ranks and bytes of a collective, the fastest first, with the times of the "
      "first\n"
      "# three. Simulated by `weft advise collectives {}`, version {}, for\n"
      "# `algorithm: auto` with `algorithm_table:` the name of this file.\n",
      request.config, runs::version());
  for (const std::string& setting : request.settings) text += fmt::format("# --set {}\n", setting);
  text += fmt::format("\nfabric: {{name: {}, kind: {}, npus: {}}}\ncollectives:\n", yaml_quoted(advice.name),
                      advice.fabric_kind, advice.npus);
  const Ranking* before = nullptr;
  for (const Ranking& ranking : advice.rankings) {
    const bool new_kind = before == nullptr || before->kind != ranking.kind;
    if (new_kind) text += fmt::format("  {}:\n", name_of(ranking.kind));
    if (new_kind || before->ranks != ranking.ranks) text += fmt::format("    {}:\n", ranking.ranks);
    std::vector<std::string> names;
    std::vector<std::string> times;
    for (const AlgorithmTime& time : ranking.algorithms) {
      names.push_back(time.algorithm);
      if (times.size() < 3) times.push_back(fmt::format("{:.3f}", time.ns * 1e-3));
    }
    text += fmt::format("      {}: [{}]  # {} us\n", bytes_text(ranking.bytes), fmt::join(names, ", "),
                        fmt::join(times, ", "));
    before = &ranking;
  }
  return text;
}

}  // namespace weft::cli
