// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of configurations: whatever the bytes are, it loads them or throws InputError, and what it loaded
// survives a round trip through config.resolved.yaml. An input has up to four parts between lines "===": the file, two
// files that it may include (b.yaml, c.yaml), and --set options, one on each line.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/check.h"
#include "config/load.h"
#include "sc_models/policies/policy_catalog.h"

namespace {

/// Included files come from the input; every input file of a workload exists.
class FuzzFiles : public weft::ConfigFiles {
 public:
  std::map<std::string, std::string> texts;

  std::string read(const std::string& path) const override {
    const auto at = texts.find(path);
    if (at == texts.end()) throw weft::InputError("no such file");
    return at->second;
  }
  bool exists(const std::string&) const override { return true; }
  bool prefix_exists(const std::string&) const override { return true; }
};

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t at; (at = text.find(separator, start)) != std::string::npos; start = at + separator.size())
    parts.push_back(text.substr(start, at - start));
  parts.push_back(text.substr(start));
  return parts;
}

void expect_round_trip(const weft::Config& config, const FuzzFiles& files) {
  const std::string yaml = weft::to_yaml(config);
  const std::string again = weft::to_yaml(weft::load_config_text(yaml, "fuzz.yaml", {}, files));
  if (again == yaml) return;
  std::cerr << "not the same after a round trip:\n" << yaml << again;
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::use_policies(weft::sc_models::policy_catalog());
  const auto parts = split(std::string(reinterpret_cast<const char*>(data), size), "\n===\n");
  FuzzFiles files;
  if (parts.size() > 1) files.texts["b.yaml"] = parts[1];
  if (parts.size() > 2) files.texts["c.yaml"] = parts[2];
  std::vector<std::string> sets;
  if (parts.size() > 3) sets = split(parts[3], "\n");
  weft::Config config;
  try {
    config = weft::load_config_text(parts[0], "fuzz.yaml", sets, files);
  } catch (const weft::InputError&) {
    return 0;
  }
  // A placement of millions of nodes would make each input take a second.
  if (config.npu.placement.size() > 10000) return 0;
  weft::config_warnings(config);
  expect_round_trip(config, files);
  return 0;
}
