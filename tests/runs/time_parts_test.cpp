// SPDX-License-Identifier: Apache-2.0
// What a rank did, part by part, from a log that is written by hand.
#include "runs/time_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "log/sqlite_file.h"
#include "tests/support/temp_dir.h"

namespace weft::runs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// The last rank computes until 40 and waits for a collective of mp from 30 to 60, for a load from 50 to 70, for one of
/// dp from 80 to 100, for a message from 90 to 110 and for collectives of no phase from 110 to 120.
void write_log(const weft::test::TempDir& folder) {
  log::SqliteFile log(folder / "log.sqlite", log::SqliteFile::Mode::kCreate);
  log.run(R"(
CREATE TABLE comm_group (name TEXT, phase TEXT);
CREATE TABLE collective (id INTEGER, comm_group TEXT);
CREATE TABLE activity (rank INTEGER, kind TEXT, start_cycle INTEGER, end_cycle INTEGER, collective INTEGER);
INSERT INTO comm_group VALUES ('1', 'mp'), ('2', 'dp'), ('3', NULL);
INSERT INTO collective VALUES (10, '1'), (20, '2'), (30, '3'), (40, 'all');
INSERT INTO activity VALUES (0, 'compute', 0, 119, NULL), (NULL, 'compute', 0, 200, NULL);
INSERT INTO activity VALUES (1, 'compute', 0, 40, NULL), (1, 'collective', 30, 60, 10), (1, 'chunk', 0, 120, 10);
INSERT INTO activity VALUES (1, 'load', 50, 70, NULL), (1, 'collective', 80, 100, 20), (1, 'receive', 90, 110, NULL);
INSERT INTO activity VALUES (1, 'collective', 110, 115, 30), (1, 'collective', 115, 120, 40);
)");
  log.close();
}

TEST(TimeParts, add_up_to_the_time_of_the_rank_that_ends_last) {
  const weft::test::TempDir folder;
  write_log(folder);
  const auto found = read_time_parts(folder.path());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 1u);
  EXPECT_EQ(found->cycles, 120u);
  EXPECT_THAT(found->parts, ElementsAre(Pair("compute", 40), Pair("load", 20), Pair("mp", 10), Pair("dp", 20),
                                        Pair("pp", 10), Pair("collective", 10), Pair("other", 10)));
}

TEST(TimeParts, a_run_without_a_log_has_none) {
  const weft::test::TempDir folder;
  EXPECT_FALSE(read_time_parts(folder.path()));
}

TEST(TimeParts, a_damaged_log_is_named) {
  const weft::test::TempDir folder;
  weft::test::write_text(folder / "log.sqlite", "no database, but long enough to look like a file with one page or so");
  try {
    read_time_parts(folder.path());
    FAIL() << "it was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("log.sqlite"), HasSubstr("damaged")));
  }
}

}  // namespace
}  // namespace weft::runs
