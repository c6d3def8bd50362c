// SPDX-License-Identifier: Apache-2.0
// The raw configuration: which keys were written, with typed values and places; nothing is filled in or derived.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "config/key.h"
#include "config/tree.h"

namespace weft {

struct RawValue {
  Value value;
  Origin origin;
};

/// Keys as written. Keys with an error are listed in `bad`, so that checks between keys can leave them out.
struct RawConfig {
  Origin origin;  ///< origin of the whole file
  std::map<std::string, RawValue> values;
  std::map<std::string, Origin> sections;  ///< elements of lists, too: "fabric.levels[0]"
  std::set<std::string> bad;

  bool has(const std::string& path) const { return values.count(path) != 0; }
  bool is_bad(const std::string& path) const { return bad.count(path) != 0; }
  /// Also true where a key within the section or list of this path is bad.
  bool is_bad_within(const std::string& path) const;
  /// Place of a key, else of the nearest section around it that was written.
  Origin origin_of(const std::string& path) const;
};

/// Reads a value of the key's type. Errors go to `errors`; nullopt when there was one.
std::optional<Value> read_value(const ConfigKey& key, const RawNode& node, ConfigErrors& errors);
/// Sorts a tree into the table of keys: unknown keys, wrong types and values out of range go to `errors`.
RawConfig read_raw_config(const RawNode& tree, ConfigErrors& errors);

}  // namespace weft
