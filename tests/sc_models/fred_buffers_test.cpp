// SPDX-License-Identifier: Apache-2.0
// What `weft check` says of buffers below rate x round trip, against what a fabric of FRED switches does with them.
#include <gtest/gtest.h>

#include "config/link_budget.h"
#include "config/load.h"
#include "runs/run.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

constexpr double kFlits = 8192;  // 4 MiB in flits of 512 B

/// One NPU sends 4 MiB to another one: over one switch, or over two and a third above them.
Config stream(const std::string& levels, const std::string& latency, const std::string& buffer) {
  return load_config_text("fabric: {kind: fred, flit_bytes: 512, header: 0 B, " + levels + "}\n" +
                              "npu: {count: 2, packet_bytes: 4 KiB}\n" +
                              "workload: {collective: {kind: broadcast, algorithm: ring, size: 4 MiB}}\n",
                          "stream.yaml", {latency, "fabric.levels[0].buffer=" + buffer, "limits.watchdog_cycles=1000"});
}

/// Runs it and compares with the flits per cycle of the link that carries least.
void expect_as_predicted(const Config& config, double flits_per_cycle) {
  double carried = 1e9;
  for (const LinkBudget& link : link_budgets(config)) carried = std::min(carried, link.carried_by(link.buffer_flits));
  EXPECT_NEAR(carried, flits_per_cycle, 1e-3);
  RunControl control;
  const RunResult result = run(config, control);
  ASSERT_TRUE(result.finished) << result.stop_text;
  // The first flit takes a few cycles and the wires.
  EXPECT_NEAR(static_cast<double>(result.cycles), kFlits / carried, 0.02 * kFlits / carried);
}

const char* const kOneSwitch = "levels: [{groups: 1, ports: 2}]";
const char* const kTwoLevels = "levels: [{groups: 2, uplinks: 1, latency: 20}, {groups: 1, buffer: 64 KiB}]";

// 2 x 20 + 1 + 3 + 7 = 51 cycles for each buffer full of packets of 8 flits.
TEST(FredBuffers, one_packet) { expect_as_predicted(stream(kOneSwitch, "fabric.local.latency=20", "4 KiB"), 8.0 / 51); }
TEST(FredBuffers, the_paper_s_24_kib) {
  expect_as_predicted(stream(kOneSwitch, "fabric.local.latency=20", "24 KiB"), 48.0 / 51);
}
// Credits are taken before the 7 stages of Fred_3(12).
TEST(FredBuffers, behind_many_stages) {
  expect_as_predicted(stream("levels: [{groups: 1, ports: 12}]", "fabric.local.latency=20", "24 KiB"), 48.0 / 57);
}
// The next packet waits for 8 - 6 credits only, 6 cycles less.
TEST(FredBuffers, a_part_of_a_packet_saves_its_time) {
  expect_as_predicted(stream(kOneSwitch, "fabric.local.latency=20", "7 KiB"), 8.0 / 45);
}
TEST(FredBuffers, enough) { expect_as_predicted(stream(kOneSwitch, "fabric.local.latency=20", "25.5 KiB"), 1); }
TEST(FredBuffers, a_short_wire) {
  expect_as_predicted(stream(kOneSwitch, "fabric.local.latency=5", "8 KiB"), 16.0 / 21);
}
TEST(FredBuffers, uplinks) { expect_as_predicted(stream(kTwoLevels, "fabric.local.latency=1", "8 KiB"), 16.0 / 51); }

}  // namespace
}  // namespace weft::sc_models
