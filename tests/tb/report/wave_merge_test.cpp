// SPDX-License-Identifier: Apache-2.0
#include "tb/report/wave_merge.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace weft::tb {
namespace {

/// Values of both at one time stand below one time mark; what the model says before the first mark comes with it.
TEST(MergeWaves, puts_rtl_and_model_on_one_time_axis) {
  const test::TempDir folder;
  test::write_text(folder / "rtl.vcd",
                   "$timescale 1ps $end\n$scope module TOP $end\n$var wire 1 # clk $end\n$upscope $end\n"
                   "$enddefinitions $end\n\n#1000\n1#\n#1500\n0#\n#2000\n1#\n");
  merge_waves(folder / "rtl.vcd", {{"ready_o", 1}, {"data_o[1]", 4}},
              {{1000, 0, "1"}, {1000, 1, "xxxx"}, {2000, 1, "1010"}}, folder / "out.vcd");
  EXPECT_EQ(test::read_text(folder / "out.vcd"),
            "$timescale 1ps $end\n$scope module TOP $end\n$var wire 1 # clk $end\n$upscope $end\n"
            "$scope module model $end\n$var wire 1 ~~~~~0 ready_o $end\n$var wire 4 ~~~~~1 data_o_1 [3:0] $end\n"
            "$upscope $end\n$enddefinitions $end\n\n#1000\n1#\n1~~~~~0\nbxxxx ~~~~~1\n#1500\n0#\n#2000\n1#\n"
            "b1010 ~~~~~1\n");
}

TEST(MergeWaves, throws_where_there_is_no_file_bad) {
  const test::TempDir folder;
  EXPECT_THROW(merge_waves(folder / "none.vcd", {}, {}, folder / "out.vcd"), std::runtime_error);
}

}  // namespace
}  // namespace weft::tb
