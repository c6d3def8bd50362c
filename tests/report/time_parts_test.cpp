// SPDX-License-Identifier: Apache-2.0
// What a rank did, part by part, from a log that is written by hand.
#include <gmock/gmock.h>

#include "log/sqlite_file.h"
#include "tests/report/report_case.h"

namespace weft::report {
namespace {

class TimeParts : public Report {
 protected:
  /// The last rank computes until 40 and waits for a collective of mp from 30 to 60, for a load from 50 to 70, for one
  /// of dp from 80 to 100, for a message from 90 to 110 and for a collective of no phase from 110 to 120.
  void write_log() {
    log::SqliteFile log(dir_ / "run" / "log.sqlite", log::SqliteFile::Mode::kCreate);
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
};

TEST_F(TimeParts, add_up_to_the_time_of_the_rank_that_ends_last) {
  write_log();
  const Json found = run()["time_parts"];
  EXPECT_EQ(found["rank"], 1);
  EXPECT_EQ(found["cycles"], 120);
  const Json wanted = {{"compute", 40}, {"load", 20},       {"mp", 10},   {"dp", 20},
                       {"pp", 10},      {"collective", 10}, {"other", 10}};
  EXPECT_EQ(found["parts"], wanted);
}

TEST_F(TimeParts, a_run_without_a_log_has_none) { EXPECT_TRUE(run()["time_parts"].is_null()); }

TEST_F(TimeParts, a_damaged_log_is_named) {
  test::write_text(dir_ / "run" / "log.sqlite", "no database, but long enough to look like a file with one page or so");
  EXPECT_THAT(error_of("run"), testing::AllOf(testing::HasSubstr("log.sqlite"), testing::HasSubstr("damaged")));
}

}  // namespace
}  // namespace weft::report
