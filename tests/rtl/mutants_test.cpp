// SPDX-License-Identifier: Apache-2.0
// Every seeded fault of tb/faults is found by the bench that its table names; without a fault the same build passes.
// The patches hold the faults of the table and no others, and the RTL itself holds none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/rtl/arith_bench.h"
#include "tests/rtl/duts/elastic_dut.h"
#include "tests/rtl/elastic_bench.h"
#include "tests/rtl/uswitch_bench.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::rtl_test {
namespace {

using Difference = std::optional<std::string>;

const std::filesystem::path kRtl = std::filesystem::path(test::source("rtl"));
const std::filesystem::path kFaults = std::filesystem::path(test::source("tb/faults"));

Difference arith(int mutant) {
  ArithDut dut(mutant);
  return any_arith_difference(dut, 5000);
}

Difference elastic(int mutant) {
  for (unsigned g = 0; g < ElasticDut::kCount; ++g) {
    ElasticRun run;
    run.mutant = mutant;
    if (auto difference = elastic_difference(g, run)) return difference;
  }
  return std::nullopt;
}

Difference uswitch(int mutant) {
  for (const UswitchShape& shape : uswitch_shapes()) {
    UswitchRun run;
    run.mutant = mutant;
    if (auto difference = uswitch_difference(shape, run)) return difference;
  }
  return std::nullopt;
}

const std::map<std::string, std::function<Difference(int)>>& benches() {
  static const std::map<std::string, std::function<Difference(int)>> kBenches = {
      {"arith", arith}, {"elastic", elastic}, {"uswitch", uswitch}};
  return kBenches;
}

struct Mutant {
  int number = 0;
  std::string module;
  std::string bench;
};

/// All rows of the table.
std::vector<Mutant> mutants() {
  std::ifstream file(kFaults / "README.md");
  const std::regex row(R"(\| (\d+) \| (\w+) \| .* \| (\w+) \|)");
  std::vector<Mutant> result;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, row)) result.push_back({std::stoi(match[1]), match[2], match[3]});
  }
  return result;
}

std::vector<Mutant> mutants_here() {
  std::vector<Mutant> result;
  for (const Mutant& mutant : mutants()) {
    if (benches().count(mutant.bench) != 0) result.push_back(mutant);
  }
  return result;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder, const std::string& extension) {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) result.push_back(entry.path());
  }
  return result;
}

class RtlMutant : public ::testing::TestWithParam<Mutant> {};

TEST_P(RtlMutant, is_found) {
  const Difference difference = benches().at(GetParam().bench)(GetParam().number);
  ASSERT_TRUE(difference.has_value());
  std::printf("%s\n", difference->c_str());
}

INSTANTIATE_TEST_SUITE_P(table, RtlMutant, ::testing::ValuesIn(mutants_here()),
                         [](const auto& c) { return fmt::format("{:03}_{}", c.param.number, c.param.module); });

// Benches besides those of this test: lockstep_mutants_test.cpp, and proofs, which rtl/formal/proofs.txt lists.
TEST(RtlMutants, have_a_bench_that_looks_for_them) {
  const std::set<std::string> elsewhere{"lockstep", "formal"};
  for (const Mutant& mutant : mutants()) {
    EXPECT_EQ(benches().count(mutant.bench) + elsewhere.count(mutant.bench), 1U)
        << "fault " << mutant.number << " is left to the bench " << mutant.bench << ", which there is not";
  }
}

TEST(RtlMutants, are_many) { EXPECT_GE(mutants_here().size(), 20U); }

class RtlBench : public ::testing::TestWithParam<std::string> {};

TEST_P(RtlBench, passes_where_no_fault_is_chosen) { EXPECT_EQ(benches().at(GetParam())(0), std::nullopt); }

INSTANTIATE_TEST_SUITE_P(all, RtlBench, ::testing::Values("arith", "elastic", "uswitch"),
                         [](const auto& c) { return c.param; });

/// Each patch holds what it says, and the table says the same.
TEST(RtlMutants, are_those_of_the_table_and_of_the_patches) {
  std::set<std::string> found;
  std::set<std::string> said;
  const std::regex use(R"(seeded_fault [!=]= 8'd(\d+))");
  const std::regex sentence(R"((?:^|\n)Fault (\d+) of (\w+): .+\.(?=\n))");
  for (const auto& path : files_of(kFaults, ".patch")) {
    const std::string text = test::read_text(path);
    const std::string diff = text.substr(text.find("\n---"));
    for (std::sregex_iterator i(diff.begin(), diff.end(), use), end; i != end; ++i) {
      found.insert(path.stem().string() + " " + (*i)[1].str());
    }
    for (std::sregex_iterator i(text.begin(), text.end(), sentence), end; i != end; ++i) {
      said.insert((*i)[2].str() + " " + (*i)[1].str());
    }
  }
  std::set<std::string> listed;
  for (const Mutant& mutant : mutants()) listed.insert(fmt::format("{} {}", mutant.module, mutant.number));
  EXPECT_EQ(found, listed);
  EXPECT_EQ(said, listed);
}

TEST(RtlMutants, are_not_in_the_rtl) {
  const std::regex word("mutant|seeded|fault_pkg", std::regex::icase);
  for (const auto& path : files_of(kRtl, ".sv")) EXPECT_FALSE(std::regex_search(test::read_text(path), word)) << path;
}

}  // namespace
}  // namespace weft::rtl_test
