// SPDX-License-Identifier: Apache-2.0
// Results folders as the program writes them, read back into the page's data.
#include "report/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/load.h"
#include "tests/report/report_case.h"

namespace weft::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using weft::test::read_text;
using weft::test::TempDir;
using weft::test::write_text;

TEST_F(Report, reads_what_a_run_wrote) {
  const Json r = run();
  EXPECT_EQ(r["name"], "sample");
  EXPECT_EQ(r["fabric"], "mesh");
  EXPECT_EQ(r["workload"], "collective");
  EXPECT_EQ(r["clock"], "500 MHz");
  EXPECT_EQ(r["config"], kSampleConfig);
  EXPECT_EQ(r["summary"]["cycles"], 1000);
  EXPECT_EQ(r["summary"]["time_ns"], 2000.0);
  EXPECT_EQ(r["ranks"]["finish_ns"], Json::parse("[2000.0, 1600.0]"));
  EXPECT_EQ(r["ranks"]["exposed_comm_ns"], Json::parse("[800.0, 0.0]"));
  EXPECT_TRUE(r["timeline"].is_null());
}

TEST_F(Report, links_lie_between_their_boxes) {
  const Json w = run()["wafer"];
  const Json& names = w["boxes"]["name"];
  ASSERT_EQ(w["links"]["from"].size(), 2U);
  EXPECT_EQ(names[w["links"]["from"][0].get<std::size_t>()], "router[0,0]");
  EXPECT_EQ(names[w["links"]["to"][0].get<std::size_t>()], "router[1,0]");
  EXPECT_EQ(w["labels"], Json::parse(R"(["fabric.@.east", "fabric.@.west"])"));
  EXPECT_EQ(w["links"]["flits"], Json::parse("[8, 4]"));
  EXPECT_EQ(w["links"]["utilisation"], Json::parse("[0.008, 0.004]"));
  EXPECT_EQ(w["links"]["values"][0], Json::parse("[3, 0]"));
  EXPECT_EQ(w["links"]["values"][1], Json::parse("[2, 0]"));
  EXPECT_EQ(w["links"]["values"][2], Json::parse("[1, 0]"));
  // 1 wafer, 2 NPUs, 2 routers, and 3 controllers: left of (0, 0), right of (1, 0), below (0, 0).
  EXPECT_EQ(names.size(), 8U);
  EXPECT_EQ(w["drawing"]["directions"], "y grows upwards.");
  EXPECT_EQ(w["drawing"]["grid"], true);
  EXPECT_EQ(w["drawing"]["dense"], false);
  EXPECT_TRUE(w["windows"].is_null());
}

TEST_F(Report, links_have_no_figures_where_statistics_were_off) {
  edit("config.resolved.yaml", "kind: mesh", "kind: mesh\n  statistics: false");
  const Json r = run();
  EXPECT_EQ(r["statistics"], false);
  EXPECT_THAT(r["wafer"]["missing"].get<std::string>(), HasSubstr("fabric.statistics is false"));
  EXPECT_FALSE(r["wafer"].contains("busiest"));
  edit("config.resolved.yaml", "statistics: false", "statistics: true");
  EXPECT_FALSE(run()["wafer"].contains("missing"));
}

TEST_F(Report, files_of_the_work_are_the_places_that_they_lie_at) {
  const std::string files = (dir_ / "traces").string();
  std::filesystem::create_directories(files + "/deep");
  edit("config.resolved.yaml", "collective:\n    kind: all_reduce",
       fmt::format("trace:\n    chakra: {}/deep/../demo\n    groups: {}/gone/groups.json", files, files));
  const Json r = run();
  const std::string real = std::filesystem::canonical(files).string();
  EXPECT_EQ(r["places"]["workload.trace.chakra"], real + "/demo");
  EXPECT_TRUE(r["places"]["workload.trace.groups"].is_null()) << "its folder is gone";
  EXPECT_EQ(r["work"]["workload.trace.chakra"], files + "/deep/../demo");
  EXPECT_EQ(r["place"], std::filesystem::canonical(dir_ / "run").string());
}

// Link 0: 8 flits in 1000 cycles are 0.8 % of its capacity, which is then 1 flit per cycle. 6 of them in the first 10
// cycles: 60 % = 153 of 255; 2 in the other 990: 0.2 % = 0.5 of 255, rounds to 1. Link 1: 4 of 990 make 1.03, rounds
// to 1.
TEST_F(Report, windows_are_shares_of_the_capacity) {
  write_text(dir_ / "run/link_windows.csv",
             "link,10,1000\n\"fabric.router[0,0].east\",6,2\n\"fabric.router[1,0].west\",0,4\n");
  const Json w = run()["wafer"]["windows"];
  EXPECT_EQ(w["ends"], Json::parse("[10, 1000]"));
  EXPECT_EQ(w["data"], "mQEAAQ==");  // 153, 1, 0, 1
  Limits small;
  small.window_bytes = 2;
  const Json one = run("run", small)["wafer"]["windows"];
  EXPECT_EQ(one["ends"], Json::parse("[1000]"));
  EXPECT_EQ(one["written"], 2);
  EXPECT_EQ(one["data"], "AgE=");  // 0.8 % = 2.04, 0.4 % = 1.02
  write_text(dir_ / "run/link_windows.csv", "link,10\nx,6\n");
  EXPECT_THAT(error_of("run"), HasSubstr("link_windows.csv: 1 links, links.csv has 2"));
}

// Latencies 10, 12, 12, 30 and, in the network, 9, 9, 9, 20: bins of 10 cycles for at most 4 of them.
TEST_F(Report, latencies_in_bins) {
  Limits limits;
  limits.latency_bins = 4;
  const Json l = run("run", limits)["latency"];
  EXPECT_EQ(l["bin_cycles"], 10);
  EXPECT_EQ(l["packets"], Json::parse("[0, 3, 0, 1]"));
  EXPECT_EQ(l["network"], Json::parse("[3, 0, 1, 0]"));
  EXPECT_EQ(l["steps"], Json::parse("[[10, 1], [12, 3], [30, 4]]")) << "exact whatever the bins";
  const Json fine = run()["latency"];
  EXPECT_EQ(fine["bin_cycles"], 1);
  EXPECT_EQ(fine["packets"][12], 2);
}

// 1,000 latencies: every fifth packet is a step, since 240 steps are allowed and the first and the last are two of
// them.
TEST_F(Report, many_latencies_as_equal_shares_of_the_packets) {
  std::string table = "latency_cycles,packets,network_packets\n";
  for (int i = 1; i <= 999; ++i) table += fmt::format("{},1,1\n", i);
  write_text(dir_ / "run/latency.csv", table + "50000,1,1\n");
  const Json steps = run()["latency"]["steps"];
  ASSERT_LE(steps.size(), 240U);
  EXPECT_EQ(steps[0], Json::parse("[1, 1]"));
  EXPECT_EQ(steps[1], Json::parse("[6, 6]"));
  EXPECT_EQ(steps.back(), Json::parse("[50000, 1000]")) << "the greatest stays";
  for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_LE(steps[i][1].get<int>() - steps[i - 1][1].get<int>(), 5);
}

TEST_F(Report, ranks_that_have_not_finished) {
  sc_models::RunResult result = sc_models::test::sample_result();
  result.ranks[0].finished = false;
  write_run("cut", result);
  EXPECT_EQ(run("cut")["ranks"]["finish_ns"], Json::parse("[null, 1600.0]"));
  Limits limits;
  limits.ranks = 1;
  EXPECT_EQ(run("cut", limits)["ranks"]["rank"], Json::parse("[0]")) << "counts as the last";
}

// The run takes 2000 ns. Two channels of 4 GB/s of an NPU carry 16,000 B at most, a line of 3 GB/s 6,000 B.
TEST_F(Report, memories_and_their_shares) {
  EXPECT_EQ(run()["memory"], Json::array());
  edit("summary.json", "\"memory\": null",
       "\"memory\": {\"dram_channels\": {\"gbps\": 4.0}, \"pool_modules\": {\"gbps\": 2.0}}");
  edit("summary.json", "\"io_memory\": null", "\"io_memory\": {\"line_gbps\": 3.0}");
  const std::string head = "memory,channel,bytes,queue_mean\n";
  write_text(dir_ / "run/memory.csv", head + "npu[0],0,1000,4\nnpu[0],1,3000,2\n");
  Json memory = run()["memory"];
  ASSERT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory[0]["key"], "dram-channels") << "of the only NPU";
  EXPECT_EQ(memory[0]["name"], Json::parse(R"(["channel 0", "channel 1"])"));
  EXPECT_EQ(memory[0]["share"], Json::parse("[0.125, 0.375]"));
  write_text(
      dir_ / "run/memory.csv",
      head + "npu[0],0,1000,4\nnpu[0],1,3000,2\nnpu[1],0,0,0\nnpu[1],1,8000,1\npool.io,0,5,0\npool.module,0,1000,9\n");
  write_text(dir_ / "run/io_controllers.csv", "controller,place,bytes_in,bytes_out\n0,npu[0] left,1500,600\n");
  write_text(dir_ / "run/io.csv", "stream,place,bytes\n0,npu[0] left,777\n");
  memory = run()["memory"];
  ASSERT_EQ(memory.size(), 5U);
  EXPECT_EQ(memory[0]["key"], "dram");
  EXPECT_EQ(memory[0]["bytes"], Json::parse("[4000.0, 8000.0]"));
  EXPECT_EQ(memory[0]["share"], Json::parse("[0.25, 0.5]"));
  EXPECT_EQ(memory[0]["queue"], Json::parse("[3.0, 0.5]")) << "of a channel";
  EXPECT_EQ(memory[1]["key"], "modules");
  EXPECT_EQ(memory[1]["share"], Json::parse("[0.25]"));
  EXPECT_EQ(memory[2]["share"], Json::parse("[0.25]")) << "into the wafer";
  EXPECT_EQ(memory[3]["share"], Json::parse("[0.1]")) << "out of it";
  EXPECT_EQ(memory[4]["key"], "streams");
  EXPECT_EQ(memory[4]["share"], Json::parse("[null]")) << "nobody says what a line carries";
}

TEST_F(Report, work_without_how_it_is_done) {
  const Json same =
      Json::parse(R"({"nodes": "2", "workload": "collective", "workload.collective.kind": "all_reduce"})");
  EXPECT_EQ(run()["work"], same);
  std::string config = read_text(dir_ / "run/config.resolved.yaml");
  write_text(dir_ / "run/config.resolved.yaml",
             config + "    algorithm: ring\n    chunks: 4\n    chunk_bytes: 4 KiB\n    data: timing\n");
  EXPECT_EQ(run()["work"], same) << "algorithms are what is compared";
  write_text(dir_ / "run/config.resolved.yaml", config + "    size: 8 MiB\n    group: [0, 1]\n");
  EXPECT_EQ(run()["work"]["workload.collective.size"], "8 MiB");
  EXPECT_EQ(run()["work"]["workload.collective.group"], "[0, 1]");
}

TEST_F(Report, points_of_sweeps_are_called_by_what_was_set) {
  write_text(dir_ / "run/point.json",
             R"({"status": 0, "set": {"fabric.link.bandwidth": "1 TB/s", "a.b.size": "1 KiB", "c.b.size": "[2]"}})");
  EXPECT_EQ(run()["name"], "sample: bandwidth = 1 TB/s, a.b.size = 1 KiB, c.b.size = [2]");
  write_text(dir_ / "run/point.json", R"({"status": 0, "set": {}})");
  EXPECT_EQ(run()["name"], "sample");
}

// all_reduce of 4096 B over 2 ranks in 256 cycles of 2 ns: 8 GB/s, times 2 (2 - 1) / 2. all_gather of 1000 B from each
// of 4 ranks in 200 ns: 20 GB/s, times 3 / 4. The barrier has not finished and has no bandwidth.
TEST_F(Report, collectives_by_kind_and_size) {
  const Json c = run()["collectives"];
  EXPECT_EQ(c["all"], 3);
  ASSERT_EQ(c["classes"].size(), 2U);
  EXPECT_EQ(c["classes"][0]["kind"], "all_gather");
  EXPECT_EQ(c["classes"][0]["algbw"], 20.0);
  EXPECT_EQ(c["classes"][0]["busbw"], 15.0);
  EXPECT_EQ(c["classes"][1]["bytes"], 4096);
  EXPECT_EQ(c["classes"][1]["busbw"], 8.0);
  EXPECT_EQ(c["spans"][1][0], "gather \"x\"");
  EXPECT_EQ(c["spans"][0][5], 200.0);
  EXPECT_EQ(c["spans"][2][8], false);
  Limits limits;
  limits.spans = 4;
  const Json thin = run("run", limits)["collectives"];
  EXPECT_EQ(thin["shown"], 1);
  EXPECT_EQ(thin["spans"][0][0], "all_reduce_0") << "the longest";
}

TEST_F(Report, equal_collectives_make_one_class) {
  sc_models::RunResult result = sc_models::test::sample_result();
  const sc_models::CollectiveRecord first = result.collectives[0];  // 512 ns
  result.collectives = {first, first, first};
  result.collectives[1].end_cycle = first.start_cycle + 128;
  result.collectives[2].end_cycle = first.start_cycle + 64;
  write_run("three", result);
  const Json c = run("three")["collectives"]["classes"];
  ASSERT_EQ(c.size(), 1U);
  EXPECT_EQ(c[0]["count"], 3);
  // 512, 256 and 128 ns: 4096 B in 298.67 ns, the mean, are 13.7 GB/s; of two ranks busbw is the same.
  EXPECT_NEAR(c[0]["ns"].get<double>(), 896 / 3.0, 1e-9);
  EXPECT_NEAR(c[0]["algbw"].get<double>(), 4096 * 3 / 896.0, 1e-9);
  EXPECT_NEAR(c[0]["busbw"].get<double>(), 4096 * 3 / 896.0, 1e-9);
  EXPECT_EQ(c[0]["busbw_min"], 8.0);
  EXPECT_EQ(c[0]["busbw_max"], 32.0);
}

TEST_F(Report, the_page_holds_its_data_and_nothing_breaks_out) {
  sc_models::RunResult result = sc_models::test::sample_result();
  result.collectives[0].name = "</script><script>alert(1)</script>";
  write_run("evil", result);
  const Json data = read_data({dir_ / "evil", dir_ / "run"});
  const std::string page = page_with(data);
  EXPECT_THAT(page, testing::StartsWith("<!doctype html>"));
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_THAT(page, HasSubstr("<title>Weft: sample, sample</title>"));
  const std::string open = "<script id=\"weft-data\" type=\"application/json\">";
  const std::size_t from = page.find(open) + open.size();
  const std::string json = page.substr(from, page.find("</script>", from) - from);
  EXPECT_EQ(Json::parse(json), data);
  EXPECT_EQ(json.find('<'), std::string::npos);
  // Nothing is fetched: no address in an attribute, a style or a script but those of name spaces.
  for (const char* word : {"src=", "@import", "fetch(", "https://", "<link rel=\"stylesheet"}) {
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  }
}

// "<!--" and "<script" behind it would make the rest of the page part of the data.
TEST_F(Report, names_that_begin_comments_and_scripts_or_are_marks_of_the_page) {
  sc_models::RunResult result = sc_models::test::sample_result();
  result.collectives[0].name = "a<!--<script>";
  result.collectives[1].name = "{{title}}";
  write_run("odd", result);
  Json data = read_data({dir_ / "odd"});
  data["runs"][0]["name"] = "{{data}}";
  const std::string page = page_with(data);
  EXPECT_THAT(page, HasSubstr("<title>Weft: {{data}}</title>"));
  EXPECT_EQ(page.find("a<!--"), std::string::npos);
  EXPECT_THAT(page, HasSubstr(R"(a\u003c!--\u003cscript>)"));
  EXPECT_THAT(page, HasSubstr("{{title}}"));
}

TEST_F(Report, writes_the_page) {
  write_report({dir_ / "run"}, dir_ / "run/report.html");
  EXPECT_EQ(read_text(dir_ / "run/report.html"), page_with(read_data({dir_ / "run"})));
}

// Five times half of 5,000 collectives are 156.
TEST_F(Report, a_page_that_is_too_big_shows_less) {
  sc_models::RunResult result = sc_models::test::sample_result();
  result.collectives.resize(1000, result.collectives[0]);
  write_run("many", result);
  const std::string whole = page_about({dir_ / "many"});
  EXPECT_EQ(whole, page_with(read_data({dir_ / "many"})));
  EXPECT_THAT(whole, HasSubstr("\"all\":1000,\"shown\":1000"));
  EXPECT_EQ(page_about({dir_ / "many"}, whole.size()), whole);
  EXPECT_THAT(page_about({dir_ / "many"}, 1), HasSubstr("\"all\":1000,\"shown\":156"));
  Limits limits;
  for (int i = 0; i < 3; ++i) limits = tighter(limits);
  EXPECT_EQ(limits.window_bytes, 125'000U);
  EXPECT_EQ(limits.spans, 2'500U);
  EXPECT_EQ(limits.links, 10'000U);
}

// Two links within one block: 0.8 % and 0.4 % of their capacity used, 8 and 4 flits. In the first 10 of 1000 cycles 6
// and 0 of them: 60 % and nothing, which is 30 % = 76.5 of 255 on average, rounds to 77; then 0.2 % and 0.4 %.
TEST_F(Report, a_fabric_with_more_links_than_are_drawn) {
  write_text(dir_ / "run/link_windows.csv",
             "link,10,1000\n\"fabric.router[0,0].east\",6,2\n\"fabric.router[1,0].west\",0,4\n");
  Limits limits;
  limits.links = 1;
  const Json w = run("run", limits)["wafer"];
  EXPECT_EQ(w["binned"], "each tile stands for 2 x 2 routers and their NPUs");
  EXPECT_EQ(w["all"], 2);
  EXPECT_EQ(w["links"]["links"], Json::parse("[2]"));
  EXPECT_EQ(w["links"]["flits"], Json::parse("[12]"));
  EXPECT_EQ(w["links"]["values"][0], Json::parse("[3]"));
  EXPECT_EQ(w["links"]["values"][1], Json::parse("[2]"));
  EXPECT_EQ(w["links"]["utilisation"], Json::parse("[0.006]"));
  EXPECT_EQ(w["windows"]["data"], "TQE=");  // 77, 1
  EXPECT_EQ(w["busiest"], Json::parse(R"({"name": "fabric.router[0,0].east", "use": 0.008})")) << "of all links";
  EXPECT_EQ(w["mean_use"], 0.006);
  limits.links = 0;
  const Json none = run("run", limits)["wafer"];
  EXPECT_THAT(none["missing"].get<std::string>(), HasSubstr("2 links are too many for a picture of 0 lines"));
  EXPECT_EQ(none["busiest"]["use"], 0.008);
  EXPECT_FALSE(run()["wafer"].contains("binned"));
}

}  // namespace
}  // namespace weft::report
