// SPDX-License-Identifier: Apache-2.0
// Every seeded fault of rtl/mutants.md is found by the bench that the table names; without a fault the same build
// passes. The sources hold the faults of the table and no others, and without the define they hold none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/rtl/arith_bench.h"
#include "tests/rtl/duts/elastic_dut.h"
#include "tests/rtl/elastic_bench.h"
#include "tests/rtl/uswitch_bench.h"

namespace weft::rtl_test {
namespace {

using Difference = std::optional<std::string>;

const std::filesystem::path kRtl = std::filesystem::path(WEFT_SOURCE_DIR) / "rtl";

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
  std::ifstream file(kRtl / "mutants.md");
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

std::vector<std::filesystem::path> sources() {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRtl)) {
    if (entry.path().extension() == ".sv") result.push_back(entry.path());
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

TEST(RtlMutants, are_many) { EXPECT_GE(mutants_here().size(), 20U); }

class RtlBench : public ::testing::TestWithParam<std::string> {};

TEST_P(RtlBench, passes_where_no_fault_is_chosen) { EXPECT_EQ(benches().at(GetParam())(0), std::nullopt); }

INSTANTIATE_TEST_SUITE_P(all, RtlBench, ::testing::Values("arith", "elastic", "uswitch"),
                         [](const auto& c) { return c.param; });

/// Numbers from 100 on are those of the whole switch.
TEST(RtlMutants, of_the_primitives_are_those_of_the_table) {
  std::set<std::string> found;
  const std::regex use(R"(mutant_i [!=]= 8'd(\d+))");
  for (const auto& path : sources()) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    const std::string content = text.str();
    for (std::sregex_iterator i(content.begin(), content.end(), use), end; i != end; ++i) {
      if (std::stoi((*i)[1]) < 100) found.insert(path.stem().string() + " " + (*i)[1].str());
    }
  }
  std::set<std::string> listed;
  for (const Mutant& mutant : mutants()) {
    if (mutant.number < 100) listed.insert(fmt::format("{} {}", mutant.module, mutant.number));
  }
  EXPECT_EQ(found, listed);
}

/// What Verilator's preprocessor makes of a source.
std::string preprocessed(const std::filesystem::path& path, const std::string& options) {
  const std::string command =
      fmt::format("{} -E -I{} {} {}", WEFT_VERILATOR, path.parent_path().string(), options, path.string());
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) text.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

TEST(RtlMutants, are_absent_without_the_define) {
  const auto has_fault = [](const std::string& text) {
    return std::regex_search(std::regex_replace(text, std::regex("//[^\n]*"), ""),
                             std::regex("mutant", std::regex::icase));
  };
  for (const auto& path : sources()) {
    EXPECT_FALSE(has_fault(preprocessed(path, ""))) << path;
  }
  EXPECT_TRUE(has_fault(preprocessed(kRtl / "uswitch.sv", "+define+WEFT_MUTANTS")));
}

}  // namespace
}  // namespace weft::rtl_test
