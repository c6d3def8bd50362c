// SPDX-License-Identifier: Apache-2.0
// The drawn wafer of routers that are joined in any way: on a circle, each with its NPUs outside of it.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "network/names.h"
#include "report/floor_plan.h"

namespace weft::report {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRouter = 4;
constexpr double kNpu = 6;
constexpr double kStep = 10;  ///< between neighbours on a circle

bool is_npu(const std::string& name) { return network::take_apart(name).kind == network::NameKind::kNpu; }

/// A square whose middle lies `radius` from the middle of the picture, `share` of the way round from the top.
Outline square(const std::string& name, OutlineKind kind, double size, double radius, double share) {
  const double angle = 2 * kPi * share;
  return {name, kind, radius * std::sin(angle) - size / 2, -radius * std::cos(angle) - size / 2, size, size};
}

/// Radius of a circle on which `count` squares have room.
double radius_for(std::size_t count) { return count <= 1 ? 0 : kStep * static_cast<double>(count) / (2 * kPi); }

}  // namespace

FloorPlan graph_plan(const std::vector<LinkEnds>& links) {
  std::vector<std::string> routers;                         // in the order in which links name them
  std::map<std::string, std::vector<std::string>> npus_of;  // by router
  std::size_t npus = 0;
  for (const LinkEnds& link : links) {
    if (!is_npu(link.from)) continue;
    if (npus_of.count(link.to) == 0) routers.push_back(link.to);
    npus_of[link.to].push_back(link.from);
    ++npus;
  }
  DrawingFacts facts;
  facts.text = "Routers stand on a circle, their NPUs outside of it.";
  FloorPlan plan(std::move(facts));
  const double inner = radius_for(routers.size());
  const double outer = std::max(inner + kStep, radius_for(npus));
  const double edge = outer + kNpu;
  plan.add({"wafer", OutlineKind::kWafer, -edge, -edge, 2 * edge, 2 * edge});
  std::size_t placed = 0;
  for (std::size_t r = 0; r < routers.size(); ++r) {
    const double middle = static_cast<double>(r) / static_cast<double>(routers.size());
    plan.add(square(routers[r], OutlineKind::kRouter, kRouter, inner, middle));
    const bool one_each = npus_of[routers[r]].size() == 1;
    for (const std::string& npu : npus_of[routers[r]]) {
      const double share = one_each ? middle : static_cast<double>(placed) / static_cast<double>(npus);
      plan.add(square(npu, OutlineKind::kNpu, kNpu, outer, share));
      ++placed;
    }
  }
  plan.close(2);
  return plan;
}

}  // namespace weft::report
