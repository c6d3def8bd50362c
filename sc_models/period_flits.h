// SPDX-License-Identifier: Apache-2.0
// Flits that links carry in the cycles of a period, for windows that end in cycles that are left out.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/system.h"

namespace weft::sc_models {

/// Notes the flits that each link has carried by the end of each cycle of a period, and by how many they grow.
class PeriodFlits {
 public:
  /// `wanted`: somebody asks about cycles that are left out.
  PeriodFlits(System& system, bool wanted) : system_(system), wanted_(wanted) {}

  /// Whether a period is worth its notes. Where flits pass links without a step that costs much, so that a period has
  /// to be `known`, that is, to have led somewhere before, unless it is short.
  bool worth(Cycle period, bool known) const;
  /// What the notes of a period cost, in words of state.
  std::uint64_t cost_of(Cycle period) const { return period * words_of_links(); }
  /// What all notes have cost so far, in words of state.
  std::uint64_t cost() const { return cost_; }

  /// A period begins behind cycle `at`.
  void begin(Cycle period, Cycle at);
  /// Notes cycle `now` of it, which has been executed, and those before `next`, the next executed one. Drops the notes
  /// where a window ends at `border` before `next` and something passes links in between.
  void note(Cycle now, Cycle next, Cycle border);
  /// The period has ended with the last executed cycle.
  void end();
  void drop() { on_ = false; }
  /// Whether a period is being noted, or has been.
  bool on() const { return on_; }
  /// Flits that each link has carried up to and with cycle `at`, which lies behind the period.
  void read(Cycle at, std::uint64_t* flits) const;

 private:
  bool passes() const { return system_.fabric().passes_until() > 0; }
  std::uint64_t words_of_links() const;

  System& system_;
  bool wanted_;
  bool on_ = false;
  std::uint64_t cost_ = 0;
  Cycle period_ = 0;
  Cycle begin_ = 0;
  std::vector<std::uint64_t> flits_;   ///< by cycle of the period and link
  std::vector<std::uint64_t> growth_;  ///< by link, per period
};

}  // namespace weft::sc_models
