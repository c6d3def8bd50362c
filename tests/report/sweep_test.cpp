// SPDX-License-Identifier: Apache-2.0
// A sweep's folder as data of the page.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "report/report.h"
#include "report/sweep_points.h"
#include "runs/results_folder.h"
#include "tests/sc_models/sample_result.h"
#include "tests/support/run_child.h"

namespace weft::report {
namespace {

using weft::test::TempDir;
using weft::test::write_text;

class Sweep : public testing::Test {
 protected:
  Sweep() {
    std::filesystem::create_directories(dir_ / "s/points/a");
    const runs::ResultsFolder point(dir_ / "s/points/a", "name: x\n");
    point.write(sc_models::test::sample_config(), sc_models::test::sample_result(), false);
    write_text(dir_ / "s/sweep.csv",
               "point,fabric.size,npu.packet_bytes,runs,status,error,saturated,cycles,latency_cycles.mean,results\n"
               "0,\"[4, 4]\",4 KiB,1,0,,false,1000,16.5,points/a\n"
               "1,\"[8, 8]\",0.5 KiB,0,3,7,true,,,points/b\n");
  }
  Json sweep() { return read_data({dir_ / "s"})["sweeps"][0]; }
  TempDir dir_;
};

TEST_F(Sweep, rows_with_parameters_and_figures) {
  const Json s = sweep();
  EXPECT_EQ(s["axes"], Json::parse(R"(["fabric.size", "npu.packet_bytes"])"));
  ASSERT_EQ(s["rows"].size(), 2U);
  const Json& row = s["rows"][0];
  EXPECT_EQ(row["fabric.size"], Json::parse(R"({"text": "[4, 4]", "value": null})"));
  EXPECT_EQ(row["npu.packet_bytes"], Json::parse(R"({"text": "4 KiB", "value": 4096.0})"));
  EXPECT_EQ(s["rows"][1]["npu.packet_bytes"]["value"], 512.0);
  EXPECT_EQ(row["latency_cycles.mean"], 16.5);
  EXPECT_EQ(row["saturated"], false);
  EXPECT_TRUE(s["rows"][1]["cycles"].is_null());
  EXPECT_EQ(s["rows"][1]["error"], "7") << "an error is a text";
  EXPECT_EQ(row["collectives"].size(), 2U);
  EXPECT_TRUE(s["rows"][1]["collectives"].empty()) << "its run left nothing";
  EXPECT_TRUE(s["saturation"].is_null());
  EXPECT_EQ(s["all"], 2);
  EXPECT_EQ(s["failed"], 1);
  EXPECT_EQ(s["units"], Json::parse(R"({"npu.packet_bytes": "B"})"));
}

TEST(SweepPoints, amounts_in_base_units) {
  EXPECT_EQ(amount_of("0.25")->value, 0.25);
  EXPECT_STREQ(amount_of("0.25")->unit, "");
  EXPECT_EQ(amount_of("1.5 TB/s")->value, 1.5e12);
  EXPECT_STREQ(amount_of("1.5 TB/s")->unit, "B/s");
  EXPECT_EQ(amount_of("20 ns")->value, 20e-9);
  EXPECT_STREQ(amount_of("1 GHz")->unit, "Hz");
  EXPECT_FALSE(amount_of("[4, 4]"));
}

/// 50 rates by 100 buffer sizes. Latency grows with the rate and falls with the buffer; a curve saturates above
/// 0.30 + buffer / 1000. One point in the middle is the fastest of all, and fails nowhere else.
class LargeSweep : public testing::Test {
 protected:
  LargeSweep() {
    std::filesystem::create_directories(dir_ / "s");
    std::string text =
        "point,router.vc_depth,workload.traffic.rate,runs,status,error,saturated,cycles,time_ns,latency_cycles.mean,"
        "results\n";
    std::string table =
        "point,router.vc_depth,status,error,zero_load_latency_cycles,saturation_rate,first_rate_above,runs\n";
    std::size_t point = 0;
    for (int depth = 1; depth <= 100; ++depth) {
      for (int rate = 1; rate <= 50; ++rate) {
        const bool saturated = rate > knee_of(depth);
        const int ns = depth == 38 && rate == 22 ? 1 : 1000 + rate;
        const int status = depth == 3 && rate == 3 ? 3 : 0;
        text += fmt::format("{},{},{},1,{},{},{},{},{},{},points/{}\n", point++, depth, rate / 100.0, status,
                            std::string(status == 0 ? 0 : 1000, 'e'), saturated, ns, ns,
                            saturated ? "" : std::to_string(20 + rate), point);
      }
      table += fmt::format("{},{},0,,15.5,{},{},9\n", depth - 1, depth, knee_of(depth) / 100.0,
                           (knee_of(depth) + 1) / 100.0);
    }
    write_text(dir_ / "s/sweep.csv", text);
    write_text(dir_ / "s/saturation.csv", table);
  }
  static int knee_of(int depth) { return 30 + depth / 10; }
  static double value(const Json& row, const char* axis) { return row[axis]["value"].get<double>(); }
  TempDir dir_;
};

// 100 buffer sizes become 51 and then 26 (1, 5, 9 ... 97, 100), which makes 1,300 points of 5,000.
TEST_F(LargeSweep, is_thinned_to_a_coarser_grid) {
  const Json s = read_data({dir_ / "s"})["sweeps"][0];
  EXPECT_EQ(s["all"], 5000);
  EXPECT_EQ(s["failed"], 1);
  EXPECT_EQ(s["rows"].size(), 1302U) << "and the fastest point, and the one that failed";
  std::map<double, std::set<double>> rates;
  for (const Json& row : s["rows"]) rates[value(row, "router.vc_depth")].insert(value(row, "workload.traffic.rate"));
  ASSERT_EQ(rates.size(), 28U);
  EXPECT_EQ(rates[3], (std::set<double>{0.03})) << "failed";
  EXPECT_EQ(rates[38], (std::set<double>{0.22})) << "the fastest";
  for (const auto& [depth, seen] : rates) EXPECT_TRUE(depth == 38 || depth == 3 || seen.size() == 50U) << depth;
  for (const double end : {1.0, 5.0, 97.0, 100.0}) EXPECT_EQ(rates.count(end), 1U) << end;
}

TEST_F(LargeSweep, keeps_extremes_and_saturation) {
  Limits limits;
  limits.points = 40;
  const Json s = read_data({dir_ / "s"}, limits)["sweeps"][0];
  EXPECT_LT(s["rows"].size(), 80U);
  bool fastest = false;
  std::map<double, std::map<double, bool>> curves;
  for (const Json& row : s["rows"]) {
    fastest = fastest || row["time_ns"] == 1;
    if (row["time_ns"] != 1 && row["status"] == 0)
      curves[value(row, "router.vc_depth")][value(row, "workload.traffic.rate")] = row["saturated"];
  }
  EXPECT_TRUE(fastest);
  ASSERT_GE(curves.size(), 3U);
  for (const auto& [depth, points] : curves) {
    const int knee = knee_of(static_cast<int>(depth));
    ASSERT_EQ(points.count(knee / 100.0), 1U) << depth;
    EXPECT_FALSE(points.at(knee / 100.0));
    ASSERT_EQ(points.count((knee + 1) / 100.0), 1U) << depth;
    EXPECT_TRUE(points.at((knee + 1) / 100.0));
  }
  EXPECT_LT(s["saturation"].size(), 20U);
  EXPECT_EQ(s["all_saturation"], 100);
  EXPECT_EQ(s["saturation"].back()["saturation_rate"], 0.4) << "the greatest stays";
}

TEST_F(LargeSweep, the_page_stays_below_3_MB) {
  const std::string page = page_about({dir_ / "s"});
  EXPECT_LT(page.size(), 3'000'000U);
  EXPECT_LT(page_about({dir_ / "s"}, 350'000).size(), 350'000U) << "thinner still";
  EXPECT_EQ(page.find(std::string(500, 'e')), std::string::npos) << "long errors are cut";
}

// Parameters that change together make no grid: every second row, and the last.
TEST_F(LargeSweep, points_without_a_grid) {
  std::string text = "point,a,b,runs,status,error,cycles,results\n";
  for (int i = 0; i < 9; ++i) text += fmt::format("{},{},{},1,0,,5,points/{}\n", i, i % 2, i / 5, i);
  write_text(dir_ / "s/sweep.csv", text);
  Limits limits;
  limits.points = 5;
  const Json rows = read_data({dir_ / "s"}, limits)["sweeps"][0]["rows"];
  std::vector<int> points;
  for (const Json& row : rows) points.push_back(row["point"].get<int>());
  EXPECT_EQ(points, (std::vector<int>{0, 2, 4, 6, 8}));
}

TEST_F(Sweep, folders_come_in_the_order_of_the_command_line) {
  const runs::ResultsFolder run(dir_ / "r", "fabric: {kind: mesh, size: [2, 1]}\nworkload: {collective: {}}\n");
  run.write(sc_models::test::sample_config(), sc_models::test::sample_result(), false);
  const Json data = read_data({dir_ / "s", dir_ / "r"});
  EXPECT_EQ(data["sweeps"][0]["order"], 0);
  EXPECT_EQ(data["runs"][0]["order"], 1);
  EXPECT_THAT(page_with(data), testing::HasSubstr("<title>Weft: s, sample</title>"));
}

TEST_F(Sweep, saturation_table) {
  write_text(dir_ / "s/saturation.csv",
             "point,fabric.size,status,error,zero_load_latency_cycles,saturation_rate,first_rate_above,runs\n"
             "0,\"[4, 4]\",0,,15.5,0.74,0.75,9\n");
  const Json table = sweep()["saturation"];
  ASSERT_EQ(table.size(), 1U);
  EXPECT_EQ(table[0]["fabric.size"]["text"], "[4, 4]");
  EXPECT_EQ(table[0]["saturation_rate"], 0.74);
}

TEST_F(Sweep, a_point_of_another_version) {
  write_text(dir_ / "s/points/a/summary.json", "{\"version\": \"0.0.1\"}");
  EXPECT_THROW(sweep(), InputError);
}

}  // namespace
}  // namespace weft::report
