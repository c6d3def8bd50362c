// SPDX-License-Identifier: Apache-2.0
// Matches messages that have arrived with receives that have been issued, whichever comes first.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/checkpoint.h"
#include "base/types.h"

namespace weft::npu {

/// What a receive asks for; the receiver itself is the fourth part of a match.
struct ReceiveKey {
  NodeId src{};
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;

  friend bool operator<(const ReceiveKey& a, const ReceiveKey& b) {
    return std::tie(a.src, a.tag, a.bytes) < std::tie(b.src, b.tag, b.bytes);
  }
};

/// Receives of one rank. Messages of one key cannot be told apart, so it is enough to count them; receives of one key
/// are served in order of issue. Holds nothing for keys without an early message or an open receive.
class ReceiveMatcher {
 public:
  /// A receive is issued by node `node`. True: its message has been here already and is used up.
  bool issue(const ReceiveKey& key, std::uint64_t node) {
    const auto found = early_.find(key);
    if (found == early_.end()) {
      open_[key].push_back(node);
      return false;
    }
    if (--found->second == 0) early_.erase(found);
    return true;
  }

  /// A whole message has arrived. Gives the node whose receive it ends; nullopt = it is kept.
  std::optional<std::uint64_t> arrive(const ReceiveKey& key) {
    const auto found = open_.find(key);
    if (found == open_.end()) {
      ++early_[key];
      return std::nullopt;
    }
    const std::uint64_t node = found->second.front();
    found->second.pop_front();
    if (found->second.empty()) open_.erase(found);
    return node;
  }

  const std::map<ReceiveKey, std::deque<std::uint64_t>>& open() const { return open_; }
  const std::map<ReceiveKey, std::uint64_t>& early() const { return early_; }
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

 private:
  std::map<ReceiveKey, std::deque<std::uint64_t>> open_;  ///< receives that wait, by node id
  std::map<ReceiveKey, std::uint64_t> early_;             ///< messages that wait
};

}  // namespace weft::npu
