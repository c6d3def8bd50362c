// SPDX-License-Identifier: Apache-2.0
#include "log/log_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "log/named_queries.h"
#include "log/sqlite_file.h"
#include "tests/log/support/small_log.h"
#include "tests/support/temp_dir.h"

namespace weft::log {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using weft::test::TempDir;

class LogFile : public testing::Test {
 protected:
  void write(LogLevel level, const std::string& run_name = "small") {
    RunLog log(2);
    fill_small_log(log);
    MemoryAccess access;
    access.component = "npu[1].dram";
    access.node = NodeId{1};
    access.bytes = 64;
    access.asked = 5;
    access.done = 12;
    log.access_ended(NodeId{1}, access);
    LogNames names = small_names();
    names.phases = {"dp"};
    const CriticalPath path = critical_path(log, names);
    LogContents contents;
    contents.log = &log;
    contents.names = &names;
    contents.path = &path;
    contents.level = level;
    contents.run = {{"name", run_name}};
    contents.phases = {{NodeId{1}, "fabric.l1[0]", "stored setting 1", 3, 9}};
    contents.links = 2;
    contents.link = [](std::size_t i) {
      return LinkRow{i == 0 ? "a" : "b",
                     "npu[0]",
                     "npu[1]",
                     10 + i,
                     0.25 * static_cast<double>(i + 1),
                     i == 0 ? LinkValues() : stall_values(1, 2, 3)};
    };
    write_log_file(folder_ / "log.sqlite", contents);
  }

  /// Rows with cells joined by "|".
  std::vector<std::string> rows(const std::string& sql) {
    SqliteFile file(folder_ / "log.sqlite", SqliteFile::Mode::kRead);
    SqliteStatement statement(file, sql);
    std::vector<std::string> lines;
    while (statement.step()) {
      std::string line;
      for (int i = 0; i < statement.columns(); ++i) line += (i == 0 ? "" : "|") + statement.text(i).value_or("-");
      lines.push_back(line);
    }
    return lines;
  }
  std::vector<std::string> named(const char* name) { return rows(find_query(name)->sql); }

  TempDir folder_;
};

TEST_F(LogFile, holds_what_was_told) {
  write(LogLevel::kPackets);
  EXPECT_THAT(rows("SELECT rank, kind, name, start_cycle, end_cycle, collective, chunk FROM activity ORDER BY id"),
              ElementsAre("0|compute|multiply|0|10|-|-", "0|chunk|sum|10|20|0|0", "0|collective|sum|10|20|0|-",
                          "1|chunk|sum|2|33|0|0", "1|collective|sum|2|33|0|-"));
  EXPECT_THAT(rows("SELECT name, comm_group, ranks, start_cycle, end_cycle FROM collective"),
              ElementsAre("sum|all|2|2|33"));
  EXPECT_THAT(rows("SELECT name, phase FROM comm_group"), ElementsAre("all|dp"));
  EXPECT_THAT(rows("SELECT id, node, dst, what, collective, chunk, step, bytes, queued_cycle, left_cycle FROM message"),
              ElementsAre("0|0|1|message|-|-|-|64|0|0", "1|0|1|collective|0|0|4|64|10|20"));
  EXPECT_THAT(rows("SELECT * FROM receipt"), ElementsAre("0|1|64|6|6", "1|1|64|29|29"));
  EXPECT_THAT(rows("SELECT message, node, bytes, hops, injected_cycle, received_cycle FROM packet"),
              ElementsAre("0|1|64|2|0|6", "1|1|64|2|20|29"));
}

TEST_F(LogFile, holds_accesses) {
  write(LogLevel::kPackets);
  EXPECT_THAT(rows("SELECT * FROM access"), ElementsAre("0|npu[1].dram|rank 1|read|0|64|5|12|-"));
  EXPECT_THAT(named("accesses"), ElementsAre("npu[1].dram|read|1|64|7|7.0|7|0"));
  EXPECT_THAT(named("slow-accesses"), ElementsAre("npu[1].dram|rank 1|read|0|64|5|12|7|-"));
}

TEST_F(LogFile, holds_less_at_lower_levels) {
  write(LogLevel::kSteps);
  EXPECT_THAT(rows("SELECT count(*) FROM packet"), ElementsAre("0"));
  EXPECT_THAT(rows("SELECT count(*) FROM receipt"), ElementsAre("2"));
  write(LogLevel::kRanks);
  EXPECT_THAT(rows("SELECT count(*) FROM message"), ElementsAre("0"));
}

TEST_F(LogFile, answers_named_queries) {
  write(LogLevel::kPackets);
  EXPECT_THAT(named("critical-path"), ElementsAre("compute|1|10|30.3", "injection|1|7|21.21", "link|1|6|18.18",
                                                  "endpoint|1|4|12.12", "credit|1|3|9.09", "switch|1|3|9.09"));
  EXPECT_THAT(named("path").at(4), "4|23|29|6|link|npu[0]|npu[1]|sum of all chunk 0 step 4");
  EXPECT_THAT(named("path-work").at(0), "compute|multiply|1|10");
  EXPECT_THAT(named("path-work").at(2), "link|sum of all chunk 0 step 4|1|6");
  EXPECT_THAT(named("links"), ElementsAre("b|npu[0]|npu[1]|11|50.0|1|2|3", "a|npu[0]|npu[1]|10|25.0|-|-|-"));
  EXPECT_THAT(named("waits"), ElementsAre("sum|all|0|1|0|8"));  // rank 1 began at 2, rank 0 at 10
  EXPECT_THAT(named("late-ranks"), ElementsAre("0|1|8"));
  EXPECT_THAT(named("ranks"), ElementsAre("0|10|0|0|10|20", "1|0|0|0|31|33"));
  EXPECT_THAT(named("slow-messages").front(), "1|npu[0]|npu[1]|collective|sum|0|4|64|10|20|29|19");
  EXPECT_THAT(named("phases"), ElementsAre("fabric.l1[0]|3|9|stored setting 1"));
}

TEST_F(LogFile, understands_every_named_query) {
  write(LogLevel::kPackets);
  for (const NamedQuery& query : named_queries()) EXPECT_FALSE(rows(query.sql).empty()) << query.name;
}

TEST_F(LogFile, is_the_same_to_the_last_byte) {
  write(LogLevel::kPackets);
  const std::string first = weft::test::read_text(folder_ / "log.sqlite");
  write(LogLevel::kPackets);
  EXPECT_TRUE(weft::test::read_text(folder_ / "log.sqlite") == first);
}

// As on a full disk: files of this process end at 64 KiB.
TEST_F(LogFile, leaves_no_part_behind_when_the_disk_is_full) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{65536, 65536};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(write(LogLevel::kPackets, std::string(100'000, 'x')), std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(LogFile, that_cannot_be_written_says_so) {
  LogContents contents;
  try {
    write_log_file(folder_ / "no" / "log.sqlite", contents);
    FAIL() << "it was written";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("log.sqlite: cannot be written: No such file or directory"));
  }
}

}  // namespace
}  // namespace weft::log
