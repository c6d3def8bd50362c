// SPDX-License-Identifier: Apache-2.0
// The lockstep finds every fault that tb/faults/README.md leaves to it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <regex>
#include <string>
#include <vector>

#include "tests/rtl/lockstep/lockstep_bench.h"
#include "tests/support/source.h"

namespace weft::rtl_test {
namespace {

constexpr std::uint64_t kMostSeeds = 40;

const std::filesystem::path kTable = std::filesystem::path(test::source("tb/faults/README.md"));

std::vector<int> mutants() {
  std::ifstream file(kTable);
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
      return error.what();  // the traffic got a slot or a credit too many
    }
  }
  return "";
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
