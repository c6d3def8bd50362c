// SPDX-License-Identifier: Apache-2.0
#include "cli/held_nodes.h"

#include <algorithm>

namespace weft::cli {

void HeldNodes::add(const npu::TraceNode& node) {
  std::size_t missing = 0;
  for (const std::uint64_t id : node.deps) {
    if (done_.contains(id)) continue;
    followers_[id].push_back(node.id);
    ++missing;
  }
  if (missing == 0) return finish(node.id);
  missing_[node.id] = missing;
  most_ = std::max<std::uint64_t>(most_, missing_.size());
}

void HeldNodes::finish(std::uint64_t id) {
  std::vector<std::uint64_t> finished = {id};
  while (!finished.empty()) {
    const std::uint64_t next = finished.back();
    finished.pop_back();
    done_.insert(next);
    const auto followers = followers_.find(next);
    if (followers == followers_.end()) continue;
    for (const std::uint64_t follower : followers->second) {
      const auto held = missing_.find(follower);
      if (held == missing_.end() || --held->second > 0) continue;
      missing_.erase(held);
      finished.push_back(follower);
    }
    followers_.erase(followers);
  }
}

}  // namespace weft::cli
