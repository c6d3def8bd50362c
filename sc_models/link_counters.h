// SPDX-License-Identifier: Apache-2.0
// What links of a fabric have carried so far, also in cycles that are not executed.
#pragma once

#include <cstddef>
#include <functional>

#include "base/types.h"
#include "sc_models/link_windows.h"

namespace weft::sc_models {

class System;

/// What links of a fabric have carried so far.
struct LinkCounters {
  std::size_t links = 0;
  LinkWindows::Reader read;
  /// Whether flits pass links in cycles that are not executed. settle counts those up to and with a cycle.
  std::function<bool()> passes;
  std::function<void(Cycle at)> settle;
};

/// Reads the counters of `system`, which outlives the result.
LinkCounters counters_of(System& system);

}  // namespace weft::sc_models
