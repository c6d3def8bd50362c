// SPDX-License-Identifier: Apache-2.0
// What the progress line says; nothing is shown where output is not a terminal.
#include "cli/progress_line.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace weft::cli {
namespace {

constexpr ClockSpec kOneGigahertz{{1'000'000'000, 1}};

TEST(ProgressLine, says_time_share_speed_and_estimate) {
  // A quarter in 10 s leaves 30 s; 20 M hops in 10 s.
  EXPECT_EQ(progress_text({12'300, 0.25, 20'000'000}, kOneGigahertz, std::chrono::seconds(10)),
            "12.3 us simulated, 25 % done, 2.00 M flit-hops/s, about 30 s left");
  EXPECT_EQ(progress_text({500, 0.001, 0}, kOneGigahertz, std::chrono::seconds(1)),
            "500 ns simulated, 0 % done, 0.00 M flit-hops/s");
  EXPECT_EQ(progress_text({500, 0.01, 0}, kOneGigahertz, std::chrono::seconds(100)),
            "500 ns simulated, 1 % done, 0.00 M flit-hops/s, about 2.8 h left");
  EXPECT_EQ(progress_text({500, 0.5, 0}, kOneGigahertz, std::chrono::seconds(100)),
            "500 ns simulated, 50 % done, 0.00 M flit-hops/s, about 2 min left");
}

TEST(ProgressLine, is_silent_without_a_terminal) {
  testing::internal::CaptureStderr();  // makes standard error a file
  {
    ProgressLine line;
    line.show("halfway");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace weft::cli
