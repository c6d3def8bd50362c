// SPDX-License-Identifier: Apache-2.0
// Packets of several flits that are known by where they come in or are copied, in a look at the state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/state_form.h"

namespace weft::router {

/// Gives `form` the packets by key; the order of a map means nothing.
template <typename Key>
void put_packets(StateForm& form, PacketPool& pool, const std::unordered_map<Key, PacketIndex>& packets) {
  std::vector<std::pair<Key, PacketIndex>> sorted(packets.begin(), packets.end());
  std::sort(sorted.begin(), sorted.end());
  form.same(sorted.size());
  for (const auto& [where, packet] : sorted) {
    form.same(where);
    form.packet(pool, packet);
  }
}

}  // namespace weft::router
