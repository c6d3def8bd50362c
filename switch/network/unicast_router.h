// SPDX-License-Identifier: Apache-2.0
// Online routing of unicasts: finds free middle stages when a packet starts.
#pragma once

#include <vector>

#include "switch/network/datapath_plan.h"

namespace weft::fred {

/// With m >= 3 middle stages the interconnect is strictly non-blocking for unicasts: between an idle input and an
/// idle output there is always a route. With m = 2, or beside the datapaths of stored settings, there may be none.
class UnicastRouter {
 public:
  /// `registered`: by element, see stage_registers.
  UnicastRouter(const Interconnect& net, const std::vector<std::uint8_t>& registered);

  /// Wires of each route: all routes pass as many, and as many registers.
  std::size_t length() const { return entry_.size(); }

  /// Finds the first route, lower middle stages first, on which `free(channel, entry)` holds for every wire, and
  /// appends its wires to `route`. `entry` is the step after the start in which the wire's register is written, or in
  /// which a wire without one is in use. Returns false, and appends nothing, if there is none. All routes through a
  /// stage end with the same wire at the same step, so that one is asked for first.
  template <typename Free>
  bool find(PortId input, PortId output, const Free& free, std::vector<WireUse>* route) const {
    return find_in(0, index(input), index(output), 0, free, *route);
  }
  /// Whether `free(channel, entry)` holds for the wire with which all routes to `output` end.
  template <typename Free>
  bool ends_free(PortId output, const Free& free) const {
    return free(ends_[index(output)], entry_.back());
  }

  /// Returns the output pins from which the wires of a route come.
  std::vector<Terminal> pins(const WireUse* route) const;

 private:
  /// A stage with the channels of its pins; elements that follow each other have channels that do so, too.
  struct FlatStage {
    std::uint32_t in = 0;     ///< first channel of the input side, or of the RD where the stage has two ports
    std::uint32_t out = 0;    ///< first channel of the output side
    std::uint32_t demux = 0;  ///< first channel of the demux where the number of ports is odd
    std::uint32_t mux = 0;
    std::uint32_t alone = 0;         ///< last port where the number of ports is odd, and no port otherwise
    std::uint32_t middles = 0;       ///< middle stages; 0 where the stage has two ports
    std::uint32_t first_middle = 0;  ///< in middles_
  };

  void find_stages(const Interconnect& net, const ChannelNumbers& channels);
  void find_entries(const Interconnect& net, const std::vector<std::uint8_t>& registered);

  /// `number` is that of the stage, `wire` that of the next wire on the way.
  template <typename Free>
  bool find_in(std::uint32_t number, std::uint32_t in, std::uint32_t out, std::uint32_t wire, const Free& free,
               std::vector<WireUse>& route) const {
    const FlatStage& stage = stages_[number];
    if (stage.middles == 0) return take(stage.in + out, wire, free, route);
    const std::uint32_t end = out == stage.alone ? stage.mux : stage.out + out;
    const std::uint32_t end_wire = static_cast<std::uint32_t>(length()) - 1 - wire;
    if (!free(end, entry_[end_wire])) return false;
    const std::uint32_t first = in == stage.alone ? stage.demux : stage.in + in / 2 * stage.middles;
    for (std::uint32_t middle = 0; middle < stage.middles; ++middle) {
      const std::size_t before = route.size();
      if (!take(first + middle, wire, free, route)) continue;
      if (find_in(middles_[stage.first_middle + middle], in / 2, out / 2, wire + 1, free, route)) {
        route.push_back({end, entry_[end_wire]});
        return true;
      }
      route.resize(before);
    }
    return false;
  }
  template <typename Free>
  bool take(std::uint32_t channel, std::uint32_t wire, const Free& free, std::vector<WireUse>& route) const {
    if (!free(channel, entry_[wire])) return false;
    route.push_back({channel, entry_[wire]});
    return true;
  }

  std::vector<FlatStage> stages_;       ///< the whole interconnect first
  std::vector<std::uint32_t> middles_;  ///< numbers of the stages within
  std::vector<std::uint32_t> entry_;    ///< by number of a wire on its way
  std::vector<std::uint32_t> ends_;     ///< by output port: the channel that leads to it
  std::vector<Terminal> pins_;          ///< by channel
};

}  // namespace weft::fred
