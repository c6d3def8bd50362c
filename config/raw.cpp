// SPDX-License-Identifier: Apache-2.0
#include "config/raw.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_distance.h"

namespace weft {
namespace {

/// The path of the only key or section anywhere in the table whose last name is `name`, for keys in the wrong section.
std::string_view elsewhere(std::string_view name) {
  std::string_view found;
  const auto look = [&](std::string_view path) {
    if (path.substr(path.rfind('.') + 1) != name) return true;  // also of a key without a section
    const bool is_first = found.empty();
    found = path;
    return is_first;
  };
  for (const ConfigKey& key : config_keys()) {
    if (!look(key.path)) return "";
    if (key.elements.empty()) continue;
    for (const ConfigKey& inner : key.elements[0])
      if (!look(inner.path)) return "";
  }
  for (const ConfigSection& section : config_sections())
    if (!look(section.path)) return "";
  return found;
}

/// Whether `path` is that of `section`, or of a key in it.
bool is_within(std::string_view path, std::string_view section) {
  if (path.substr(0, section.size()) != section) return false;
  return path.size() == section.size() || path[section.size()] == '.' || path[section.size()] == '[';
}

class RawReader {
 public:
  RawReader(RawConfig& raw, ConfigErrors& errors) : raw_(raw), errors_(errors) {}

  void read_section(const RawNode& node, const std::string& section) {
    raw_.sections[section] = node.origin;
    if (node.kind == RawNode::Kind::kNull) return;  // an empty section takes all defaults
    if (node.kind != RawNode::Kind::kMap) {
      const std::string sentence = fmt::format("{}{} where keys are expected; known: {}",
                                               section.empty() ? "" : section + ": ", node.describe(), known(section));
      if (section.empty()) return errors_.add_blinding(node.origin, sentence);
      errors_.add(node.origin, sentence);
      mark_bad(section);
      return;
    }
    for (const RawNode::Entry& entry : node.entries) read_entry(entry, section);
  }

 private:
  void read_entry(const RawNode::Entry& entry, const std::string& section) {
    const std::string path = section.empty() ? entry.key : section + "." + entry.key;
    if (const ConfigKey* key = find_config_key(path)) {
      if (key->type == ValueType::kMaps) {
        read_elements(*key, entry.value);
      } else if (auto value = read_value(*key, entry.value, errors_)) {
        raw_.values[path] = {std::move(*value), entry.value.origin};
      } else {
        raw_.bad.insert(path);
      }
    } else if (find_config_section(path) != nullptr && !path.empty()) {
      read_section(entry.value, path);
    } else {
      unknown(entry, section);
    }
  }

  void read_elements(const ConfigKey& list, const RawNode& node) {
    const std::size_t most = list.elements.size();
    std::string problem;
    if (node.kind == RawNode::Kind::kNull)
      problem = "has no value";
    else if (node.kind != RawNode::Kind::kList)
      problem = fmt::format("{} cannot be used", node.describe());
    else if (node.items.empty())
      problem = "an empty list";
    else if (node.items.size() > most)
      problem = fmt::format("a list of {} cannot be used", node.items.size());
    if (!problem.empty()) {
      errors_.add(node.origin, fmt::format("{}: {}; legal: {}", list.path, problem, legal_values(list)));
      return mark_bad(list.path);
    }
    raw_.values[list.path] = {Value(std::uint64_t{node.items.size()}), node.origin};
    for (std::size_t i = 0; i < node.items.size(); ++i)
      read_section(node.items[i], fmt::format("{}[{}]", list.path, i));
  }

  void unknown(const RawNode::Entry& entry, const std::string& section) {
    const std::string where = section.empty() ? "" : fmt::format(" in '{}'", section);
    const std::string sentence = fmt::format("unknown key {}{}", in_quotes(entry.key), where);
    // A file with so many is no configuration; few errors are shown, and to look for similar names takes long.
    if (++unknown_ > kMostHints) return errors_.add(entry.origin, sentence);
    const std::vector<std::string_view> names = names_in_section(section);
    std::string hint = did_you_mean(entry.key, names);
    const std::string_view other = elsewhere(entry.key);
    if (hint.empty() && !other.empty()) hint = fmt::format("; did you mean '{}'?", other);
    errors_.add(entry.origin, fmt::format("{}{} Known: {}", sentence, hint.empty() ? ";" : hint, known(section)));
    // What the misspelt key was meant to set is not known now.
    const std::string_view near = nearest_name(entry.key, names);
    if (!near.empty()) mark_bad(section.empty() ? std::string(near) : fmt::format("{}.{}", section, near));
  }

  void mark_bad(const std::string& path) {
    const auto mark = [&](const ConfigKey& key) {
      if (is_within(key.path, path)) raw_.bad.insert(key.path);
    };
    for (const ConfigKey& key : config_keys()) {
      mark(key);
      for (const std::vector<ConfigKey>& element : key.elements)
        for (const ConfigKey& inner : element) mark(inner);
    }
  }

  static std::string known(const std::string& section) {
    return fmt::format("{}", fmt::join(names_in_section(section), ", "));
  }

  static constexpr std::size_t kMostHints = 1000;
  RawConfig& raw_;
  ConfigErrors& errors_;
  std::size_t unknown_ = 0;
};

}  // namespace

Origin RawConfig::origin_of(const std::string& path) const {
  if (const auto at = values.find(path); at != values.end()) return at->second.origin;
  for (std::string around = path; !around.empty();) {
    const std::size_t dot = around.rfind('.');
    around = dot == std::string::npos ? "" : around.substr(0, dot);
    if (const auto at = sections.find(around); at != sections.end() && !around.empty()) return at->second;
  }
  return origin;
}

bool RawConfig::is_bad_within(const std::string& path) const {
  return std::any_of(bad.begin(), bad.end(), [&](const std::string& each) { return is_within(each, path); });
}

RawConfig read_raw_config(const RawNode& tree, ConfigErrors& errors) {
  RawConfig raw;
  raw.origin = tree.origin;
  RawReader(raw, errors).read_section(tree, "");
  return raw;
}

}  // namespace weft
