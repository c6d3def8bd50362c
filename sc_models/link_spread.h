// SPDX-License-Identifier: Apache-2.0
// The flits of all links over cycles that were left out at rates.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/system.h"

namespace weft::sc_models {

/// Spreads what links carry in cycles that are left out evenly over these cycles.
class LinkSpread {
 public:
  /// The run is about to be moved on.
  void before(const System& system) { read(system, &before_); }
  /// It has been, by the `cycles` cycles from `from` on.
  void behind(const System& system, Cycle from, Cycle cycles) {
    read(system, &behind_);
    from_ = from;
    cycles_ = cycles;
  }
  /// Gives about how many flits each link has carried up to and with `at`, a cycle that was left out last.
  void link_flits(Cycle at, std::uint64_t* flits) const {
    const double share = static_cast<double>(at - from_) / static_cast<double>(cycles_);
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const auto carried = static_cast<double>(behind_[i] - before_[i]);
      flits[i] = before_[i] + static_cast<std::uint64_t>(share * carried);
    }
  }

 private:
  static void read(const System& system, std::vector<std::uint64_t>* flits) {
    flits->resize(system.links());
    system.read_link_flits(flits->data());
  }

  Cycle from_ = 0;
  Cycle cycles_ = 0;
  std::vector<std::uint64_t> before_;  ///< by link
  std::vector<std::uint64_t> behind_;
};

}  // namespace weft::sc_models
