// SPDX-License-Identifier: Apache-2.0
// The memory of `weft run` where links or clocks are slow: it follows the fabric and what is on its way, not the
// cycles.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

// An empty fabric takes some 24 MB; with sanitizers far more.
constexpr double kMostBytes = 60e6;
constexpr const char* kPatience = "limits.watchdog_cycles=1000000000000000000";

class RunMemory : public ProgramCase {
 protected:
  /// Runs one of configs/ and returns summary.json.
  nlohmann::json run(const std::string& config, const std::string& setting, const std::string& other) const {
    const auto result = weft({"run", WEFT_SOURCE_DIR "/configs/" + config, "--set", setting, "--set", other, "--set",
                              kPatience, "--quiet", "--no-report", "--out", "o"});
    EXPECT_EQ(result.status, 0) << result.err;
    return summary("o");
  }
  static void expect_little(const nlohmann::json& summary) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(summary["peak_rss_bytes"].get<double>(), kMostBytes);
#endif
    EXPECT_EQ(summary["finished"], true);
  }
};

// An all-reduce of 8 bytes over 8 NPUs is 14 steps, each of one flit of 512 bytes over one link.
TEST_F(RunMemory, slow_links) {
  for (const auto& [bandwidth, flit_cycles] : {std::tuple("100 kB/s", 5120000.0), std::tuple("1 B/s", 512e9)}) {
    const auto s =
        run("astrasim-ring-8.yaml", std::string("fabric.link.bandwidth=") + bandwidth, "workload.collective.size=8 B");
    expect_little(s);
    // Latencies of 500 cycles a step and delays of the end points come on top of the flits' own time.
    EXPECT_NEAR(s["cycles"].get<double>() / (14 * flit_cycles), 1, 1e-3) << bandwidth;
  }
}

TEST_F(RunMemory, slow_clock_of_the_npus) {
  const double fast = run("demo.yaml", "npu.clock=10 kHz", "waves.file=")["cycles"];
  const auto slow = run("demo.yaml", "npu.clock=1 Hz", "waves.file=");
  expect_little(slow);
  // The NPUs take nearly all of the time in both, and equally many of their own cycles.
  EXPECT_NEAR(slow["cycles"].get<double>() / fast, 10000, 100);
}

}  // namespace
}  // namespace weft::cli
