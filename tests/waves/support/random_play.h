// SPDX-License-Identifier: Apache-2.0
// Pseudo-random traffic of two_routers() for a recorder.
#pragma once

#include <cstdint>
#include <string>

#include "waves/recorder.h"

namespace weft::waves::test {

struct RandomPlay {
  std::uint64_t seed = 0;
  Cycle longest_gap = 1;  ///< between two flits, in cycles
  std::string ending;     ///< what the names of what NPUs do end in
};

/// Plays flits, credits and activities of less than `cycles` cycles, and ends the recording there.
inline void play_at_random(Recorder& recorder, Cycle cycles, const RandomPlay& play) {
  std::uint64_t state = play.seed;
  const auto draw = [&state](std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  };
  for (Cycle now = 0; now < cycles; now += 1 + draw(play.longest_gap)) {
    const auto link = static_cast<LinkId>(draw(2));
    const auto vc = static_cast<VcId>(draw(2));
    const auto sequence = static_cast<std::uint32_t>(draw(100'000));
    recorder.flit_sent(now, link, vc, {NodeId{3}, sequence}, draw(2) == 0, draw(2) == 0, static_cast<int>(draw(3)));
    recorder.credit_returned(now, link, vc, static_cast<int>(draw(3)));
    if (draw(4) == 0) {
      recorder.node_activity(now, static_cast<NodeId>(draw(2)),
                             {"all_reduce_" + std::to_string(draw(9)) + play.ending});
    }
  }
  recorder.finish(cycles);
}

}  // namespace weft::waves::test
