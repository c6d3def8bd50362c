// SPDX-License-Identifier: Apache-2.0
// Online routing of unicasts: finds free middle stages when a packet starts.
#pragma once

#include <functional>
#include <vector>

#include "switch/network/datapath_plan.h"

namespace weft::fred {

/// With m >= 3 middle stages the interconnect is strictly non-blocking for unicasts: between an idle input and an
/// idle output there is always a route. With m = 2, or beside the datapaths of stored settings, there may be none.
class UnicastRouter {
 public:
  /// `registered`: by element, see stage_registers.
  UnicastRouter(const Interconnect& net, const std::vector<std::uint8_t>& registered) : net_(net), channels_(net) {
    find_entries(registered);
  }

  /// When the pins of a route that `find` has found are in use.
  void add_uses(const std::vector<Terminal>& pins, std::vector<WireUse>* uses) const {
    uses->clear();
    for (std::size_t i = 0; i < pins.size(); ++i) uses->push_back({channels_.of(pins[i]), entry_[i]});
  }

  /// The first route, lower middle stages first, on which `free(channel, entry)` holds for every output pin; `entry` is
  /// the step after the start in which the pin's register is written, or a pin without one is in use. False if there is
  /// none. All routes end with the same pin at the same step, so that one is asked for first.
  template <typename Free>
  bool find(PortId input, PortId output, const Free& free, std::vector<Terminal>* pins) const {
    pins->clear();
    if (!free(channels_.of(net_.outputs[index(output)]), entry_.back())) return false;
    return find_in(0, index(input), index(output), 0, free, *pins);
  }

 private:
  /// Pins of a route: one at the input side and one at the output side of each stage around the innermost. All routes
  /// pass as many registers.
  void find_entries(const std::vector<std::uint8_t>& registered) {
    std::vector<std::uint32_t> firsts;
    std::vector<std::uint32_t> lasts;
    const Stage* stage = &net_.stages[0];
    for (; !stage->base(); stage = &net_.stages[stage->middles[0]]) {
      firsts.push_back(stage->first_in);
      lasts.push_back(stage->first_out);
    }
    firsts.push_back(stage->first_in);
    firsts.insert(firsts.end(), lasts.rbegin(), lasts.rend());
    std::uint32_t entry = 0;
    for (const std::uint32_t element : firsts) {
      entry_.push_back(entry);
      entry += registered[element];
    }
  }
  template <typename Free>
  bool find_in(std::uint32_t number, std::uint32_t in, std::uint32_t out, std::uint32_t pin, const Free& free,
               std::vector<Terminal>& pins) const {
    const Stage& stage = net_.stages[number];
    const auto last = static_cast<std::uint32_t>(stage.size - 1);
    if (stage.base()) return take({stage.first_in, out}, pin, free, pins);
    const bool in_alone = stage.odd() && in == last;
    const bool out_alone = stage.odd() && out == last;
    const std::uint32_t first = in_alone ? stage.demux : stage.first_in + in / 2;
    const Terminal end{out_alone ? stage.mux : stage.first_out + out / 2, out_alone ? 0 : out % 2};
    for (std::uint32_t middle = 0; middle < stage.middles.size(); ++middle) {
      const std::size_t length = pins.size();
      if (!take({first, middle}, pin, free, pins)) continue;
      if (find_in(stage.middles[middle], in / 2, out / 2, pin + 1, free, pins) &&
          take(end, pin + static_cast<std::uint32_t>(pins.size() - length), free, pins)) {
        return true;
      }
      pins.resize(length);
    }
    return false;
  }
  template <typename Free>
  bool take(Terminal pin, std::uint32_t number, const Free& free, std::vector<Terminal>& pins) const {
    if (!free(channels_.of(pin), entry_[number])) return false;
    pins.push_back(pin);
    return true;
  }

  const Interconnect& net_;
  ChannelNumbers channels_;
  std::vector<std::uint32_t> entry_;  ///< by number of a pin on its way
};

}  // namespace weft::fred
