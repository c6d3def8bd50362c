// SPDX-License-Identifier: Apache-2.0
#include "log/collective_index.h"

#include <algorithm>

namespace weft::log {

CollectiveIndex::CollectiveIndex(const RunLog& log, std::uint32_t instances) : instances_(instances) {
  std::map<Key, CollectiveEntry> found;
  for (std::size_t n = 0; n < log.nodes(); ++n) {
    for (const Activity& activity : log.node(NodeId{static_cast<std::uint32_t>(n)}).activities) {
      if (activity.kind != ActivityKind::kCollective) continue;
      const auto [entry, fresh] = found.try_emplace({activity.group, activity.signature, activity.instance});
      CollectiveEntry& collective = entry->second;
      if (fresh) {
        collective = {activity.name,  activity.group, activity.instance, activity.bytes, 0,
                      activity.start, activity.end};
      }
      ++collective.ranks;
      collective.start = std::min(collective.start, activity.start);
      collective.end = std::max(collective.end, activity.end);
    }
  }
  std::vector<std::pair<Key, CollectiveEntry>> sorted(found.begin(), found.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.start < b.second.start; });
  for (const auto& [key, entry] : sorted) {
    by_key_[key] = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back(entry);
  }
  for (const auto& [key, number] : by_key_) {
    by_tag_[{std::get<0>(key), std::get<1>(key), std::get<2>(key) % instances}].push_back(number);
  }
}

std::optional<std::uint32_t> CollectiveIndex::of(const Activity& activity) const {
  const auto found = by_key_.find({activity.group, activity.signature, activity.instance});
  if (activity.group == kNoGroup || found == by_key_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::uint32_t> CollectiveIndex::of(const MessageMeaning& meaning, Cycle queued) const {
  if (meaning.group == kNoGroup) return std::nullopt;
  const auto found = by_tag_.find({meaning.group, meaning.signature, meaning.instance % instances_});
  if (found == by_tag_.end()) return std::nullopt;
  std::optional<std::uint32_t> latest;
  for (const std::uint32_t number : found->second) {
    if (entries_[number].start <= queued) latest = number;
  }
  return latest;
}

}  // namespace weft::log
