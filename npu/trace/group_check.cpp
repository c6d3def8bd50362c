// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/group_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "npu/trace/chakra_names.h"

namespace weft::npu {

/// One group and what its members do together there.
struct GroupCheck::Scene {
  const ProcessGroups& groups;
  std::size_t world;
  TraceProblems& problems;
  Sort sort;
  const std::string& group;

  const char* problem() const { return sort == Sort::kCollectives ? "collective" : "memory"; }
  const char* noun() const {
    return sort == Sort::kCollectives ? "collectives" : sort == Sort::kLoads ? "loads" : "stores";
  }
  std::string title() const { return group.empty() ? "all ranks" : fmt::format("group \"{}\"", group); }
};

std::string GroupCheck::Issued::text() const { return fmt::format("{} of {} bytes (node {})", what, bytes, node); }

void GroupCheck::note(std::uint32_t rank, const TraceNode& node) {
  const bool collective = node.type == TraceNodeType::kCollective;
  if (!collective && (!is_memory(node.type) || node.group.empty())) return;
  ++(collective ? collectives_ : shared_memory_nodes_);
  const Sort sort = collective                             ? Sort::kCollectives
                    : node.type == TraceNodeType::kMemLoad ? Sort::kLoads
                                                           : Sort::kStores;
  const std::string_view what = collective ? chakra_name(*node.collective) : chakra_name(node.type);
  const std::uint64_t bytes = collective ? node.comm_bytes : node.tensor_bytes.value_or(0);
  issued_[{sort, names_all_ranks(node.group) ? "" : node.group}][rank].push_back({what, bytes, node.id});
}

std::uint64_t GroupCheck::collective_groups() const {
  return static_cast<std::uint64_t>(std::count_if(
      issued_.begin(), issued_.end(), [](const auto& entry) { return entry.first.first == Sort::kCollectives; }));
}

void GroupCheck::check(const ProcessGroups& groups, std::size_t world, TraceProblems& problems) const {
  for (const auto& [key, sequences] : issued_) check_group({groups, world, problems, key.first, key.second}, sequences);
}

void GroupCheck::check_group(const Scene& scene, const std::map<std::uint32_t, Sequence>& sequences) {
  std::vector<RankId> members;
  try {
    members = scene.groups.members(scene.group, scene.world);
  } catch (const InputError& error) {
    scene.problems.add("group", fmt::format("{} (rank {} uses it first in node {})", error.what(),
                                            sequences.begin()->first, sequences.begin()->second.front().node));
    return;
  }
  const std::set<RankId> member_set(members.begin(), members.end());
  for (const auto& [rank, sequence] : sequences) {
    if (member_set.count(RankId{rank}) == 0) {
      scene.problems.add("group",
                         fmt::format("rank {} issues {} {} in {} without being a member, first in node {}", rank,
                                     sequence.size(), scene.noun(), scene.title(), sequence.front().node));
    }
  }
  // The first member that issues anything is what the others are compared with.
  const auto reference = std::find_if(sequences.begin(), sequences.end(),
                                      [&](const auto& entry) { return member_set.count(RankId{entry.first}) != 0; });
  if (reference == sequences.end()) return;
  static const Sequence kNothing;
  for (const RankId member : member_set) {
    if (index(member) >= scene.world) continue;
    const auto found = sequences.find(index(member));
    compare(scene, reference->first, reference->second, index(member),
            found == sequences.end() ? kNothing : found->second);
  }
}

void GroupCheck::compare(const Scene& scene, std::uint32_t first_rank, const Sequence& first, std::uint32_t rank,
                         const Sequence& other) {
  const auto same = [](const Issued& a, const Issued& b) { return a.key() == b.key(); };
  const auto [a, b] = std::mismatch(first.begin(), first.end(), other.begin(), other.end(), same);
  if (a == first.end() && b == other.end()) return;
  const auto position = a - first.begin();
  std::string text;
  if (a == first.end() || b == other.end()) {
    text = fmt::format("rank {} issues {} {}, rank {} issues {}", first_rank, first.size(), scene.noun(), rank,
                       other.size());
  } else if (std::is_permutation(first.begin(), first.end(), other.begin(), other.end(), same)) {
    text = fmt::format("ranks {} and {} issue the same {} in another order, from number {} on: {} against {}",
                       first_rank, rank, scene.noun(), position, a->text(), b->text());
  } else {
    text =
        fmt::format("number {} is {} on rank {} but {} on rank {}", position, a->text(), first_rank, b->text(), rank);
  }
  scene.problems.add(scene.problem(), fmt::format("{}: {}", scene.title(), text));
}

}  // namespace weft::npu
