// SPDX-License-Identifier: Apache-2.0
// The busiest links of a run just now, for who watches it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sc_models/run_control.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Compares what links have carried from look to look.
class BusyLinks {
 public:
  explicit BusyLinks(const System& system);

  /// At most `most` links that used the greatest share of their capacity since the last call (the first: since cycle
  /// 0); those that carried nothing are left out. Cycle `now` has been executed.
  std::vector<BusyLink> since_last(Cycle now, std::size_t most);

 private:
  const System& system_;
  Cycle last_ = 0;                ///< cycles before the last look
  std::vector<double> capacity_;  ///< flits per cycle
  std::vector<double> before_;    ///< carried until the last look, in flits
};

}  // namespace weft::sc_models
