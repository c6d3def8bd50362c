// SPDX-License-Identifier: Apache-2.0
#include "sc_models/link_counters.h"

#include "sc_models/system.h"

namespace weft::sc_models {

LinkCounters counters_of(System& system) {
  return {system.links(), [&system](std::uint64_t* flits) { system.read_link_flits(flits); },
          [&system] { return system.fabric().passes_until() > 0; }, [&system](Cycle at) { system.settle(at); }};
}

}  // namespace weft::sc_models
