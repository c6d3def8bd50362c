// SPDX-License-Identifier: Apache-2.0
// The lockstep finds every fault that rtl/mutants.md leaves to it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/rtl/lockstep/lockstep_bench.h"

namespace weft::rtl_test {
namespace {

constexpr std::uint64_t kMostSeeds = 40;

const std::filesystem::path kRtl = std::filesystem::path(WEFT_SOURCE_DIR) / "rtl";

std::vector<int> mutants() {
  std::ifstream file(kRtl / "mutants.md");
  const std::regex row(R"(\| (\d+) \| \w+ \| .* \| lockstep \|)");
  std::vector<int> numbers;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, row)) numbers.push_back(std::stoi(match[1]));
  }
  return numbers;
}

/// What finds it, without a word of the checkers; "" = nothing does.
std::string found_by(int mutant) {
  for (std::uint64_t seed = 1; seed <= kMostSeeds; ++seed) {
    try {
      const std::string mismatch = run_lockstep(seed, 2000, mutant, false).mismatch;
      if (!mismatch.empty()) return mismatch;
    } catch (const std::exception& error) {
      return error.what();  // the traffic got a place or a credit too many
    }
  }
  return "";
}

TEST(LockstepMutants, are_those_of_the_table) {
  const std::regex use(R"(mutant_i == 8'd(1\d\d))");
  std::set<int> found;
  for (const auto& entry : std::filesystem::directory_iterator(kRtl)) {
    if (entry.path().extension() != ".sv") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const std::string content = text.str();
    for (std::sregex_iterator i(content.begin(), content.end(), use), end; i != end; ++i) {
      found.insert(std::stoi((*i)[1]));
    }
  }
  const std::vector<int> listed = mutants();
  EXPECT_EQ(found, std::set<int>(listed.begin(), listed.end()));
}

TEST(LockstepMutants, no_fault_no_difference) { EXPECT_EQ(run_lockstep(1, 2000, 0).mismatch, ""); }

TEST(LockstepMutants, each_is_found) {
  const std::vector<int> numbers = mutants();
  EXPECT_GE(numbers.size(), 20U);
  for (const int mutant : numbers) {
    const std::string difference = found_by(mutant);
    EXPECT_NE(difference, "") << "fault " << mutant;
    std::cout << mutant << ": " << difference << '\n';
  }
}

}  // namespace
}  // namespace weft::rtl_test
