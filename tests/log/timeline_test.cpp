// SPDX-License-Identifier: Apache-2.0
#include "log/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "log/timeline_check.h"
#include "tests/log/support/small_log.h"
#include "tests/support/temp_dir.h"

namespace weft::log {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using weft::test::read_text;
using weft::test::TempDir;

struct Written {
  std::string text;
  TimelineFindings findings;
};

Written write(const RunLog& log, LogLevel level, std::vector<SwitchPhase> phases = {}) {
  const TempDir folder;
  const LogNames names = small_names();
  const CriticalPath path;
  LogContents contents;
  contents.log = &log;
  contents.names = &names;
  contents.path = &path;
  contents.level = level;
  contents.phases = std::move(phases);
  write_timeline(folder / "t.json", contents);
  std::ifstream file(folder / "t.json");
  return {read_text(folder / "t.json"), check_timeline(file)};
}

TEST(Timeline, has_the_spans_of_all_ranks_and_an_arrow_per_message_of_a_collective) {
  RunLog log(2);
  fill_small_log(log);
  const Written written = write(log, LogLevel::kSteps);
  EXPECT_THAT(written.findings.problems, IsEmpty());
  EXPECT_EQ(written.findings.spans, 5U);   // multiply, and on each rank the collective with a chunk
  EXPECT_EQ(written.findings.tracks, 3U);  // chunks lie in their collectives
  EXPECT_EQ(written.findings.flows, 1U);
  EXPECT_THAT(written.text, HasSubstr(R"("name":"rank 1 on npu[1]")"));
  EXPECT_THAT(written.text, HasSubstr(R"("name":"collectives of all")"));
  EXPECT_THAT(written.text,
              HasSubstr(R"("name":"multiply","cat":"compute","pid":0,"tid":1,"ts":0,"dur":0.01000022888183)"));
  EXPECT_THAT(written.text,
              HasSubstr(R"("ph":"s","name":"step 4","cat":"message","id":0,"pid":0,"tid":2,"ts":0.01000022888183)"));
  EXPECT_THAT(written.text, HasSubstr(R"("pid":1,"tid":3,"ts":0.029000)"));
}

TEST(Timeline, leaves_out_what_took_no_time) {
  RunLog log(2);
  log.activity_ended(NodeId{0}, activity_of(ActivityKind::kReceive, "r", 5, 5));
  log.activity_ended(NodeId{0}, activity_of(ActivityKind::kReceive, "s", 5, 6));
  EXPECT_EQ(write(log, LogLevel::kRanks).findings.spans, 1U);
}

TEST(Timeline, has_no_arrows_below_steps) {
  RunLog log(2);
  fill_small_log(log);
  EXPECT_EQ(write(log, LogLevel::kRanks).findings.flows, 0U);
}

// Ends and starts that are no binary numbers, in a row and within each other.
TEST(Timeline, spans_nest_to_the_last_bit) {
  RunLog log(2);
  for (Cycle start = 0; start < 5000; start += 7) {
    log.activity_ended(NodeId{0}, activity_of(ActivityKind::kCompute, "a", start, start + 3));
    log.activity_ended(NodeId{0}, activity_of(ActivityKind::kCompute, "b", start + 3, start + 7));
    log.activity_ended(NodeId{1}, activity_of(ActivityKind::kCollective, "c", start, start + 7));
    log.activity_ended(NodeId{1}, activity_of(ActivityKind::kChunk, "c", start + 3, start + 7));
  }
  const Written written = write(log, LogLevel::kRanks);
  EXPECT_THAT(written.findings.problems, IsEmpty());
  EXPECT_EQ(written.findings.tracks, 2U);
}

// Chunks 0..9, 3..12, 9..12 of one collective: the second overlaps the first, the third fits behind the first.
TEST(Timeline, gives_spans_that_overlap_tracks_of_their_own) {
  RunLog log(2);
  log.activity_ended(NodeId{0}, activity_of(ActivityKind::kChunk, "sum", 0, 9));
  log.activity_ended(NodeId{0}, activity_of(ActivityKind::kChunk, "sum", 3, 12));
  log.activity_ended(NodeId{0}, activity_of(ActivityKind::kChunk, "sum", 9, 12));
  const Written written = write(log, LogLevel::kRanks);
  EXPECT_THAT(written.findings.problems, IsEmpty());
  EXPECT_EQ(written.findings.tracks, 2U);
  EXPECT_THAT(written.text, HasSubstr("collectives of all (2)"));
}

TEST(Timeline, shows_phases_of_switches) {
  const Written written =
      write(RunLog(2), LogLevel::kSteps, {{NodeId{1}, "fabric.l1[0]", "stored setting 1: \"a\"", 3, 9}});
  EXPECT_THAT(written.findings.problems, IsEmpty());
  EXPECT_EQ(written.findings.spans, 1U);
  EXPECT_THAT(written.text, HasSubstr(R"("name":"stored setting 1: \"a\"","cat":"phase")"));
}

}  // namespace
}  // namespace weft::log
