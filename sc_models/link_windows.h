// SPDX-License-Identifier: Apache-2.0
// Flits per link over time, in windows of equal length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/checkpoint.h"
#include "base/types.h"
#include "sc_models/run_result.h"

namespace weft::sc_models {

/// How long a run will be is not known when it starts: windows are short at first, and when there are too many of them,
/// neighbours are joined. Reads counters that are kept anyway, once per window.
class LinkWindows {
 public:
  /// Length of the first windows in cycles.
  static constexpr Cycle kFirstLength = 16;
  /// Fabrics with more links are not counted.
  static constexpr std::size_t kMostLinks = 100'000;
  /// Links times windows are at most so many; fabrics with many links have fewer windows.
  static constexpr std::size_t kMostCounts = 1'000'000;
  /// Puts the flits that each link has carried so far into an array, by number of the link.
  using Reader = std::function<void(std::uint64_t*)>;

  /// At most `most` windows; 0 = none.
  LinkWindows(std::size_t links, int most, Reader read);

  /// The first cycle after the open window; kNever when nothing is counted.
  Cycle border() const { return border_; }
  /// Borders from cycle `from` to cycle `until`, as they come if the run lasts so long: the first `most` ones.
  std::vector<Cycle> borders(Cycle from, Cycle until, std::size_t most) const;
  /// All cycles before `next` have been executed, and none from it on: closes the windows that end there or before.
  /// To be called before a cycle at or beyond border() is executed.
  void close_until(Cycle next);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// The run has ended: the last window ends with `cycles`. Once.
  LinkWindowTable finish(Cycle cycles);

 private:
  void take_flits();
  void open_next();
  void join_pairs();

  std::size_t links_;
  std::size_t most_;  ///< even
  Reader read_;
  Cycle length_ = kFirstLength;
  Cycle border_ = kNever;
  std::size_t open_ = 0;               ///< number of the open window
  std::vector<std::uint32_t> counts_;  ///< window by window
  std::vector<std::uint64_t> before_;  ///< flits of each link when they were last read
  std::vector<std::uint64_t> now_;
};

}  // namespace weft::sc_models
