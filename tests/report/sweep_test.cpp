// SPDX-License-Identifier: Apache-2.0
// A sweep's folder as data of the page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/error.h"
#include "report/report.h"
#include "tests/support/run_child.h"
#include "tests/wafer/sample_result.h"
#include "wafer/results_folder.h"

namespace weft::report {
namespace {

using weft::test::TempDir;
using weft::test::write_text;

class Sweep : public testing::Test {
 protected:
  Sweep() {
    std::filesystem::create_directories(dir_ / "s/points/a");
    const wafer::ResultsFolder point(dir_ / "s/points/a", "name: x\n");
    point.write(wafer::test::sample_config(), wafer::test::sample_result(), false);
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
