// SPDX-License-Identifier: Apache-2.0
// Online routing of unicasts: finds free middle stages when a packet starts.
#pragma once

#include <functional>
#include <vector>

#include "switch/network/circuit_plan.h"

namespace weft::fred {

/// With m >= 3 middle stages the interconnect is strict-sense non-blocking for unicasts: between an idle input and an
/// idle output there is always a way. With m = 2, or beside the circuits of stored configurations, there may be none.
class UnicastRouter {
 public:
  explicit UnicastRouter(const Interconnect& net) : net_(net), channels_(net), length_(length()) {}

  /// The first way, lower middle stages first, on which `free(channel, entry)` holds for every output pin; `entry` is
  /// the step after the start in which the pin's register is written. False if there is none. All ways end with the
  /// same pin at the same step, so that one is asked for first.
  template <typename Free>
  bool find(PortId input, PortId output, const Free& free, std::vector<Terminal>* pins) const {
    pins->clear();
    if (!free(channels_.of(net_.outputs[index(output)]), length_ - 1)) return false;
    return find_in(0, index(input), index(output), 0, free, *pins);
  }

 private:
  /// Pins of a way: one at the input side and one at the output side of each stage around the innermost.
  std::uint32_t length() const {
    std::uint32_t pins = 1;
    for (const Stage* stage = &net_.stages[0]; !stage->base(); stage = &net_.stages[stage->middles[0]]) pins += 2;
    return pins;
  }
  template <typename Free>
  bool find_in(std::uint32_t number, std::uint32_t in, std::uint32_t out, std::uint32_t entry, const Free& free,
               std::vector<Terminal>& pins) const {
    const Stage& stage = net_.stages[number];
    const auto last = static_cast<std::uint32_t>(stage.size - 1);
    if (stage.base()) return take({stage.first_in, out}, entry, free, pins);
    const bool in_alone = stage.odd() && in == last;
    const bool out_alone = stage.odd() && out == last;
    const std::uint32_t first = in_alone ? stage.demux : stage.first_in + in / 2;
    const Terminal end{out_alone ? stage.mux : stage.first_out + out / 2, out_alone ? 0 : out % 2};
    for (std::uint32_t middle = 0; middle < stage.middles.size(); ++middle) {
      const std::size_t length = pins.size();
      if (!take({first, middle}, entry, free, pins)) continue;
      if (find_in(stage.middles[middle], in / 2, out / 2, entry + 1, free, pins) &&
          take(end, entry + static_cast<std::uint32_t>(pins.size() - length), free, pins)) {
        return true;
      }
      pins.resize(length);
    }
    return false;
  }
  template <typename Free>
  bool take(Terminal pin, std::uint32_t entry, const Free& free, std::vector<Terminal>& pins) const {
    if (!free(channels_.of(pin), entry)) return false;
    pins.push_back(pin);
    return true;
  }

  const Interconnect& net_;
  ChannelNumbers channels_;
  std::uint32_t length_;
};

}  // namespace weft::fred
