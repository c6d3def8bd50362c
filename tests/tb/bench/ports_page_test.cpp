// SPDX-License-Identifier: Apache-2.0
// One list of ports: that of the blocks, the RTL's own and docs/rtl_ports.md say the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tb/bench/block.h"
#include "tb/build/rtl_interface.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::tb {
namespace {

TEST(PortList, is_that_of_the_built_in_rtl) {
  ModelBuilder builder(WEFT_TEST_MODELS);
  for (const Block& block : blocks()) {
    const Shape shape = variant_of(block, {}, 0);
    const RtlInterface found = builder.interface(design_of(builder, block, shape));
    EXPECT_THAT(differences(block, shape, found, false), testing::IsEmpty()) << block.name;
    EXPECT_EQ(found.ports.size(), block.ports.size()) << block.name;
  }
}

/// Direction by port, for each section of the page; a heading and a row may name several.
std::map<std::string, std::map<std::string, std::string>> ports_of_page() {
  std::istringstream page(test::read_text(test::source("docs/rtl_ports.md")));
  const std::regex row(R"(\| (`[^|]*`) \| (in|out)\b.*)");
  const std::regex name("`([a-z0-9_]+)`");
  std::map<std::string, std::map<std::string, std::string>> sections;
  std::vector<std::string> current;
  std::string line;
  while (std::getline(page, line)) {
    std::smatch match;
    if (line.rfind("## ", 0) == 0) {
      std::istringstream words(std::regex_replace(line.substr(3), std::regex(","), " "));
      current.assign(std::istream_iterator<std::string>(words), {});
    } else if (std::regex_match(line, match, row)) {
      const std::string names = match[1];
      for (std::sregex_iterator at(names.begin(), names.end(), name), end; at != end; ++at) {
        for (const std::string& section : current) sections[section][(*at)[1]] = match[2];
      }
    }
  }
  return sections;
}

TEST(PortList, is_that_of_the_page) {
  const auto page = ports_of_page();
  for (const Block& block : blocks()) {
    const auto section = page.find(block.module);
    ASSERT_NE(section, page.end()) << block.module;
    std::set<std::string> written;
    for (const auto& [name, direction] : section->second) {
      written.insert(name + " " + direction);
    }
    std::set<std::string> known;
    for (const BlockPort& port : block.ports) {
      known.insert(std::string(port.name) + (port.direction == PortDirection::kInput ? " in" : " out"));
    }
    EXPECT_EQ(known, written) << block.name;
  }
}

}  // namespace
}  // namespace weft::tb
