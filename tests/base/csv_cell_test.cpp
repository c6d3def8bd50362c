// SPDX-License-Identifier: Apache-2.0
// Cells of tables: quotes as in RFC 4180, and nothing that a spreadsheet computes.
#include "base/csv_cell.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(CsvCell, plain_text_and_numbers_stay) {
  for (const char* text : {"", "a", "npu0->npu1", "a=b", "it's", "'quoted'", "-1.5", "+3", "-0", "1e-9", "-2.5e+10"}) {
    EXPECT_EQ(csv_cell(text), text);
    EXPECT_EQ(csv_value(text), text);
  }
}

TEST(CsvCell, text_that_would_be_a_formula_gets_an_apostrophe) {
  EXPECT_EQ(csv_cell("=1+2"), "'=1+2");
  EXPECT_EQ(csv_cell("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_cell("+a"), "'+a");
  EXPECT_EQ(csv_cell("-a"), "'-a");
  EXPECT_EQ(csv_cell("-"), "'-");
  EXPECT_EQ(csv_cell("-1+2"), "'-1+2");
  EXPECT_EQ(csv_cell("\t=1"), "'\t=1");
  EXPECT_EQ(csv_cell("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
}

TEST(CsvCell, quotes_stand_where_they_must) {
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_cell("a\nb"), "\"a\nb\"");
}

TEST(CsvCell, readers_get_back_what_was_written) {
  for (const char* text : {"=1", "'=1", "''=1", "-x", "'-x", "-1.5", "'-1.5", "'", "''", "'a", "@", "'@", ""}) {
    EXPECT_EQ(csv_value(csv_cell(text)), text);
  }
}

}  // namespace
}  // namespace weft
