// SPDX-License-Identifier: Apache-2.0
// Flits of links over layers that are played again, by hand.
#include "sc_models/layer_flits.h"

#include <gtest/gtest.h>

namespace weft::sc_models {
namespace {

std::uint64_t flits_at(const LayerFlits& layers, Cycle at) {
  std::uint64_t flits = 0;
  layers.read(at, &flits);
  return flits;
}

LayerFlits two_parts_every(Cycle period) {
  LayerFlits layers;
  layers.set({{100, 150, 200, {1000}, {1051}}, {200, 290, 300, {1051}, {1061}}}, period);
  return layers;
}

// From 100 to 200 nothing is sent before 150, and then 51 flits; from 200 to 300 10 flits from 290 on. They come again
// from 300 on: nothing up to 350, one flit per cycle up to 400, where there are 61 + 51; from 500 on for the second
// time.
TEST(LayerFlits, links_carry_what_they_carried_when_they_carried_it) {
  const LayerFlits layers = two_parts_every(200);
  EXPECT_EQ(flits_at(layers, 300), 1061u);
  EXPECT_EQ(flits_at(layers, 349), 1061u);
  EXPECT_EQ(flits_at(layers, 350), 1062u);
  EXPECT_EQ(flits_at(layers, 399), 1111u);
  EXPECT_EQ(flits_at(layers, 400), 1112u);
  EXPECT_EQ(flits_at(layers, 489), 1112u);
  EXPECT_EQ(flits_at(layers, 499), 1121u);
  EXPECT_EQ(flits_at(layers, 500), 1122u);
  EXPECT_EQ(flits_at(layers, 700), 1183u);
}

// The same every 190 cycles: what comes does so 10 cycles earlier each time.
TEST(LayerFlits, a_period_that_is_shorter_begins_later_in_what_is_played_again) {
  const LayerFlits layers = two_parts_every(190);
  EXPECT_EQ(flits_at(layers, 339), 1061u);
  EXPECT_EQ(flits_at(layers, 340), 1062u);
  EXPECT_EQ(flits_at(layers, 489), 1121u);
  EXPECT_EQ(flits_at(layers, 490), 1122u);
  EXPECT_EQ(flits_at(layers, 530), 1123u);
}

// And every 220 cycles: nothing is sent in the first 20 of them.
TEST(LayerFlits, a_period_that_is_longer_begins_with_cycles_in_which_nothing_is_sent) {
  const LayerFlits layers = two_parts_every(220);
  EXPECT_EQ(flits_at(layers, 319), 1061u);
  EXPECT_EQ(flits_at(layers, 369), 1061u);
  EXPECT_EQ(flits_at(layers, 370), 1062u);
}

}  // namespace
}  // namespace weft::sc_models
