// SPDX-License-Identifier: Apache-2.0
// The bare loop that the harness is measured against does the same as the harness, and it is noticed when it does not.
#include "tb/bench/switch_speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "tb/bench/bare_loop.h"
#include "tb/bench/block.h"
#include "tb/switch/rtl_switch.h"

namespace weft::tb {
namespace {

using testing::HasSubstr;

/// A Fred_2(2) with one lane, whose library several tests share.
class SwitchSpeedTest : public testing::Test {
 protected:
  SwitchSpeedTest() {
    SwitchShape shape;
    shape.m = 2;
    shape.ports = 2;
    shape.lanes = 1;
    shape.traffic_classes = 4;
    shape.settings = 8;
    shape.buffer_flits = 16;
    shape.control_buffer_flits = 8;
    shape.output_flits = 48;
    spec_ = speed_spec(shape);
    const Block& block = find_block("fred_switch");
    ModelBuilder builder(WEFT_TEST_MODELS);
    const Shape of_rtl = shape_of(block, {{"M", 2}, {"Ports", 2}, {"Lanes", 1}, {"StoredSettings", 8}});
    library_ = builder.build(without_checkers(design_of(builder, block, of_rtl)));
    traffic_ = record_traffic(spec_, shape.settings, 1, 2000);
  }

  /// What the check says of a bare loop with this input beside a switch with the recorded one.
  std::string said(const RecordedTraffic& bare_traffic) {
    BareLoop bare(spec_, bare_traffic, library_, 1);
    bare.run();
    RtlSwitch fred(spec_, library_, 1);
    store_settings(fred.settings(), traffic_);
    for (Cycle now = 0; now < traffic_.cycles.size(); ++now) {
      for (const Traffic::Arrival& each : traffic_.cycles[now].arrivals) {
        const bool unicast = each.flit.setting == fred::kUnicasts;
        fred.receive(PortId{static_cast<std::uint8_t>(each.port)}, each.flit, unicast ? nullptr : each.data.data());
      }
      for (const auto& [port, traffic_class] : traffic_.cycles[now].credits) {
        fred.credit(PortId{static_cast<std::uint8_t>(port)}, traffic_class);
      }
      fred.step(now);
    }
    try {
      require_same_outputs(bare.rtl(), fred.rtl());
    } catch (const ViolationError& error) {
      return error.what();
    }
    return "";
  }

  fred::SwitchSpec spec_;
  std::shared_ptr<const RtlLibrary> library_;
  RecordedTraffic traffic_;
};

TEST_F(SwitchSpeedTest, traffic_has_sums_and_flits_to_the_end) {
  EXPECT_GT(traffic_.added, 10U);
  EXPECT_GT(traffic_.flits, 1000U);
  EXPECT_FALSE(traffic_.cycles.back().arrivals.empty() && traffic_.cycles[1998].arrivals.empty());
}

TEST_F(SwitchSpeedTest, bare_loop_does_what_the_switch_does) { EXPECT_EQ(said(traffic_), ""); }

/// The last edge is missing.
TEST_F(SwitchSpeedTest, a_bare_loop_that_is_a_cycle_short_is_noticed_bad) {
  RecordedTraffic shorter = traffic_;
  shorter.cycles.pop_back();
  EXPECT_THAT(said(shorter), HasSubstr("the bare loop ends with other bits at "));
}

/// The name of a packet that is sent within the last cycles.
TEST_F(SwitchSpeedTest, a_bare_loop_with_another_packet_is_noticed_bad) {
  int noticed = 0;
  for (std::size_t back = 1; back <= 20; ++back) {
    RecordedTraffic other = traffic_;
    for (Traffic::Arrival& each : other.cycles[other.cycles.size() - back].arrivals) each.flit.packet ^= 0x40000000U;
    if (said(other) == "the bare loop ends with other bits at out_packet_o") ++noticed;
  }
  EXPECT_GT(noticed, 0);
}

/// The sign of the last operand, when its sum has just been sent.
TEST_F(SwitchSpeedTest, a_bare_loop_with_another_operand_is_noticed_bad) {
  std::size_t last = traffic_.cycles.size();
  const auto has_operand = [](const RecordedTraffic::Cycle& cycle) {
    return std::any_of(cycle.arrivals.begin(), cycle.arrivals.end(), [](const Traffic::Arrival& each) {
      return each.flit.setting != fred::kUnicasts && !each.data.empty();
    });
  };
  do {
    ASSERT_GT(last, 0U);
    --last;
  } while (!has_operand(traffic_.cycles[last]));
  int noticed = 0;
  const RecordedTraffic whole = traffic_;
  for (std::size_t after = 1; after <= 40 && last + after <= whole.cycles.size(); ++after) {
    traffic_.cycles.assign(whole.cycles.begin(), whole.cycles.begin() + static_cast<std::ptrdiff_t>(last + after));
    RecordedTraffic other = traffic_;
    for (Traffic::Arrival& each : other.cycles[last].arrivals) {
      if (!each.data.empty()) each.data[3] ^= 0x80U;
    }
    if (said(other) == "the bare loop ends with other bits at out_data_o") ++noticed;
  }
  EXPECT_GT(noticed, 0);
}

}  // namespace
}  // namespace weft::tb
