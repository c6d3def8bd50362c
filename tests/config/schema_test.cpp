// SPDX-License-Identifier: Apache-2.0
// JSON Schema and reference page: complete, current, and the schema says the same as the loader about real files.
#include "config/schema.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "config/key.h"
#include "config/tree.h"
#include "tests/config/fred_configs.h"
#include "tests/config/memory_files.h"
#include "tests/config/schema_validator.h"
#include "tests/support/source.h"

namespace weft {
namespace {

using Json = nlohmann::json;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// Validates YAML text against the schema; "" = valid.
std::string validate(const std::string& yaml) {
  ConfigErrors errors;
  const RawNode tree = parse_yaml(yaml, "a.yaml", false, errors);
  errors.throw_if_any();
  return violation_of(Json::parse(config_schema()), to_json(tree), "");
}

TEST(ConfigSchema, has_every_key_with_description_and_default) {
  const Json schema = Json::parse(config_schema());
  for (const ConfigKey& key : config_keys()) {
    std::string pointer = "/properties/" + key.path;
    for (std::size_t at; (at = pointer.find('.')) != std::string::npos;) pointer.replace(at, 1, "/properties/");
    ASSERT_TRUE(schema.contains(Json::json_pointer(pointer))) << key.path;
    const Json& entry = schema.at(Json::json_pointer(pointer));
    EXPECT_EQ(entry.at("description").get<std::string>().find(key.doc), 0u) << key.path;
    EXPECT_EQ(entry.contains("default"), !key.fallback.empty()) << key.path;
    if (key.elements.empty()) continue;
    const Json& inner = entry.at("items").at("properties");
    EXPECT_EQ(inner.size(), key.elements[0].size());
    for (const ConfigKey& each : key.elements[0])
      EXPECT_TRUE(inner.contains(each.path.substr(each.path.rfind('.') + 1))) << each.path;
  }
}

TEST(ConfigSchema, accepts_what_the_loader_accepts) {
  EXPECT_EQ(validate(kSmallConfig), "");
  EXPECT_EQ(validate(kFredConfig), "");
  EXPECT_EQ(loading_error(kFredConfig), "");
  for (const auto& entry : std::filesystem::directory_iterator(test::source("configs"))) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = read_file(entry.path());
    EXPECT_EQ(validate(text), "") << entry.path();
    EXPECT_EQ(validate(to_yaml(load_config(entry.path()))), "") << entry.path();
  }
}

TEST(ConfigSchema, refuses_what_the_loader_refuses) {
  for (const std::string text :
       {"fabric: {size: [4, 4]}\nworkload: {traffic: {}, collective: {size: 1 KiB}}\n",
        "fabric: {size: [4, 4, 4]}\nworkload: {traffic: {}}\n", "fabric: {size: [0, 4]}\nworkload: {traffic: {}}\n",
        "fabric: {size: [4, 4], link: {bandwidth: 750}}\nworkload: {traffic: {}}\n",
        "fabric: {size: [4, 4], link: {bandwidth: 750 Gb}}\nworkload: {traffic: {}}\n",
        "fabric: {size: [4, 4], kind: fred}\nworkload: {traffic: {}}\n",
        "fabric: {size: [4, 4], sort: mesh}\nworkload: {traffic: {}}\n", "fabric: {size: [4, 4]}\n",
        "fabric: {kind: mesh}\nworkload: {traffic: {}}\n",
        "threads: two\nfabric: {size: [4, 4]}\nworkload: {traffic: {}}\n"}) {
    EXPECT_NE(loading_error(text), "") << text;
    EXPECT_NE(validate(text), "") << text;
  }
  for (const std::string fabric :
       {"levels: [{groups: 1}]", "kind: fred", "kind: fred, levels: []", "kind: fred, levels: {groups: 1}",
        "kind: fred, levels: [{uplinks: 0}]", "kind: fred, levels: [{groups: 1, group: 1}]",
        "kind: fred, levels: [{groups: 1, buffer: x}]", "kind: fred, levels: [{groups: 1}], formats: [fp8]"}) {
    const std::string text = "fabric: {" + fabric + "}\nnpu: {count: 2}\nworkload: {collective: {size: 1 KiB}}\n";
    EXPECT_NE(loading_error(text), "") << text;
    EXPECT_NE(validate(text), "") << text;
  }
}

TEST(ConfigReference, the_page_in_docs_is_current) {
  EXPECT_EQ(read_file(test::source("docs/config.md")), config_reference())
      << "docs/config.md is out of date; write it anew with: weft schema --markdown > docs/config.md";
}

TEST(ConfigReference, names_every_key) {
  const std::string page = config_reference();
  for (const ConfigKey& key : config_keys())
    EXPECT_NE(page.find("| `" + key.path + "` |"), std::string::npos) << key.path;
  EXPECT_NE(page.find("| `fabric.levels[i].bandwidth` |"), std::string::npos);
}

}  // namespace
}  // namespace weft
