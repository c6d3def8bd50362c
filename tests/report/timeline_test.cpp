// SPDX-License-Identifier: Apache-2.0
// timeline.json becomes tracks and spans; too many spans are thinned out, the longest stay.
#include "report/timeline.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/run_child.h"

namespace weft::report {
namespace {

using weft::test::TempDir;
using weft::test::write_text;

constexpr const char* kTrace = R"({"displayTimeUnit": "ns", "traceEvents": [
  {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "npu[0]"}},
  {"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "compute"}},
  {"ph": "X", "pid": 1, "tid": 7, "name": "matmul", "cat": "compute", "ts": 2.5, "dur": 0.5},
  {"ph": "X", "pid": 1, "tid": 7, "name": "add", "cat": "compute", "ts": 1, "dur": 0.25},
  {"ph": "s", "pid": 1, "tid": 7, "id": 3, "name": "flow", "ts": 1},
  {"ph": "X", "pid": 2, "tid": 1, "name": "matmul", "ts": 0, "dur": 4}
]})";

class TimelineReader : public testing::Test {
 protected:
  Json read(const std::string& text, const Limits& limits = {}, double share = 1) {
    write_text(dir_ / "timeline.json", text);
    RunFacts facts;
    facts.folder = dir_.path();
    return read_timeline(facts, limits, share);
  }
  TempDir dir_;
};

TEST_F(TimelineReader, spans_by_track_in_ns) {
  const Json t = read(kTrace);
  EXPECT_EQ(t["tracks"], Json::parse(R"([{"process": "npu[0]", "thread": "compute"},
                                         {"process": "process 2", "thread": "track 1"}])"));
  EXPECT_EQ(t["spans"]["track"], Json::parse("[0, 0, 1]"));
  EXPECT_EQ(t["spans"]["start"], Json::parse("[1000.0, 2500.0, 0.0]"));
  EXPECT_EQ(t["spans"]["length"], Json::parse("[250.0, 500.0, 4000.0]"));
  EXPECT_EQ(t["names"], Json::parse(R"(["add", "matmul"])"));
  EXPECT_EQ(t["spans"]["name"], Json::parse("[0, 1, 1]"));
  EXPECT_EQ(t["all"], 3);
}

// Arguments of events are no events, and neither are other members of the file, even if they look like some.
TEST_F(TimelineReader, only_events_of_the_trace_are_spans) {
  const std::string span = R"({"ph": "X", "pid": 1, "name": "a", "ts": 1, "dur": 2})";
  const std::string in_arguments = R"([{"ph": "X", "pid": 1, "name": "b", "ts": 1, "dur": 2, "args": )" + span + "}]";
  for (const std::string& text :
       {in_arguments, "{\"traceEvents\": " + in_arguments + ", \"otherData\": [" + span + "]}",
        "{\"otherData\": {\"x\": " + span + "}, \"traceEvents\": " + in_arguments + "}"}) {
    const Json t = read(text);
    EXPECT_EQ(t["all"], 1) << text;
    EXPECT_EQ(t["names"], Json::parse(R"(["b"])")) << text;
  }
  EXPECT_THROW(read("{\"otherData\": [" + span + "]}"), InputError);
}

TEST_F(TimelineReader, the_longest_stay) {
  Limits limits;
  limits.spans = 4;
  const Json t = read(kTrace, limits, 0.5);
  EXPECT_EQ(t["all"], 3);
  EXPECT_EQ(t["shown"], 2);
  EXPECT_EQ(t["spans"]["length"], Json::parse("[500.0, 4000.0]"));
}

TEST_F(TimelineReader, absent_or_broken) {
  RunFacts facts;
  facts.folder = dir_.path();
  EXPECT_TRUE(read_timeline(facts, {}, 1).is_null());
  EXPECT_THROW(read("{\"traceEvents\": [{\"ph\": \"X\", \"name\": \"x\"}]}"), InputError);
  EXPECT_THROW(read("[1, 2"), InputError);
}

}  // namespace
}  // namespace weft::report
