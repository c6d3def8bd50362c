// SPDX-License-Identifier: Apache-2.0
#include "tb/report/test_plan.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/error.h"
#include "base/name_pattern.h"

namespace weft::tb {

std::vector<TestPoint> read_test_plan(const std::string& yaml) {
  std::vector<TestPoint> plan;
  for (const YAML::Node& node : YAML::Load(yaml)) {
    TestPoint point;
    for (const char* key : {"testpoint", "why", "test", "bins"}) {
      if (node[key]) continue;
      throw InputError(fmt::format("entry {} of the test plan has no '{}'", plan.size() + 1, key));
    }
    point.name = node["testpoint"].as<std::string>();
    point.why = node["why"].as<std::string>();
    point.test = node["test"].as<std::string>();
    for (const YAML::Node& bin : node["bins"]) point.bins.push_back(bin.as<std::string>());
    plan.push_back(std::move(point));
  }
  return plan;
}

std::vector<std::string> without_testpoint(const std::vector<TestPoint>& plan, const std::vector<std::string>& bins) {
  std::vector<std::string> left;
  for (const std::string& bin : bins) {
    const bool planned = std::any_of(plan.begin(), plan.end(), [&](const TestPoint& point) {
      return std::any_of(point.bins.begin(), point.bins.end(),
                         [&](const std::string& pattern) { return matches_pattern(pattern, bin); });
    });
    if (!planned) left.push_back(bin);
  }
  return left;
}

std::vector<std::string> without_bin(const std::vector<TestPoint>& plan, const std::vector<std::string>& bins) {
  std::vector<std::string> left;
  for (const TestPoint& point : plan) {
    for (const std::string& pattern : point.bins) {
      const bool found =
          std::any_of(bins.begin(), bins.end(), [&](const std::string& bin) { return matches_pattern(pattern, bin); });
      if (!found) left.push_back(fmt::format("{}: {}", point.name, pattern));
    }
  }
  return left;
}

}  // namespace weft::tb
