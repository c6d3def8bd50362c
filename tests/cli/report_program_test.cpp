// SPDX-License-Identifier: Apache-2.0
// `weft report` as a child process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/cli/program_case.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::write_text;

constexpr const char* kConfig = R"(name: small
fabric: {kind: mesh, size: [3, 2]}
workload:
  traffic: {pattern: uniform, rate: 0.1, packet_flits: 5, warmup_cycles: 200, measure_cycles: 2000, drain_cycles: 5000}
)";

class ReportProgram : public ProgramCase {
 protected:
  ReportProgram() { write_text(dir_ / "c.yaml", kConfig); }
  /// The data within a page.
  nlohmann::json data(const std::string& page) {
    const std::string text = read_text(dir_ / page);
    const std::string open = "<script id=\"weft-data\" type=\"application/json\">";
    const std::size_t from = text.find(open) + open.size();
    return nlohmann::json::parse(text.substr(from, text.find("</script>", from) - from));
  }
};

TEST_F(ReportProgram, runs_and_a_sweep_in_one_page) {
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "a", "--quiet"}).status, kExitOk);
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "b", "--quiet", "--set", "fabric.kind=torus"}).status, kExitOk);
  ASSERT_EQ(weft({"sweep", "c.yaml", "--out", "s", "--quiet", "--set", "workload.traffic.rate=[0.1, 0.2]"}).status,
            kExitOk);
  const ChildResult r = weft({"report", "a", "s", "b", "--out", "page.html"});
  EXPECT_EQ(r.status, kExitOk) << r.err;
  EXPECT_EQ(r.out, "report in page.html\n");
  const auto d = data("page.html");
  ASSERT_EQ(d["runs"].size(), 2U);
  EXPECT_EQ(d["runs"][1]["fabric"], "torus");
  // A mesh of 3 x 2 has 4 + 3 links in each direction, and two per NPU; the torus 6 east, west, north and south.
  EXPECT_EQ(d["runs"][0]["wafer"]["links"]["from"].size(), 2U * 7 + 12);
  EXPECT_EQ(d["runs"][1]["wafer"]["links"]["from"].size(), 24U + 12);
  const auto summary = nlohmann::json::parse(read_text(dir_ / "a/summary.json"));
  for (const char* key : {"cycles", "time_ns", "packets", "latency_cycles", "accepted", "cpu_s"}) {
    EXPECT_EQ(d["runs"][0]["summary"][key], summary[key]) << key;
  }
  EXPECT_EQ(d["sweeps"][0]["rows"].size(), 2U);
}

TEST_F(ReportProgram, lies_in_the_last_folder) {
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "a", "--quiet"}).status, kExitOk);
  EXPECT_EQ(weft({"report", "a"}).out, "report in a/report.html\n");
  EXPECT_EQ(data("a/report.html")["runs"].size(), 1U);
}

TEST_F(ReportProgram, says_what_it_cannot_read) {
  ChildResult r = weft({"report", "nowhere"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("nowhere: there is none"));
  EXPECT_EQ(weft({"report"}).status, kExitBadInput);
  ASSERT_EQ(weft({"run", "c.yaml", "--out", "a", "--quiet"}).status, kExitOk);
  r = weft({"report", "a", "--out", "no/such/page.html"});
  EXPECT_EQ(r.status, kExitBadInput);
  EXPECT_THAT(r.err, HasSubstr("there is no folder no/such"));
}

}  // namespace
}  // namespace weft::cli
