// SPDX-License-Identifier: Apache-2.0
#include "tb/report/cosim_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::tb {
namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        // Other control characters have no place in XML.
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') out += c;
    }
  }
  return out;
}

}  // namespace

nlohmann::ordered_json cosim_json(const CosimRun& run) {
  nlohmann::ordered_json json;
  json["block"] = run.block;
  json["rtl"] = run.rtl;
  json["parameters"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : run.parameters) json["parameters"][name] = value;
  json["seed"] = run.seed;
  json["stall"] = run.stall;
  json["compare"] = run.compare == Compare::kCycle ? "cycle" : "order";
  json["cycles"] = run.result.cycles;
  json["mismatches"] = run.result.mismatches;
  json["first"] = nullptr;
  if (run.result.first) {
    const Mismatch& first = *run.result.first;
    json["first"] = {{"cycle", first.cycle},
                     {"port", first.port},
                     {"flow", first.flow},
                     {"expected", first.expected},
                     {"actual", first.actual}};
  }
  json["wave"] = nullptr;
  if (!run.wave.empty()) json["wave"] = run.wave;
  json["replay"] = run.replay;
  json["model"] = run.model;
  json["bins"] = nlohmann::ordered_json::object();
  for (const auto& [name, count] : run.result.bins) json["bins"][name] = count;
  return json;
}

std::string mismatch_text(const std::string& block, std::uint64_t seed, const Mismatch& mismatch) {
  return fmt::format("{} seed {}: first mismatch in cycle {}: {} is {}, the model says {}{}", block, seed,
                     mismatch.cycle, mismatch.port, mismatch.actual, mismatch.expected,
                     mismatch.flow.empty() ? "" : fmt::format(" ({})", mismatch.flow));
}

std::string junit_xml(const std::vector<TestCase>& cases) {
  std::vector<std::string> suites;
  for (const TestCase& each : cases) {
    if (std::find(suites.begin(), suites.end(), each.suite) == suites.end()) suites.push_back(each.suite);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const std::string& suite : suites) {
    std::string rows;
    std::size_t tests = 0;
    std::size_t failures = 0;
    for (const TestCase& each : cases) {
      if (each.suite != suite) continue;
      ++tests;
      rows += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", escaped(suite),
                          escaped(each.name), each.seconds);
      if (each.failure.empty()) {
        rows += "/>\n";
        continue;
      }
      ++failures;
      rows += fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                          escaped(each.failure.substr(0, each.failure.find('\n'))), escaped(each.failure));
    }
    text += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}  </testsuite>\n", escaped(suite),
                        tests, failures, rows);
  }
  return text + "</testsuites>\n";
}

nlohmann::ordered_json coverage_json(const Coverage& coverage) {
  const auto counts = coverage.counts();
  const auto never = coverage.never_hit();
  nlohmann::ordered_json json;
  json["bins"] = counts.size();
  json["hit"] = counts.size() - never.size();
  json["never_hit"] = never;
  json["counts"] = nlohmann::ordered_json::object();
  for (const auto& [name, count] : counts) json["counts"][name] = count;
  return json;
}

}  // namespace weft::tb
