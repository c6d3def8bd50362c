// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace weft::npu {
namespace {

std::string coordinates_text(NodeId node, int size_x) {
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
                                 coordinates_text(nodes[sorted[i]], request.size_x), sorted[i - 1], sorted[i]));
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

// Each is in the file of its name; those of lines are in wafer_reduce.cpp.
const Algorithm& ring_algorithm();
const Algorithm& direct_algorithm();
const Algorithm& halving_doubling_algorithm();
const Algorithm& double_binary_tree_algorithm();
const Algorithm& hierarchical_2d_algorithm();
const Algorithm& star_algorithm();
const Algorithm& chain_algorithm();
const Algorithm& tree_algorithm();
const Algorithm& two_phase_algorithm();
const Algorithm& auto_gen_algorithm();
const Algorithm& snake_algorithm();
const Algorithm& multicast_algorithm();
const Algorithm& in_router_algorithm();
const Algorithm& two_level_ring_algorithm();
const Algorithm& in_switch_algorithm();
const Algorithm& in_switch_series_algorithm();

const PolicyList<Algorithm>& algorithms() {
  static const PolicyList<Algorithm> list(
      "unknown collective algorithm",
      {&ring_algorithm(), &direct_algorithm(), &halving_doubling_algorithm(), &double_binary_tree_algorithm(),
       &hierarchical_2d_algorithm(), &star_algorithm(), &chain_algorithm(), &tree_algorithm(), &two_phase_algorithm(),
       &auto_gen_algorithm(), &snake_algorithm(), &multicast_algorithm(), &in_router_algorithm(),
       &two_level_ring_algorithm(), &in_switch_algorithm(), &in_switch_series_algorithm()});
  return list;
}

void require_kind(const Algorithm& algorithm, CollectiveKind kind) {
  const std::vector<CollectiveKind> kinds = algorithm.kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return;
  std::vector<std::string> supported;
  for (const CollectiveKind each : kinds) supported.emplace_back(kind_name(each));
  std::vector<std::string_view> others;
  for (const Algorithm* other : algorithms()) {
    const std::vector<CollectiveKind> theirs = other->kinds();
    if (std::find(theirs.begin(), theirs.end(), kind) != theirs.end()) others.push_back(other->name);
  }
  throw InputError(fmt::format("algorithm {} does not do {}; it does {}. {} is done by {}", algorithm.name,
                               kind_name(kind), fmt::join(supported, ", "), kind_name(kind), fmt::join(others, ", ")));
}

std::unique_ptr<const Program> make_program(const std::string& algorithm, const ProgramRequest& request) {
  const Algorithm& found = algorithms().at(algorithm);
  require_kind(found, request.kind);
  check_group(request);
  return found.make(request);
}

}  // namespace weft::npu
