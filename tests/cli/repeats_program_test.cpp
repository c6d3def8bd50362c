// SPDX-License-Identifier: Apache-2.0
// `weft repeats` as a user runs it.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/cli/program_case.h"
#include "tests/support/source.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class RepeatsProgram : public ProgramCase {
 protected:
  test::ChildResult repeats(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "repeats");
    return weft(arguments);
  }
};

// A packet of fred-d has 4102 bytes, 4096 and a header of 6, on links of 512 bytes per cycle: 256 of them take 2051
// cycles, and no fewer take a whole number.
TEST_F(RepeatsProgram, finds_the_period_of_packets_that_take_no_whole_number_of_cycles) {
  const test::ChildResult run = repeats({test::source("configs/fred-d.yaml")});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("fred-d: finished"));
  EXPECT_THAT(run.out, HasSubstr("\nwhole "));
  EXPECT_THAT(run.out, HasSubstr(" 2051 x "));
}

TEST_F(RepeatsProgram, rows_come_one_by_one_and_then_what_is_between_them) {
  const test::ChildResult run = repeats({kWse, "--set", "fabric.size=[8,2]", "--by", "row", "--window", "32", "--set",
                                         "workload.collective.kind=reduce"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\nrow 0 "));
  EXPECT_THAT(run.out, HasSubstr("\nrow 1 "));
  EXPECT_THAT(run.out, HasSubstr("\nbetween "));  // column 0, which reduces what the rows have reduced
  EXPECT_THAT(run.out, HasSubstr("\nall parts "));
}

TEST_F(RepeatsProgram, a_limit_ends_it_with_what_there_is_and_its_status) {
  const test::ChildResult run = repeats({test::source("configs/fred-d.yaml"), "--set", "limits.cycles=9000"});
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_THAT(run.out, HasSubstr("9000 cycles"));
  EXPECT_THAT(run.out, HasSubstr("\nwhole "));
}

TEST_F(RepeatsProgram, refuses_what_it_does_not_know) {
  const test::ChildResult division = repeats({kWse, "--by", "colum"});
  EXPECT_EQ(division.status, 2);
  EXPECT_THAT(division.err, HasSubstr("--by colum: legal are whole, row, column, plane; did you mean 'column'?"));
  const test::ChildResult plane = repeats({kWse, "--by", "plane"});
  EXPECT_EQ(plane.status, 2);
  EXPECT_THAT(plane.err, HasSubstr("--by plane: a fabric of this kind has no planes; legal: whole"));
  const test::ChildResult rtl = repeats({test::source("configs/fred-d-rtl.yaml")});
  EXPECT_EQ(rtl.status, 2);
  EXPECT_THAT(rtl.err, HasSubstr("runs no switches of model 'rtl'; legal: tlm"));
  const test::ChildResult window = repeats({kWse, "--window", "0"});
  EXPECT_EQ(window.status, 2);
  EXPECT_THAT(window.err, HasSubstr("--window"));
}

}  // namespace
}  // namespace weft::cli
