// SPDX-License-Identifier: Apache-2.0
// The flits of all links over cycles in which layers of a trace were played again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.h"

namespace weft::sc_models {

/// The episodes that were played again, one behind the other, each as often: in each of them links carry what they
/// carried the first time, evenly from when the first message was sent to the end.
class LayerFlits {
 public:
  /// One episode as it was.
  struct Part {
    Cycle begin = 0;
    Cycle sends_from = 0;  ///< nothing is sent before
    Cycle end = 0;
    std::vector<std::uint64_t> before;  ///< flits by link, up to its begin
    std::vector<std::uint64_t> behind;  ///< up to its end
  };

  /// The parts, at least one, follow each other; they are played again from the end of the last one on, every `period`
  /// cycles. What a period is longer or shorter than the parts are lies at their begin, where nothing is sent.
  void set(std::vector<Part> parts, Cycle period) {
    parts_ = std::move(parts);
    period_ = period;
  }
  /// Gives about how many flits each link has carried up to and with `at`, a cycle in which they were played again.
  void read(Cycle at, std::uint64_t* flits) const {
    const Part& first = parts_.front();
    const Part& last = parts_.back();
    const std::uint64_t times = (at - last.end) / period_;
    const Cycle to_end = period_ - (at - last.end) % period_;
    const Cycle then = last.end - std::min(to_end, last.end - first.begin);
    std::size_t part = 0;
    while (then >= parts_[part].end) ++part;
    const Part& of = parts_[part];
    const double share = then < of.sends_from ? 0.0
                                              : static_cast<double>(then - of.sends_from + 1) /
                                                    static_cast<double>(of.end - of.sends_from + 1);
    for (std::size_t link = 0; link < first.before.size(); ++link) {
      const auto carried = static_cast<double>(of.behind[link] - of.before[link]);
      flits[link] = last.behind[link] + times * (last.behind[link] - first.before[link]) +
                    (of.before[link] - first.before[link]) + static_cast<std::uint64_t>(share * carried);
    }
  }

 private:
  std::vector<Part> parts_;
  Cycle period_ = 1;
};

}  // namespace weft::sc_models
