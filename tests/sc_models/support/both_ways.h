// SPDX-License-Identifier: Apache-2.0
// Traces that are played with every cycle and with cycles left out.
#pragma once

#include <gtest/gtest.h>

#include "tests/sc_models/support/graphs.h"
#include "tests/sc_models/support/skipping.h"

namespace weft::test {

/// What a trace gives with every cycle and with cycles left out.
struct Both {
  Outcome all;
  Outcome skipping;
  double share() const { return static_cast<double>(skipping.skipped) / static_cast<double>(skipping.cycles); }
};

/// Throws InputError where the configuration cannot be built.
inline Both play(const Graphs& graphs, const Words& more, const char* system = kMesh) {
  const TempDir folder;
  const Config config = trace_config(graphs, folder, more, system);
  Both both;
  both.all = outcome_of(config, FastForwardMode::kOff);
  if (both.all.ran) both.skipping = outcome_of(config, FastForwardMode::kExact);
  return both;
}

inline void expect_skipped(const Graphs& graphs, double share, const Words& more = {}, const char* system = kMesh) {
  const Both both = play(graphs, more, system);
  ASSERT_TRUE(both.all.ran && both.skipping.ran);
  EXPECT_EQ(both.all.skipped, 0u);
  EXPECT_GT(both.share(), share) << both.skipping.refusal;
  EXPECT_TRUE(both.skipping.tables == both.all.tables);
}

}  // namespace weft::test
