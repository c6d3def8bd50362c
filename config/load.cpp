// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <fmt/format.h>

#include "base/error.h"
#include "config/layers.h"
#include "config/raw.h"
#include "config/resolve.h"

namespace weft {

Config load_config_text(const std::string& text, const std::string& name, const std::vector<std::string>& sets,
                        const ConfigFiles& files, const ConfigCheck& check) {
  ConfigErrors errors;
  RawNode tree = read_layers(text, name, files, errors);
  apply_sets(tree, sets, errors);
  if (errors.is_blind()) errors.throw_if_any();
  const RawConfig raw = read_raw_config(tree, errors);
  if (errors.is_blind()) errors.throw_if_any();
  Config config = resolve_config(raw, files, errors);
  config.load_warnings = errors.warnings();
  errors.throw_if_any();
  if (check) {
    for (const auto& [path, sentence] : check(config)) {
      errors.add(raw.origin_of(path), fmt::format("{}: {}", path, sentence));
    }
  }
  errors.throw_if_any();
  return config;
}

Config load_config(const std::string& path, const std::vector<std::string>& sets, const ConfigFiles& files,
                   const ConfigCheck& check) {
  return load_config_text(files.read(path), path, sets, files, check);
}

namespace {

/// Elements of a list of maps, indented by `indent`.
std::string list_yaml(const ConfigKey& list, const Config& config, std::size_t indent) {
  std::string text = "\n";
  const std::uint64_t count = std::stoull(list.show(config));
  for (std::size_t i = 0; i < count; ++i) {
    bool is_first = true;
    for (const ConfigKey& key : list.elements[i]) {
      const std::string value = key.show(config);
      if (value.empty()) continue;
      text += fmt::format("{}{} {}: {}\n", std::string(indent, ' '), is_first ? "-" : " ",
                          key.path.substr(key.path.rfind('.') + 1), value);
      is_first = false;
    }
  }
  return text;
}

}  // namespace

std::string to_yaml(const Config& config) {
  std::string text = "# Complete configuration: every key with the value that was used.\n";
  std::vector<std::string> open;  // sections around the line before
  for (const ConfigKey& key : config_keys()) {
    const std::string_view kind = workload_kind_of(key.path);
    if (!kind.empty() && kind != workload_kind_of(config)) continue;
    if (!key.applies_to(config.fabric)) continue;
    const std::string value = key.type == ValueType::kMaps ? "" : key.show(config);
    if (value.empty() && key.type != ValueType::kMaps) continue;
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= key.path.size();) {
      const std::size_t dot = std::min(key.path.find('.', at), key.path.size());
      parts.push_back(key.path.substr(at, dot - at));
      at = dot + 1;
    }
    std::size_t shared = 0;
    while (shared < open.size() && shared + 1 < parts.size() && open[shared] == parts[shared]) ++shared;
    open.resize(shared);
    for (; open.size() + 1 < parts.size(); open.push_back(parts[open.size()]))
      text += fmt::format("{}{}:\n", std::string(2 * open.size(), ' '), parts[open.size()]);
    text += fmt::format("{}{}:", std::string(2 * open.size(), ' '), parts.back());
    text += key.type == ValueType::kMaps ? list_yaml(key, config, 2 * open.size() + 2) : " " + value + "\n";
  }
  return text;
}

}  // namespace weft
