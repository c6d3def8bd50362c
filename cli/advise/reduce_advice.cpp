// SPDX-License-Identifier: Apache-2.0
#include "cli/advise/reduce_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/names.h"

namespace weft::cli {
namespace {

std::string cores_text(const AdviceRequest& request) {
  if (request.columns == 1) return fmt::format("a column of {} cores", request.rows);
  return request.rows == 1 ? fmt::format("a row of {} cores", request.columns)
                           : fmt::format("{} x {} cores, X-then-Y", request.columns, request.rows);
}

}  // namespace

Advice advise_reduce(const AdviceRequest& request, const std::function<void(const std::string&)>& watch) {
  Advice advice = plan_advice(request);
  std::vector<CollectivePoint*> points;
  for (AdvicePoint& point : advice.points) points.push_back(&point);
  run_points(
      {request.program, request.config, request.jobs}, points,
      [&](std::size_t done) { watch(fmt::format("{} of {} algorithms done", done, points.size())); },
      [&](std::size_t number, int status, const std::string& said) {
        throw_failure("algorithm " + advice.points[number].algorithm, status, said);
      });
  const auto least = std::min_element(advice.points.begin(), advice.points.end(),
                                      [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  const Cycle best = least->cycles;
  for (AdvicePoint& point : advice.points) point.fastest = point.cycles == best;
  return advice;
}

void print_advice(const AdviceRequest& request, const Advice& advice, std::ostream& out) {
  out << fmt::format("{} of {} wavelets (4 B each) on {}: T_R {}, hop {}, turn {} cycles\n\n", name_of(request.kind),
                     request.elements, cores_text(request), advice.cost.ramp, advice.cost.hop, advice.cost.turn);
  out << fmt::format("{:<12} {:>12} {:>14} {:>12} {:>11}\n", "algorithm", "cycles", "time ns", "closed form",
                     "difference");
  for (const AdvicePoint& point : advice.points) {
    const auto cycles = static_cast<double>(point.cycles);
    out << fmt::format("{:<12} {:>12} {:>14.1f} {:>12} {:>11}{}\n", point.algorithm, point.cycles, point.ns,
                       point.form ? fmt::format("{:.0f}", *point.form) : "-",
                       point.form ? fmt::format("{:+.2f} %", 100 * (cycles / *point.form - 1)) : "-",
                       point.fastest ? "  fastest" : "");
  }
  for (const LeftOut& left : advice.left_out) out << fmt::format("{:<12} left out: {}\n", left.algorithm, left.reason);
  if (advice.lower_bound) {
    out << fmt::format("{:<12} {:>12.0f}  for trees on a row whose cores add, by the same forms\n", "lower bound",
                       *advice.lower_bound);
  }
  if (!advice.no_forms.empty()) out << "No closed forms: " << advice.no_forms << "\n";
}

nlohmann::ordered_json advice_json(const AdviceRequest& request, const Advice& advice) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const AdvicePoint& point : advice.points) {
    points.push_back({{"algorithm", point.algorithm},
                      {"cycles", point.cycles},
                      {"ns", point.ns},
                      {"closed_form", or_null(point.form)},
                      {"fastest", point.fastest}});
  }
  nlohmann::ordered_json left_out = nlohmann::ordered_json::array();
  for (const LeftOut& left : advice.left_out) {
    left_out.push_back({{"algorithm", left.algorithm}, {"reason", left.reason}});
  }
  return {{"config", request.config},
          {"kind", std::string(name_of(request.kind))},
          {"cores", {request.columns, request.rows}},
          {"wavelets", request.elements},
          {"ramp_cycles", advice.cost.ramp},
          {"hop_cycles", advice.cost.hop},
          {"turn_cycles", advice.cost.turn},
          {"lower_bound", or_null(advice.lower_bound)},
          {"algorithms", points},
          {"left_out", left_out}};
}

}  // namespace weft::cli
