// SPDX-License-Identifier: Apache-2.0
// Exact search for middle stages. A set of flows is routable at some depth when its conflict graph there can be
// coloured with m colours such that the flows of each colour are routable one depth further in.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "switch/routing/route.h"

namespace weft::fred::detail {

/// Flows by number, ascending.
using FlowList = std::vector<std::uint16_t>;

/// Thrown when the bound is reached.
struct GiveUp {};

class ColourSearch {
 public:
  ColourSearch(const Interconnect& net, const FlowSet& flows, const RouteLimits& limits);

  /// Whether one Fred_m at that depth carries these flows. All stages of one depth are alike, so the answer is kept.
  bool routable(int depth, const FlowList& flows);
  /// The middle stage of each flow, in the order of `flows`, which must be routable.
  const std::vector<std::uint8_t>& colours(int depth, const FlowList& flows) const {
    return known_.at({depth, flows}).colours;
  }
  /// A subset that is not routable though all smaller subsets of it are; `flows` must not be routable.
  FlowList smallest_conflict(int depth, FlowList flows);
  /// Whether the conflict graph at that depth alone can be coloured.
  bool colourable(int depth, const FlowList& flows);
  /// A conflict one depth further in that these flows have met; empty if none.
  FlowList conflict_within(int depth, const FlowList& flows) const;

  bool conflict(int depth, int a, int b) const {
    return (inputs_[depth][a] & inputs_[depth][b]).any() || (outputs_[depth][a] & outputs_[depth][b]).any();
  }
  bool base(int depth) const { return sizes_[depth] == 2; }
  std::uint64_t steps() const { return steps_; }

 private:
  using Pairs = std::bitset<kMostPorts / 2>;
  struct Answer {
    bool routable = false;
    std::vector<std::uint8_t> colours;
  };
  /// One attempt to colour a list of flows.
  struct Attempt {
    int depth = 0;
    bool inwards = true;  ///< look into the middle stages, too
    const FlowList* flows = nullptr;
    std::vector<std::vector<bool>> edge;
    std::vector<int> colour;              ///< -1 = none yet
    std::vector<std::vector<int>> users;  ///< positions of the flows of each colour
    FlowList learnt;                      ///< conflict that ended the last branch; empty = it ran out of colours
  };

  bool start(int depth, const FlowList& flows, bool inwards, std::vector<std::uint8_t>& colours);
  bool extend(Attempt& attempt, std::size_t coloured);
  bool try_colour(Attempt& attempt, std::size_t coloured, int flow, int colour);
  int most_constrained(const Attempt& attempt) const;
  std::vector<int> candidates(const Attempt& attempt, int flow) const;
  bool middles_routable(Attempt& attempt);
  bool holds_known_conflict(const Attempt& attempt, int flow, int colour) const;
  static FlowList flows_of(const Attempt& attempt, int colour);
  void count_step();

  int m_;
  std::uint64_t limit_;
  std::uint64_t steps_ = 0;
  std::vector<int> sizes_;                  ///< ports of a stage, by depth
  std::vector<std::vector<Pairs>> inputs_;  ///< by depth and flow: its input uSwitches
  std::vector<std::vector<Pairs>> outputs_;
  std::map<std::pair<int, FlowList>, Answer> known_;
  std::vector<std::vector<FlowList>> conflicts_;  ///< by depth of the outer stage: sets that no middle stage carries
};

}  // namespace weft::fred::detail
