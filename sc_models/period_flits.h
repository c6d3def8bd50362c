// SPDX-License-Identifier: Apache-2.0
// Flits that links carry in cycles of a period, for windows that end in cycles that are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_models/link_counters.h"
#include "sc_models/link_windows.h"

namespace weft::sc_models {

/// Notes the flits that each link has carried by the end of some cycles of a period, and by how many they grow. These
/// are the cycles that windows end in when the period comes again.
class PeriodFlits {
 public:
  /// `windows` ask about cycles that are left out, unless they count nothing. They outlive the object.
  PeriodFlits(LinkCounters counters, LinkWindows& windows);

  /// A period begins behind cycle `at`; until cycle `until` it may come again. Notes may cost about so many `words` of
  /// state: the fewer they are, the earlier `known_until` is. Nothing is noted where they allow for next to nothing.
  void begin(Cycle period, Cycle at, Cycle until, std::uint64_t words);
  /// What all notes have cost so far, in words of state.
  std::uint64_t cost() const { return cost_; }

  /// Notes the cycle that has been executed last, and those behind it before `next`, the next executed one. Closes the
  /// windows that end before one of them where something passes links in between.
  void note(Cycle next);
  /// The next cycle that is noted; kNever = none is.
  Cycle due() const { return on_ && noted_ < offsets_.size() ? begin_ + offsets_[noted_] : kNever; }
  /// The period has ended with the last executed cycle.
  void end();
  void drop() { on_ = false; }
  /// Whether a period is being noted, or has been.
  bool on() const { return on_; }
  /// The last cycle behind the period that `read` knows, if a window ends in it.
  Cycle known_until() const { return known_until_; }
  /// Flits that each link has carried up to and with cycle `at`, which lies behind the period and in which a window
  /// ends.
  void read(Cycle at, std::uint64_t* flits) const;

 private:
  std::uint64_t words_of_links() const;
  void settle(Cycle at);
  void choose_offsets(Cycle until, std::size_t most);

  LinkCounters counters_;
  LinkWindows& windows_;
  bool on_ = false;
  std::uint64_t cost_ = 0;
  Cycle period_ = 0;
  Cycle begin_ = 0;
  Cycle known_until_ = 0;
  std::vector<Cycle> offsets_;         ///< from `begin_`, of the cycles that are noted, in order; 0 is the first one
  std::size_t noted_ = 0;              ///< so many of them
  std::vector<std::uint64_t> flits_;   ///< by offset and link
  std::vector<std::uint64_t> growth_;  ///< by link, per period
};

}  // namespace weft::sc_models
