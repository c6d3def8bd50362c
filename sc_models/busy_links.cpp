// SPDX-License-Identifier: Apache-2.0
#include "sc_models/busy_links.h"

#include <algorithm>
#include <utility>

namespace weft::sc_models {

BusyLinks::BusyLinks(const System& system) : system_(system), before_(system.links()) {
  capacity_.reserve(system.links());
  for (std::size_t i = 0; i < system.links(); ++i) capacity_.push_back(system.link(i, 0).capacity);
}

std::vector<BusyLink> BusyLinks::since_last(Cycle now, std::size_t most) {
  const auto cycles = static_cast<double>(now + 1 - last_);
  last_ = now + 1;
  std::vector<std::pair<double, std::size_t>> used;  // negative share, number: the order of what is shown
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const double carried = system_.link_carried(i, now);
    // When its last flit ends is rounded up to a whole cycle for some links.
    if (carried > before_[i]) used.emplace_back(-std::min(1.0, (carried - before_[i]) / (cycles * capacity_[i])), i);
    before_[i] = carried;
  }
  const std::size_t shown = std::min(most, used.size());
  std::partial_sort(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(shown), used.end());
  std::vector<BusyLink> busiest;
  for (std::size_t i = 0; i < shown; ++i) busiest.push_back({system_.link(used[i].second, 0).name, -used[i].first});
  return busiest;
}

}  // namespace weft::sc_models
