// SPDX-License-Identifier: Apache-2.0
#include "switch/routing/colour_search.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace weft::fred::detail {

ColourSearch::ColourSearch(const Interconnect& net, const FlowSet& flows, const RouteLimits& limits)
    : m_(net.m), limit_(limits.steps) {
  for (int size = net.ports; size > 2; size = (size + 1) / 2) sizes_.push_back(size);
  sizes_.push_back(2);
  conflicts_.resize(sizes_.size());
  // Port p is port p / 2 of the middle stage, the last port of an odd size included.
  for (std::size_t depth = 0; depth < sizes_.size(); ++depth) {
    inputs_.emplace_back(flows.size());
    outputs_.emplace_back(flows.size());
    for (std::size_t f = 0; f < flows.size(); ++f) {
      for (const PortId port : flows[f].inputs) inputs_[depth][f].set(index(port) >> (depth + 1));
      for (const PortId port : flows[f].outputs) outputs_[depth][f].set(index(port) >> (depth + 1));
    }
  }
}

bool ColourSearch::routable(int depth, const FlowList& flows) {
  if (flows.empty()) return true;
  const auto known = known_.find({depth, flows});
  if (known != known_.end()) return known->second.routable;
  Answer answer;
  // An RD-uSwitch does anything that its two ports can ask for.
  answer.routable = base(depth) || start(depth, flows, true, answer.colours);
  return known_.emplace(std::pair(depth, flows), std::move(answer)).first->second.routable;
}

bool ColourSearch::colourable(int depth, const FlowList& flows) {
  std::vector<std::uint8_t> colours;
  return base(depth) || start(depth, flows, false, colours);
}

FlowList ColourSearch::smallest_conflict(int depth, FlowList flows) {
  for (std::size_t i = 0; i < flows.size();) {
    FlowList fewer = flows;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (routable(depth, fewer)) {
      ++i;
    } else {
      flows = std::move(fewer);
    }
  }
  return flows;
}

FlowList ColourSearch::conflict_within(int depth, const FlowList& flows) const {
  for (const FlowList& conflict : conflicts_[depth]) {
    if (std::includes(flows.begin(), flows.end(), conflict.begin(), conflict.end())) return conflict;
  }
  return {};
}

bool ColourSearch::start(int depth, const FlowList& flows, bool inwards, std::vector<std::uint8_t>& colours) {
  Attempt attempt;
  attempt.depth = depth;
  attempt.inwards = inwards;
  attempt.flows = &flows;
  attempt.edge.assign(flows.size(), std::vector<bool>(flows.size(), false));
  for (std::size_t a = 0; a < flows.size(); ++a) {
    for (std::size_t b = 0; b < flows.size(); ++b) attempt.edge[a][b] = a != b && conflict(depth, flows[a], flows[b]);
  }
  attempt.colour.assign(flows.size(), -1);
  attempt.users.resize(m_);
  if (!extend(attempt, 0)) return false;
  colours.assign(attempt.colour.begin(), attempt.colour.end());
  return true;
}

bool ColourSearch::extend(Attempt& attempt, std::size_t coloured) {
  if (coloured == attempt.flows->size()) return middles_routable(attempt);
  const int flow = most_constrained(attempt);
  for (const int colour : candidates(attempt, flow)) {
    if (try_colour(attempt, coloured, flow, colour)) return true;
    // Flows that meet in a middle stage which cannot carry them: another colour of a flow that is not among them would
    // end there again.
    const FlowList& learnt = attempt.learnt;
    if (!learnt.empty() && !std::binary_search(learnt.begin(), learnt.end(), (*attempt.flows)[flow])) return false;
  }
  attempt.learnt.clear();
  return false;
}

bool ColourSearch::try_colour(Attempt& attempt, std::size_t coloured, int flow, int colour) {
  attempt.learnt.clear();
  count_step();
  if (attempt.inwards && holds_known_conflict(attempt, flow, colour)) return false;
  attempt.colour[flow] = colour;
  attempt.users[colour].push_back(flow);
  if (extend(attempt, coloured + 1)) return true;
  attempt.colour[flow] = -1;
  attempt.users[colour].pop_back();
  return false;
}

/// The flow whose neighbours use the most colours (DSATUR), of those the one with the most neighbours, the first of
/// those.
int ColourSearch::most_constrained(const Attempt& attempt) const {
  int best = -1;
  std::pair<int, int> best_rank{-1, -1};
  for (std::size_t f = 0; f < attempt.colour.size(); ++f) {
    if (attempt.colour[f] >= 0) continue;
    std::uint32_t seen = 0;
    int neighbours = 0;
    for (std::size_t g = 0; g < attempt.colour.size(); ++g) {
      if (!attempt.edge[f][g]) continue;
      ++neighbours;
      if (attempt.colour[g] >= 0) seen |= 1U << attempt.colour[g];
    }
    const std::pair rank{__builtin_popcount(seen), neighbours};
    if (rank > best_rank) {
      best_rank = rank;
      best = static_cast<int>(f);
    }
  }
  return best;
}

/// Colours that no neighbour has, those with the fewest flows first: that leaves middle stages the most room. Colours
/// without flows are alike, so one of them is enough.
std::vector<int> ColourSearch::candidates(const Attempt& attempt, int flow) const {
  std::vector<int> colours;
  bool fresh = false;
  for (int colour = 0; colour < m_; ++colour) {
    const std::vector<int>& users = attempt.users[colour];
    if (users.empty() && std::exchange(fresh, true)) continue;
    if (std::none_of(users.begin(), users.end(), [&](int user) { return attempt.edge[flow][user]; })) {
      colours.push_back(colour);
    }
  }
  std::stable_sort(colours.begin(), colours.end(),
                   [&](int a, int b) { return attempt.users[a].size() < attempt.users[b].size(); });
  return colours;
}

bool ColourSearch::middles_routable(Attempt& attempt) {
  if (!attempt.inwards) return true;
  for (int colour = 0; colour < m_; ++colour) {
    const FlowList flows = flows_of(attempt, colour);
    if (routable(attempt.depth + 1, flows)) continue;
    attempt.learnt = smallest_conflict(attempt.depth + 1, flows);
    conflicts_[attempt.depth].push_back(attempt.learnt);
    return false;
  }
  return true;
}

bool ColourSearch::holds_known_conflict(const Attempt& attempt, int flow, int colour) const {
  const std::uint16_t number = (*attempt.flows)[flow];
  const auto here = [&](std::uint16_t other) {
    if (other == number) return true;
    const auto found = std::lower_bound(attempt.flows->begin(), attempt.flows->end(), other);
    return found != attempt.flows->end() && *found == other && attempt.colour[found - attempt.flows->begin()] == colour;
  };
  return std::any_of(conflicts_[attempt.depth].begin(), conflicts_[attempt.depth].end(), [&](const FlowList& conflict) {
    return std::binary_search(conflict.begin(), conflict.end(), number) &&
           std::all_of(conflict.begin(), conflict.end(), here);
  });
}

FlowList ColourSearch::flows_of(const Attempt& attempt, int colour) {
  FlowList flows;
  for (const int user : attempt.users[colour]) flows.push_back((*attempt.flows)[user]);
  std::sort(flows.begin(), flows.end());
  return flows;
}

void ColourSearch::count_step() {
  if (++steps_ > limit_) throw GiveUp{};
}

}  // namespace weft::fred::detail
