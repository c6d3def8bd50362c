// SPDX-License-Identifier: Apache-2.0
// A default stands in the table of keys, as the documentation shows it, and in the field for those who fill a Config
// themselves. Both are the same.
#include <gtest/gtest.h>

#include "config/key.h"
#include "config/raw.h"
#include "config/tree.h"

namespace weft {
namespace {

/// A configuration of nothing but initial values, with a workload that has this key.
Config untouched(const ConfigKey& key) {
  Config config;
  const std::string_view kind = workload_kind_of(key.path);
  if (kind == "trace") config.workload = TraceWorkload{};
  if (kind == "collective") config.workload = CollectiveWorkload{};
  if (kind == "traffic") config.workload = TrafficWorkload{};
  if (kind == "io") config.workload = IoWorkload{};
  return config;
}

/// Bytes become flits of a width, and ranks nodes of a number, that a file gives.
bool depends_on_others(const ConfigKey& key) {
  return key.path == "fabric.control_buffer" || key.path == "npu.placement";
}

TEST(ConfigDefaults, of_the_table_are_those_of_the_fields) {
  int compared = 0;
  for (const ConfigKey& key : config_keys()) {
    if (key.fallback.empty() || !key.show || depends_on_others(key)) continue;
    const Config fields = untouched(key);
    Config table = fields;
    ConfigErrors errors;
    const RawNode node = parse_yaml(key.fallback, "default", true, errors);
    const auto value = read_value(key, node, errors);
    ASSERT_TRUE(value.has_value()) << key.path;
    key.apply(table, *value);
    EXPECT_EQ(key.show(fields), key.show(table)) << key.path;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace weft
