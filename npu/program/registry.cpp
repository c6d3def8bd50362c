// SPDX-License-Identifier: Apache-2.0
#include "npu/program/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernel/error.h"
#include "kernel/text_distance.h"

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

void check_group(const ProgramRequest& request) {
  if (request.ranks == 0) throw InputError("a collective needs a group of at least one rank");
  if (request.root >= request.ranks) {
    throw InputError(fmt::format("the root of a {} must be a position of the group, 0..{}, found {}",
                                 kind_name(request.kind), request.ranks - 1, request.root));
  }
  if (!request.nodes.empty() && request.nodes.size() != request.ranks) {
    throw InputError(fmt::format("a group of {} ranks comes with {} nodes", request.ranks, request.nodes.size()));
  }
}

}  // namespace

const std::vector<const Algorithm*>& algorithms() {
  static const std::vector<const Algorithm*> all{&ring_algorithm(), &direct_algorithm(), &halving_doubling_algorithm(),
                                                 &double_binary_tree_algorithm(), &hierarchical_2d_algorithm()};
  return all;
}

std::unique_ptr<const Program> make_program(const std::string& algorithm, const ProgramRequest& request) {
  const Algorithm& found = find(algorithm);
  check_kind(found, request.kind);
  check_group(request);
  return found.make(request);
}

}  // namespace weft::npu
