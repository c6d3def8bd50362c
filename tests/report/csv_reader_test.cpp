// SPDX-License-Identifier: Apache-2.0
// Tables are read strictly: what is wrong is said with file and line.
#include "report/csv_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "report/base64.h"
#include "tests/support/run_child.h"

namespace weft::report {
namespace {

using testing::HasSubstr;
using weft::test::TempDir;
using weft::test::write_text;

class Csv : public testing::Test {
 protected:
  CsvReader read(const std::string& text, const std::vector<std::string>& columns = {"a", "b"}) {
    write_text(dir_ / "t.csv", text);
    return CsvReader(dir_ / "t.csv", columns);
  }
  std::string error_of(const std::string& text, const std::vector<std::string>& columns = {"a", "b"}) {
    try {
      read(text, columns);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  TempDir dir_;
};

TEST_F(Csv, reads_quotes_and_columns_by_name) {
  const CsvReader csv = read("b,c,a\n\"x,\"\"y\"\"\nz\",1,2.5\n,7,-3\n");
  ASSERT_EQ(csv.rows(), 2U);
  EXPECT_EQ(csv.text(0, 1), "x,\"y\"\nz");
  EXPECT_EQ(csv.text(1, 1), "");
  EXPECT_EQ(csv.number(0, 0), 2.5);
  EXPECT_EQ(csv.number(1, 0), -3);
  EXPECT_EQ(csv.count_at(1, 1), 7U);
  EXPECT_EQ(csv.names(), (std::vector<std::string>{"b", "c", "a"}));
}

TEST_F(Csv, says_what_is_wrong_and_where) {
  EXPECT_THAT(error_of("a,c\n"), testing::AllOf(HasSubstr("t.csv"), HasSubstr("no column 'b'")));
  EXPECT_THAT(error_of("a,b\n1,2\n1,2,3\n"), HasSubstr("t.csv:3: 3 cells, the first line names 2"));
  EXPECT_THAT(error_of("a,b\n1,2\n1,"), HasSubstr("t.csv:3: ends in the middle of a line"));
  EXPECT_THAT(error_of("a,b\n1,\"2\n"), HasSubstr("ends in the middle of a line"));
  EXPECT_THAT(error_of(""), HasSubstr("ends in the middle"));
  EXPECT_THROW(CsvReader(dir_ / "none.csv", {}), InputError);
}

TEST_F(Csv, numbers_are_numbers) {
  const CsvReader csv = read("a,b\n1x,-2\n");
  try {
    csv.number(0, 0);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.csv:2: column 'a': '1x' is not a number"));
  }
  EXPECT_EQ(csv.number(0, 1), -2);
  EXPECT_THROW(csv.count(0, 1), InputError);
}

// The examples of RFC 4648, section 10, and a byte that is no ASCII.
TEST(Base64, follows_the_rfc) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

}  // namespace
}  // namespace weft::report
