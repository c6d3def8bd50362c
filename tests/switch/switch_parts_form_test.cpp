// SPDX-License-Identifier: Apache-2.0
// Looks at single parts of a FRED switch: which settings are in the memory, and what leaves an output.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "switch/network/output_port.h"
#include "switch/network/setting_store.h"
#include "tests/support/told_apart.h"
#include "tests/switch/support/flows.h"

namespace weft::fred {
namespace {

using testing::ports;
using weft::test::expect_told_apart;
using weft::test::Look;

/// Fred_3(4) that knows `settings` settings and has memory for `fit` of them, after some have been activated.
Look store_after(std::size_t fit, int settings, const std::vector<std::uint32_t>& activated) {
  return [=](StateForm& form) {
    const Interconnect net = build_interconnect(3, 4);
    SettingStore store(net, fit * ((setting_bits(net) + 7) / 8), {1, stage_registers(net, 1)}, SettingStore::kReload);
    store.add({all_reduce_flow("left", ports({0, 1}))});
    if (settings > 1) store.add({all_reduce_flow("right", ports({2, 3}))});
    for (const std::uint32_t setting : activated) store.activate(setting);
    store.put_state(form);
  };
}

TEST(SettingStoreForm, which_settings_are_in_the_memory_is_looked_at) {
  expect_told_apart({{"the first", store_after(1, 2, {1})}, {"the second", store_after(1, 2, {2})}});
  // In the same order in both: those that were never activated are replaced first.
  expect_told_apart({{"both, activated", store_after(2, 2, {1, 2})}, {"both, not activated", store_after(2, 2, {})}});
  expect_told_apart({{"of two", store_after(1, 2, {1})}, {"of one", store_after(1, 1, {1})}});
  expect_told_apart({{"the second last", store_after(2, 2, {1, 2})}, {"the first last", store_after(2, 2, {2, 1})}});
}

/// An output whose link carries a flit per cycle, after three flits have been promised room.
Look output_after(const std::function<void(OutputPort&)>& happens) {
  return [=](StateForm& form) {
    OutputPort output(PacketRateSpec{}, 8, false);
    output.promise(3);
    happens(output);
    output.put_state(form);
  };
}

// The link is free from cycle 8 on in the second and the third.
TEST(OutputPortForm, what_leaves_an_output_is_looked_at) {
  expect_told_apart({{"nothing", output_after([](OutputPort&) {})},
                     {"three flits", output_after([](OutputPort& o) { o.send_all(5, 3, 1); })},
                     {"the last one", output_after([](OutputPort& o) { o.send_all(7, 1, 1); })},
                     {"three flits later", output_after([](OutputPort& o) { o.send_all(6, 3, 1); })},
                     {"room for more", output_after([](OutputPort& o) { o.promise(1); })}});
}

// A flit takes four cycles on the link, and has left its output when it begins.
TEST(OutputPortForm, a_link_that_is_busy_with_what_has_left_is_looked_at) {
  const auto slow = [](std::uint32_t flits) {
    return [=](StateForm& form) {
      PacketRateSpec rate;
      rate.flits_per_cycle = {1, 4};
      OutputPort output(rate, 8, false);
      output.promise(flits);
      if (flits > 0) output.send_all(5, flits, 1);
      output.depart_until(5);
      output.put_state(form);
    };
  };
  EXPECT_TRUE(weft::test::look_equal(slow(0), slow(1), 9));
  EXPECT_FALSE(weft::test::look_equal(slow(0), slow(1), 5));
}

}  // namespace
}  // namespace weft::fred
