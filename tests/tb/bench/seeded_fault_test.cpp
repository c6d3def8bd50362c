// SPDX-License-Identifier: Apache-2.0
// Which seeded faults a block has with its parameters, and what is said of the others.
#include "tb/build/seeded_fault.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "base/error.h"
#include "tb/bench/block.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::tb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::set<int> faults(const std::string& name, const Shape& given) {
  const test::TempDir folder;
  ModelBuilder builder(folder.path());
  const Block& block = find_block(name);
  return seeded_faults(builder, design_of(builder, block, shape_of(block, given)));
}

/// Numbers of the table in tb/faults/README.md.
std::set<int> table() {
  std::ifstream file(test::source("tb/faults/README.md"));
  const std::regex row(R"(\| (\d+) \| .*)");
  std::set<int> numbers;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, row)) numbers.insert(std::stoi(match[1]));
  }
  return numbers;
}

TEST(SeededFaults, are_those_of_the_modules_inside) {
  EXPECT_THAT(faults("fp_add", {}), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(faults("int_alu", {}), ElementsAre(15, 16));
}

TEST(SeededFaults, depend_on_the_parameters) {
  EXPECT_THAT(faults("elastic_reg", {{"Skid", 0}}), ElementsAre(30, 32, 33, 34, 37));
  EXPECT_THAT(faults("elastic_reg", {{"Skid", 1}}), ElementsAre(30, 31, 32, 35, 36));
  EXPECT_EQ(faults("reduce_lanes", {{"Lanes", 1}}).count(22), 0U);  // only the first lane works
  EXPECT_EQ(faults("reduce_lanes", {{"Lanes", 2}}).count(22), 1U);
}

TEST(SeededFaults, of_all_blocks_are_those_of_the_table) {
  std::set<int> all = faults("elastic_reg", {{"Skid", 1}});
  for (const std::string name : {"elastic_reg", "fp_widen", "fp_round"}) all.merge(faults(name, {}));
  all.merge(faults("fred_switch", {{"Lanes", 2}}));
  EXPECT_EQ(all, table());
  EXPECT_GE(all.size(), 60U);
}

TEST(SeededFaults, that_a_block_lacks_are_refused_bad) {
  const test::TempDir folder;
  ModelBuilder builder(folder.path());
  const Block& block = find_block("elastic_reg");
  RtlDesign design = design_of(builder, block, shape_of(block, {}));
  try {
    seed_fault(builder, design, 31);
    FAIL() << "a register has no second place";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("elastic_reg with these parameters has no seeded fault 31; legal: 30, 32 to 34, "
                          "37 (tb/faults/README.md)"));
  }
  EXPECT_THAT(design.defines, testing::IsEmpty());
  EXPECT_NO_THROW(seed_fault(builder, design, 34));
  EXPECT_THAT(design.defines, ElementsAre("WEFT_FAULT=34"));
}

TEST(SeededFaults, are_listed_as_ranges) {
  EXPECT_EQ(ranges_text({1, 2, 3, 7}), "1 to 3, 7");
  EXPECT_EQ(ranges_text({4, 6, 7}), "4, 6 to 7");
  EXPECT_EQ(ranges_text({}), "");
}

}  // namespace
}  // namespace weft::tb
