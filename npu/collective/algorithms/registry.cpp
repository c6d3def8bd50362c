// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft::npu {
namespace {

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : algorithms()) names.push_back(algorithm->name());
  return names;
}

const Algorithm& find(const std::string& name) {
  for (const Algorithm* algorithm : algorithms()) {
    if (algorithm->name() == name) return *algorithm;
  }
  const std::vector<std::string> names = known_names();
  throw InputError(fmt::format("unknown collective algorithm {}; known: {}{}", in_quotes(name), fmt::join(names, ", "),
                               did_you_mean(name, {names.begin(), names.end()})));
}

void check_kind(const Algorithm& algorithm, CollectiveKind kind) {
  const std::vector<CollectiveKind> kinds = algorithm.kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return;
  std::vector<std::string> supported;
  for (const CollectiveKind each : kinds) supported.emplace_back(kind_name(each));
  std::vector<std::string> others;
  for (const Algorithm* other : algorithms()) {
    const std::vector<CollectiveKind> theirs = other->kinds();
    if (std::find(theirs.begin(), theirs.end(), kind) != theirs.end()) others.push_back(other->name());
  }
  throw InputError(fmt::format("algorithm {} does not do {}; it does {}. {} is done by {}", algorithm.name(),
                               kind_name(kind), fmt::join(supported, ", "), kind_name(kind), fmt::join(others, ", ")));
}

std::string place_of(NodeId node, int size_x) {
  const auto number = static_cast<std::uint32_t>(node);
  if (size_x <= 0) return fmt::format("core {}", number);
  const auto columns = static_cast<std::uint32_t>(size_x);
  return fmt::format("core {} (x {}, y {})", number, number % columns, number / columns);
}

void check_no_repeats(const ProgramRequest& request) {
  const std::vector<NodeId>& nodes = request.nodes;
  std::vector<std::uint32_t> sorted(nodes.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return nodes[a] < nodes[b]; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (nodes[sorted[i - 1]] != nodes[sorted[i]]) continue;
    throw InputError(fmt::format("{} is in a group twice, at positions {} and {}; every core may be there once",
                                 place_of(nodes[sorted[i]], request.size_x), sorted[i - 1], sorted[i]));
  }
}

void check_group(const ProgramRequest& request) {
  if (request.ranks == 0) throw InputError("a collective needs a group of at least one rank");
  if (request.root >= request.ranks) {
    throw InputError(fmt::format("the root of a {} must be a position of the group, 0..{}, found {}",
                                 kind_name(request.kind), request.ranks - 1, request.root));
  }
  if (!request.nodes.empty() && request.nodes.size() != request.ranks) {
    throw InputError(fmt::format("a group of {} ranks comes with {} nodes", request.ranks, request.nodes.size()));
  }
  check_no_repeats(request);
}

}  // namespace

const std::vector<const Algorithm*>& algorithms() {
  static const std::vector<const Algorithm*> all{&ring_algorithm(),
                                                 &direct_algorithm(),
                                                 &halving_doubling_algorithm(),
                                                 &double_binary_tree_algorithm(),
                                                 &hierarchical_2d_algorithm(),
                                                 &star_algorithm(),
                                                 &chain_algorithm(),
                                                 &tree_algorithm(),
                                                 &two_phase_algorithm(),
                                                 &auto_gen_algorithm(),
                                                 &snake_algorithm(),
                                                 &multicast_algorithm(),
                                                 &in_router_algorithm(),
                                                 &two_level_ring_algorithm(),
                                                 &in_switch_algorithm(),
                                                 &in_switch_series_algorithm()};
  return all;
}

bool algorithm_needs_colours(const std::string& algorithm) {
  return std::any_of(algorithms().begin(), algorithms().end(),
                     [&](const Algorithm* each) { return each->name() == algorithm && each->needs_colours(); });
}

bool algorithm_needs_switches(const std::string& algorithm) {
  return std::any_of(algorithms().begin(), algorithms().end(),
                     [&](const Algorithm* each) { return each->name() == algorithm && each->needs_switches(); });
}

std::unique_ptr<const Program> make_program(const std::string& algorithm, const ProgramRequest& request) {
  const Algorithm& found = find(algorithm);
  check_kind(found, request.kind);
  check_group(request);
  return found.make(request);
}

}  // namespace weft::npu
