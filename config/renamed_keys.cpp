// SPDX-License-Identifier: Apache-2.0
#include "config/renamed_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/key.h"

namespace weft {
namespace {

std::string path_in(const std::string& section, const std::string& name) {
  return section.empty() ? name : section + "." + name;
}

/// The key that was called `path` before, or nullptr.
const ConfigKey* find_renamed_key(const std::string& path) {
  static const std::vector<const ConfigKey*> renamed = [] {
    std::vector<const ConfigKey*> keys;
    for (const ConfigKey& key : config_keys())
      if (!key.former.empty()) keys.push_back(&key);
    return keys;
  }();
  const auto was = [&](const ConfigKey* key) { return key->former == path; };
  const auto at = std::find_if(renamed.begin(), renamed.end(), was);
  return at == renamed.end() ? nullptr : *at;
}

}  // namespace

std::string new_key_name(const std::string& section, const std::string& name, const Origin& origin,
                         ConfigErrors& errors) {
  const std::string path = path_in(section, name);
  const ConfigKey* key = find_renamed_key(path);
  if (key == nullptr) return name;
  errors.warn(origin, fmt::format("{} is called {} now; a later version will refuse the old name", path, key->path));
  return key->path.substr(key->path.rfind('.') + 1);
}

void rename_old_keys(RawNode& node, const std::string& section, ConfigErrors& errors) {
  for (RawNode::Entry& entry : node.entries) {
    const std::string name = new_key_name(section, entry.key, entry.origin, errors);
    if (name != entry.key && node.find(name) != nullptr)
      errors.add(entry.origin, fmt::format("{0} is the old name of {1}, and both are given; take {0} out",
                                           path_in(section, entry.key), path_in(section, name)));
    entry.key = name;
    const std::string path = path_in(section, entry.key);
    if (find_config_section(path) != nullptr) rename_old_keys(entry.value, path, errors);
  }
}

}  // namespace weft
