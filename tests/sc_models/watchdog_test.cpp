// SPDX-License-Identifier: Apache-2.0
// The watchdog on a fabric that is built to deadlock: a ring with one VC for all, full of packets that go half round.
#include <gmock/gmock.h>

#include "base/error.h"
#include "sc_models/supervisor.h"
#include "sc_models/system.h"
#include "sc_models/workload.h"

namespace weft::sc_models {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

Config ring_of_eight() {
  Config config;
  config.fabric.kind = FabricKind::kTorus;
  config.fabric.size_x = 8;
  config.fabric.routing = "dimension_order";
  config.fabric.router.vcs = 1;
  config.fabric.router.buffer_flits = 2;
  config.limits.watchdog_cycles = 500;
  TrafficWorkload traffic;
  traffic.pattern = "tornado";  // three hops east for everybody
  traffic.rate = 1.0;
  traffic.packet_flits = 16;
  config.workload = traffic;
  return config;
}

// Each node's packet holds the link to the east and waits for the next one, so that all eight wait in a circle.
TEST(Watchdog, says_who_waits_for_whom) {
  set_time_resolution();
  TestKnobs knobs;
  knobs.may_deadlock = true;
  System system("system", ring_of_eight(), nullptr, knobs);
  const auto workload = make_traffic_workload(system);
  RunControl control;
  Supervisor supervisor(system, *workload, control);
  try {
    do {
      sc_core::sc_start();
      system.fabric_clock().rethrow_failure();
    } while (supervisor.continue_at_rest());
    FAIL() << "the fabric did not deadlock";
  } catch (const ViolationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("flits are in the fabric and none has moved since cycle"));
    EXPECT_THAT(error.what(), ContainsRegex("[0-9]+ input VCs wait for each other in a circle:\n"));
    for (int x = 0; x < 8; ++x) {
      EXPECT_THAT(error.what(), HasSubstr("router [" + std::to_string(x) + ",0], input west, VC 0: packet "));
    }
    EXPECT_THAT(
        error.what(),
        ContainsRegex("router \\[3,0\\], input west, VC 0: packet [0-9]+\\.0 to node [0-9]+ waits for a free VC "
                      "of output east, held by packet 3\\.0"));
    EXPECT_THAT(error.what(), HasSubstr("waits for a credit of output east, VC 0"));
  }
  // The fabric fills within some dozens of cycles.
  EXPECT_GT(system.fabric_clock().now(), 20u);
  EXPECT_LT(system.fabric_clock().now(), 100u);
}

/// Has something to do in every cycle, but nothing that moves a flit.
class Restless final : public Block {
 public:
  void step(Cycle /*now*/) override {}
  Cycle next_work(Cycle now) const override { return now + 1; }
};

// NPUs of 100 kHz do something without effect once in 10,000 cycles of the fabric, for ever. The longest silence is 500
// of their cycles, 5,000,000 of the fabric's. The ring is full some of their cycles after the start.
TEST(Watchdog, finds_a_deadlock_in_cycles_of_a_slow_npu_clock) {
  set_time_resolution();
  TestKnobs knobs;
  knobs.may_deadlock = true;
  Config config = ring_of_eight();
  config.npu.clock = ClockSpec{{100'000, 1}};
  std::get<TrafficWorkload>(config.workload).drain_cycles = 1'000'000'000;
  System system("system", config, nullptr, knobs);
  const auto workload = make_traffic_workload(system);
  RunControl control;
  Supervisor supervisor(system, *workload, control);
  Restless restless;
  system.npu_clock().add(restless);
  SimulatedTime::instance().run_to_rest();
  try {
    system.fabric_clock().rethrow_failure();
    system.npu_clock().rethrow_failure();
    FAIL() << "the fabric did not deadlock";
  } catch (const ViolationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("and the longest silence is 5000000 cycles (limits.watchdog_cycles, 500 of "
                                        "npu.clock)"));
    EXPECT_THAT(error.what(), ContainsRegex("[0-9]+ input VCs wait for each other in a circle:\n"));
  }
  EXPECT_GT(system.npu_clock().now(), 500u);
  EXPECT_LT(system.npu_clock().now(), 1100u);
}

// The same with the VCs that the routing function asks for.
TEST(Watchdog, leaves_a_sound_fabric_alone) {
  set_time_resolution();
  Config config = ring_of_eight();
  config.fabric.router.vcs = 2;
  auto& traffic = std::get<TrafficWorkload>(config.workload);
  traffic.warmup_cycles = 100;
  traffic.measure_cycles = 2000;
  traffic.drain_cycles = 20000;
  System system("system", config, nullptr);
  const auto workload = make_traffic_workload(system);
  RunControl control;
  Supervisor supervisor(system, *workload, control);
  sc_core::sc_start();
  system.fabric_clock().rethrow_failure();
  EXPECT_FALSE(supervisor.continue_at_rest());
  EXPECT_GT(system.fabric().flits_moved(), 10000u);
}

TEST(Watchdog, does_not_build_such_a_fabric_unasked_bad) {
  EXPECT_THROW(System("system", ring_of_eight()), InputError);
}

}  // namespace
}  // namespace weft::sc_models
