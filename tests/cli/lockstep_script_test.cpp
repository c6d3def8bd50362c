// SPDX-License-Identifier: Apache-2.0
// scripts/lockstep on a small switch: this is the daily run of the script that the nightly runs on Fred_3(12).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <sstream>

#include "tests/support/run_child.h"
#include "tests/support/source.h"

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using weft::test::ChildResult;
using weft::test::read_text;
using weft::test::run_child;
using weft::test::TempDir;
using weft::test::write_text;

class LockstepScript : public testing::Test {
 protected:
  LockstepScript() {
    setenv("WEFT_RTL_DIR", WEFT_TEST_MODELS, 1);
    setenv("WEFT", WEFT_PROGRAM, 1);
  }
  ChildResult lockstep(std::vector<std::string> words) {
    words.insert(words.begin(), test::source("scripts/lockstep"));
    return run_child(words, dir_.path().string());
  }
  /// The script with Fred_2(4).
  ChildResult small(std::vector<std::string> words) {
    words.insert(words.begin(), {"--m", "2", "--ports", "4", "--lanes", "1", "--accumulate", "1"});
    return lockstep(std::move(words));
  }
  std::string out() { return dir_ / "o"; }
  std::string csv() { return read_text(dir_ / "o/results.csv"); }

  TempDir dir_;
};

/// A column of all lines.
std::vector<std::uint64_t> column(const std::string& csv, const std::string& name) {
  std::istringstream lines(csv);
  std::vector<std::uint64_t> values;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> words;
    std::istringstream row(line);
    for (std::string word; std::getline(row, word, ',');) words.push_back(word);
    if (words.front() == "lanes") {
      while (words.at(number) != name) ++number;
    } else {
      values.push_back(std::stoull(words.at(number)));
    }
  }
  return values;
}

std::uint64_t sum(const std::vector<std::uint64_t>& values) {
  std::uint64_t all = 0;
  for (const std::uint64_t value : values) all += value;
  return all;
}

TEST_F(LockstepScript, finds_nothing_in_many_lives) {
  const ChildResult r = small({"--cycles", "3e5", "--seed-cycles", "100000", "--jobs", "2", "--out", out()});
  ASSERT_EQ(r.status, 0) << r.out << r.err;
  EXPECT_THAT(r.out, HasSubstr("3 seeds, "));
  EXPECT_THAT(r.out, HasSubstr(" 0 mismatches"));
  const std::string text = csv();
  EXPECT_THAT(column(text, "seed"), testing::UnorderedElementsAre(1, 2, 3));
  EXPECT_THAT(column(text, "cycles"), testing::Each(testing::Ge(100000)));
  EXPECT_THAT(column(text, "mismatches"), testing::Each(0));
  for (const char* name : {"flits", "beats_added", "reconfigurations", "preemptions", "yields"}) {
    EXPECT_GT(sum(column(text, name)), 1000U) << name;
  }
}

/// A seed's line is the same whenever it was run.
TEST_F(LockstepScript, goes_on_where_it_was) {
  const std::vector<std::string> words = {"--cycles", "3e4", "--seed-cycles", "10000", "--out", out()};
  ASSERT_EQ(small(words).status, 0);
  const std::string text = csv();
  std::istringstream in(text);
  std::string head, first, second;
  std::getline(in, head);
  std::getline(in, first);
  std::getline(in, second);
  write_text(dir_ / "o/results.csv", head + "\n" + first + "X\n" + second + "\n");  // the first is of another RTL
  const ChildResult again = lockstep({"--resume", out()});
  ASSERT_EQ(again.status, 0) << again.out << again.err;
  EXPECT_THAT(csv(), HasSubstr(second));
  EXPECT_THAT(csv(), Not(HasSubstr(first + "X")));
  for (const char* name : {"cycles", "flits", "beats_added"}) {
    EXPECT_EQ(sum(column(csv(), name)), sum(column(text, name))) << name;
  }
  EXPECT_THAT(column(csv(), "seed"), testing::UnorderedElementsAre(1, 2, 3));
}

/// Seeded fault 1 of tb/faults: sums are cut off instead of rounded. The words of the replay find it again.
TEST_F(LockstepScript, a_fault_is_found_and_can_be_found_again) {
  const ChildResult r = small({"--cycles", "1e5", "--mutant", "1", "--out", out()});
  EXPECT_EQ(r.status, 3) << r.out << r.err;
  EXPECT_THAT(r.err,
              testing::ContainsRegex("first mismatch in cycle [0-9]+: out_data_o.* .stored setting [0-9]+, flow "));
  const std::size_t at = r.err.find("replay: weft ");
  ASSERT_NE(at, std::string::npos) << r.err;
  std::istringstream words(r.err.substr(at + 13, r.err.find('\n', at) - at - 13));
  std::vector<std::string> replay{std::istream_iterator<std::string>(words), {}};
  replay.insert(replay.begin(), WEFT_PROGRAM);
  replay.insert(replay.end(), {"--out", "p"});
  const ChildResult again = run_child(replay, dir_.path().string());
  EXPECT_EQ(again.status, 3);
  const std::string what = r.err.substr(r.err.find("first mismatch"), 60);
  EXPECT_THAT(again.err, HasSubstr(what));
}

TEST_F(LockstepScript, refuses_what_it_does_not_know_bad) {
  const auto refusal = [&](const std::vector<std::string>& words) {
    const ChildResult r = lockstep(words);
    EXPECT_EQ(r.status, 2) << words[0];
    return r.err;
  };
  EXPECT_THAT(refusal({"--lane", "4"}), HasSubstr("no option --lane"));
  EXPECT_THAT(refusal({"--cycles", "many"}), HasSubstr("--cycles many: a whole number"));
  EXPECT_THAT(refusal({"--seed-cycles", "2e6"}), HasSubstr("--seed-cycles: 1 to 1000000 are legal"));
  EXPECT_THAT(refusal({"--accumulate", "2"}), HasSubstr("legal are 0, 1, both"));
  EXPECT_THAT(refusal({"--resume", out()}), HasSubstr("/options"));
}

}  // namespace
}  // namespace weft::cli
