// SPDX-License-Identifier: Apache-2.0
// Looks at a whole FRED switch that takes packets as trains: what is in use is told by its place.
#include <gtest/gtest.h>

#include "switch/network/fred_switch.h"
#include "tests/support/told_apart.h"

namespace weft::fred {
namespace {

using weft::test::expect_told_apart;
using weft::test::Look;

/// A unicast, which comes as eight flits in cycles 5 to 12.
struct Unicast {
  int input = 0;
  int output = 0;
};

/// Fred_3(4) in cycle `now`, to which these unicasts have come.
Look switch_at(Cycle now, const std::vector<Unicast>& unicasts) {
  return [=](StateForm& form) {
    SwitchSpec spec;
    spec.ports = 4;
    FredSwitch fred(spec);
    fred.use_trains();
    PortFlit head;
    head.head = true;
    head.packet_flits = 8;
    for (Cycle cycle = 1; cycle <= now; ++cycle) {
      for (const Unicast& unicast : unicasts) {
        head.output = static_cast<std::uint8_t>(unicast.output);
        const PortId input{static_cast<std::uint8_t>(unicast.input)};
        if (cycle == 5) fred.receive(input, head, FlitTrain(5, 8));
      }
      fred.step(cycle);
    }
    fred.settle(now);
    fred.put_state(form, [](std::uint32_t) { return std::uint64_t{0}; });
  };
}

// Both wait for one output, and one goes first; then a packet is in the stages, and last on the link.
TEST(FredSwitchForm, packets_are_told_apart_by_their_ports) {
  for (const Cycle now : {5, 7, 9, 13, 17}) {
    SCOPED_TRACE(now);
    expect_told_apart({{"nothing", switch_at(now, {})},
                       {"0 to 3", switch_at(now, {{0, 3}})},
                       {"1 to 3", switch_at(now, {{1, 3}})},
                       {"0 to 2", switch_at(now, {{0, 2}})},
                       {"0 and 1 to 3", switch_at(now, {{0, 3}, {1, 3}})},
                       {"0 and 2 to 3", switch_at(now, {{0, 3}, {2, 3}})}});
  }
}

}  // namespace
}  // namespace weft::fred
