// SPDX-License-Identifier: Apache-2.0
#include "log/timeline_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace weft::log {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> problems(const std::string& events) {
  std::istringstream json("{\"traceEvents\": [" + events + "]}");
  return check_timeline(json).problems;
}

std::string span(const char* name, double ts, double dur, int tid = 1) {
  return fmt::format(R"({{"ph":"X","name":"{}","pid":1,"tid":{},"ts":{},"dur":{}}})", name, tid, ts, dur);
}
std::string flow(const char* phase, int id, double ts, int tid = 1) {
  return fmt::format(R"({{"ph":"{}","name":"m","pid":1,"tid":{},"id":{},"ts":{}}})", phase, tid, id, ts);
}

TEST(TimelineCheck, accepts_spans_that_nest_or_follow_and_arrows_that_pair) {
  EXPECT_THAT(problems(span("a", 0, 10) + "," + span("b", 2, 3) + "," + span("c", 5, 5) + "," + span("d", 10, 0.1)),
              IsEmpty());
  EXPECT_THAT(problems(span("a", 0, 10) + "," + span("b", 4, 4, 2) + "," + flow("s", 7, 1) + "," + flow("f", 7, 5, 2)),
              IsEmpty());
}

TEST(TimelineCheck, finds_spans_that_overlap) {
  EXPECT_THAT(problems(span("a", 0, 10) + "," + span("b", 9.999999, 3)),
              ElementsAre("'a' and 'b' overlap on track 1 of process 1"));
}

// 1.955 + 0.099 is 2.0540000000000003 in binary: viewers see the second span begin within the first.
TEST(TimelineCheck, adds_as_viewers_do) {
  EXPECT_THAT(problems(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1.955,"dur":0.099},)"
                       R"({"ph":"X","name":"b","pid":1,"tid":1,"ts":2.054,"dur":1})"),
              ElementsAre("'a' and 'b' overlap on track 1 of process 1"));
}

TEST(TimelineCheck, finds_arrows_without_an_end_backwards_doubled_or_in_the_air) {
  const std::string around = span("a", 0, 10) + ",";
  EXPECT_THAT(problems(around + flow("s", 1, 1)), ElementsAre("flow 1 has no end"));
  EXPECT_THAT(problems(around + flow("f", 1, 1)), ElementsAre("flow 1 has no start"));
  EXPECT_THAT(problems(around + flow("s", 1, 5) + "," + flow("f", 1, 4)), ElementsAre("flow 1 ends before it starts"));
  EXPECT_THAT(problems(around + flow("s", 1, 5) + "," + flow("s", 1, 6) + "," + flow("f", 1, 7)),
              ElementsAre("event 2 is the second s of flow 1"));
  EXPECT_THAT(problems(around + flow("s", 1, 5) + "," + flow("f", 1, 11)),
              ElementsAre("flow 1 ends outside of every span"));
}

TEST(TimelineCheck, finds_events_that_lack_something) {
  EXPECT_THAT(problems(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":0})"), ElementsAre("event 0 has no dur"));
  EXPECT_THAT(problems(span("a", 0, -1)), ElementsAre("event 0 has a negative dur"));
  EXPECT_THAT(problems(R"({"ph":"X","name":"a","tid":1,"ts":0,"dur":1})"), ElementsAre("event 0 has no pid"));
  EXPECT_THAT(problems(R"({"ph":"X","pid":1,"tid":1,"ts":0,"dur":1})"), ElementsAre("event 0 has no name"));
  EXPECT_THAT(problems(R"({"ph":"Q","name":"a"})"), ElementsAre("event 0 has the unknown kind Q"));
  EXPECT_THAT(problems("3"), ElementsAre("event 0 is no event"));
}

TEST(TimelineCheck, finds_what_is_no_trace_at_all) {
  std::istringstream broken("{\"traceEvents\": [");
  EXPECT_THAT(check_timeline(broken).problems, ElementsAre("is no JSON"));
  std::istringstream other("{}");
  EXPECT_THAT(check_timeline(other).problems, ElementsAre("has no array traceEvents"));
}

TEST(TimelineCheck, counts_the_problems_that_it_does_not_show) {
  std::string events = "1";
  for (int i = 0; i < 29; ++i) events += ",1";
  EXPECT_THAT(problems(events).back(), HasSubstr("10 more problems"));
}

}  // namespace
}  // namespace weft::log
