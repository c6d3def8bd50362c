// SPDX-License-Identifier: Apache-2.0
// Ends of accesses to remote memory in cycles, by hand.
#include "mem/pool/remote_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "tests/support/temp_dir.h"

namespace weft::mem {
namespace {

using testing::HasSubstr;
using weft::test::TempDir;

Config config_with(const TempDir& folder, const std::string& text) {
  Config config;
  config.memory.remote = (folder / "remote.json").string();
  std::ofstream(config.memory.remote) << text;
  config.npu.placement = {NodeId{0}, NodeId{1}};
  return config;
}

const Clock kGigahertz(ClockSpec{{1'000'000'000, 1}});
const Clock kSlow(ClockSpec{{400'000'000, 1}});  // edges every 2.5 ns

// 100 ns and a byte in each: an access of 1001 bytes ends after 1101 ns, the other NPU's 1101 ns later.
TEST(RemoteTimes, accesses_end_at_the_first_edge_after_the_formula_and_wait_for_each_other) {
  const TempDir folder;
  const Config config =
      config_with(folder, R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 100, "remote-mem-bw": 1})");
  RemoteTimes fast(config);
  EXPECT_EQ(fast.end_of(0, 1001, kGigahertz, 0), 1101U);
  EXPECT_EQ(fast.end_of(1, 1001, kGigahertz, 0), 2202U);
  EXPECT_EQ(fast.end_of(0, 1001, kGigahertz, 5000), 6101U);
  RemoteTimes slow(config);
  EXPECT_EQ(slow.end_of(0, 1001, kSlow, 0), 441U);  // 1101 / 2.5 = 440.4
}

TEST(RemoteTimes, an_access_without_time_ends_a_cycle_later) {
  const TempDir folder;
  RemoteTimes times(config_with(
      folder, R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 0, "remote-mem-bw": 1000})"));
  EXPECT_EQ(times.end_of(0, 1, kGigahertz, 7), 8U);
}

TEST(RemoteTimes, a_file_without_remote_memory_bad) {
  const TempDir folder;
  try {
    formula_of(config_with(folder, R"({"memory-type": "NO_MEMORY_EXPANSION"})"));
    FAIL() << "it was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("describes no remote memory; legal: with memory.tensors local"));
  }
}

}  // namespace
}  // namespace weft::mem
