// SPDX-License-Identifier: Apache-2.0
// Streams of an NPU that share its DRAM: times by hand between two clocks, parts, and what a probe is told.
#include "mem/dram/local_dram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/mem/support/timings.h"

namespace weft::mem {
namespace {

using testing::ElementsAre;

/// A DRAM that is stepped when it has asked for it, as a network interface does.
class Bench : public AccessProbe {
 public:
  explicit Bench(std::uint64_t dram_hertz) {
    DramTiming timing = test::small_timing();
    timing.hertz = {dram_hertz, 1};
    DramOptions options;
    options.scheduler = "fifo";
    dram_.emplace(timing, options, Clock(ClockSpec{{1'000'000'000, 1}}),
                  [this](Cycle delay) { wakes_.push_back(now_ + delay); });
    dram_->set_probe(this, NodeId{5}, "here");
  }
  /// Cycle and bytes of each part.
  std::vector<std::pair<Cycle, std::uint64_t>> parts;
  std::vector<MemoryAccess> accesses;

  void stream(bool write, std::uint64_t bytes) {
    dram_->stream(
        write, bytes, [this](std::uint64_t part) { parts.emplace_back(now_, part); }, now_);
  }
  void run_to(Cycle end) {
    for (; now_ < end; ++now_) {
      for (std::size_t i = 0; i < wakes_.size(); ++i) {
        if (wakes_[i] == now_) dram_->step(now_);
      }
    }
  }
  void access_ended(NodeId owner, MemoryAccess access) override {
    EXPECT_EQ(owner, NodeId{5});
    accesses.push_back(std::move(access));
  }

 private:
  std::optional<LocalDram> dram_;
  std::vector<Cycle> wakes_;
  Cycle now_ = 0;
};

// The DRAM sees a burst at its edge 1: a row is opened, tRCD + tCL + tBL = 17 edges later it is there.
TEST(LocalDram, a_burst_takes_its_time_between_the_clocks) {
  Bench same(1'000'000'000);
  same.stream(false, 32);
  same.run_to(100);
  EXPECT_THAT(same.parts, ElementsAre(std::pair<Cycle, std::uint64_t>(18, 32)));
  Bench half(500'000'000);
  half.stream(false, 32);
  half.run_to(100);
  EXPECT_THAT(half.parts, ElementsAre(std::pair<Cycle, std::uint64_t>(36, 32)));
}

TEST(LocalDram, a_stream_ends_in_parts_at_ascending_addresses) {
  Bench bench(1'000'000'000);
  bench.stream(true, 10'000);
  bench.run_to(3'000);
  std::vector<std::uint64_t> bytes;
  for (const auto& part : bench.parts) bytes.push_back(part.second);
  EXPECT_THAT(bytes, ElementsAre(4096, 4096, 1808));
  ASSERT_EQ(bench.accesses.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bench.accesses[i].component, "here");
    EXPECT_EQ(bench.accesses[i].address, 4096 * i);
    EXPECT_EQ(bench.accesses[i].bytes, bytes[i]);
    EXPECT_TRUE(bench.accesses[i].write);
    EXPECT_EQ(bench.accesses[i].asked, 0U);
    EXPECT_EQ(bench.accesses[i].done, bench.parts[i].first);
  }
}

// Each has up to 16 requests of 4 KiB under way, so that the short one does not wait for the end of the long one.
TEST(LocalDram, streams_share_the_channels) {
  Bench bench(1'000'000'000);
  bench.stream(false, 64 * 4096);
  bench.stream(false, 4000);
  bench.run_to(40'000);
  ASSERT_EQ(bench.accesses.size(), 65U);
  Cycle short_end = 0;
  for (const MemoryAccess& access : bench.accesses) {
    if (access.bytes == 4000) short_end = access.done;
  }
  EXPECT_LT(short_end, bench.accesses.back().done / 2);
  EXPECT_GT(short_end, bench.accesses.front().done);
}

}  // namespace
}  // namespace weft::mem
