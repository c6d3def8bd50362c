// SPDX-License-Identifier: Apache-2.0
#include "config/key.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rational_math.h"
#include "base/units.h"
#include "config/fabric_rules.h"
#include "config/policies.h"

namespace weft {

ConfigKey& ConfigKey::noted(std::string text) {
  note = std::move(text);
  return *this;
}
ConfigKey& ConfigKey::needing(std::vector<std::string> paths) {
  needs = std::move(paths);
  return *this;
}
ConfigKey& ConfigKey::derived(std::function<void(Config&)> function) {
  derive = std::move(function);
  return *this;
}
ConfigKey& ConfigKey::must_be_given() {
  required = true;
  return *this;
}

ConfigKey& ConfigKey::or_empty() {
  empty_is_absent = true;
  return *this;
}

ConfigKey& ConfigKey::formerly(std::string old_path) {
  former = std::move(old_path);
  return *this;
}

ConfigKey& ConfigKey::only_with(FabricFeature needed, std::string others_have) {
  feature = needed;
  instead = std::move(others_have);
  return *this;
}

bool ConfigKey::applies_to(const FabricSpec& fabric) const { return rules_of(fabric).has(feature); }

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> all = [] {
    std::vector<ConfigKey> keys;
    add_system_keys(keys);
    add_log_keys(keys);
    add_fabric_keys(keys);
    add_io_keys(keys);
    policies().add_npu_keys(keys);
    policies().add_memory_keys(keys);
    add_workload_keys(keys);
    return keys;
  }();
  return all;
}

const std::vector<ConfigSection>& config_sections() {
  static const std::vector<ConfigSection> all = {
      {"", "One system plus one workload."},
      {"limits", "When a run is ended from outside."},
      {"run", "How a run is carried out; results do not depend on it."},
      {"waves", "Recording of a waveform."},
      {"log", "What a run keeps besides its tables: log.sqlite, timeline.json."},
      {"fabric", "Routers or switches, and links."},
      {"fabric.link", "Links between routers."},
      {"fabric.link_y", "Links between routers along y, where they differ from those along x."},
      {"fabric.local", "Links between an NPU and its router or switch."},
      {"fabric.router", "The input-queued VC router."},
      {"io", "I/O controllers, which feed the fabric from outside."},
      {"npu", "Compute nodes and their network interfaces."},
      {"memory", "Memory of the NPUs, and memory outside the wafer."},
      {"workload",
       "What is run: exactly one of trace, collective, traffic, io. A kind given by an including file or by --set "
       "replaces the kind that was there."},
      {"workload.trace", "Plays Chakra execution traces."},
      {"workload.collective", "Runs one collective."},
      {"workload.traffic", "Synthetic traffic with warm-up, measured and drain phases."},
      {"workload.io", "Every I/O controller sends a stream of its own to all NPUs."},
  };
  return all;
}

namespace {

/// Whether `path` is within the element of a list.
bool is_element_of(std::string_view path, const ConfigKey& list) {
  return path.size() > list.path.size() && path[list.path.size()] == '[' &&
         path.substr(0, list.path.size()) == list.path;
}

}  // namespace

const ConfigKey* find_config_key(std::string_view path) {
  for (const ConfigKey& key : config_keys()) {
    if (key.path == path) return &key;
    if (key.elements.empty() || !is_element_of(path, key)) continue;
    for (const std::vector<ConfigKey>& element : key.elements)
      for (const ConfigKey& inner : element)
        if (inner.path == path) return &inner;
  }
  return nullptr;
}

const ConfigSection* find_config_section(std::string_view path) {
  for (const ConfigSection& section : config_sections())
    if (section.path == path) return &section;
  return nullptr;
}

std::vector<std::string_view> names_in_section(std::string_view section) {
  std::vector<std::string_view> names;
  const std::size_t start = section.empty() ? 0 : section.size() + 1;
  const auto add = [&](std::string_view path) {
    if (path.size() <= start) return;
    if (!section.empty() && (path.substr(0, section.size()) != section || path[section.size()] != '.')) return;
    const std::string_view name = path.substr(start, path.find('.', start) - start);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const ConfigKey& key : config_keys()) {
    add(key.path);
    if (key.elements.empty() || !is_element_of(section, key)) continue;
    for (const std::vector<ConfigKey>& element : key.elements)
      for (const ConfigKey& inner : element) add(inner.path);
  }
  return names;
}

std::string_view workload_kind_of(std::string_view path) {
  constexpr std::string_view kPrefix = "workload.";
  if (path.substr(0, kPrefix.size()) != kPrefix) return "";
  path.remove_prefix(kPrefix.size());
  return path.substr(0, path.find('.'));
}

std::string_view workload_kind_of(const Config& config) {
  constexpr std::string_view kKinds[] = {"trace", "collective", "traffic", "io"};
  return kKinds[config.workload.index()];
}

namespace {

std::string range_text(const ValueRange& range, std::optional<Dimension> dimension) {
  const auto text = [&](Rational amount) { return dimension ? format_quantity(amount, *dimension) : to_text(amount); };
  constexpr std::uint64_t kUnlimited = 10'000'000'000'000'000'000u;
  const bool has_top = range.high.num < kUnlimited;
  if (has_top) return fmt::format(" from {} to {}", text(range.low), text(range.high));
  return range.low.num > 0 ? fmt::format(" of at least {}", text(range.low)) : "";
}

std::string with_units(std::string_view what, const ValueRange& range, Dimension dimension) {
  return fmt::format("{}{} such as '{}' (units: {})", what, range_text(range, dimension), example_quantity(dimension),
                     legal_units(dimension));
}

std::string legal_values_of_type(const ConfigKey& key) {
  switch (key.type) {
    case ValueType::kText:
      return "text";
    case ValueType::kFile:
      return "the name of a file";
    case ValueType::kNameOrFile:
      return "a name, or that of a file (with a /, or .yaml at its end)";
    case ValueType::kTracePrefix:
      return "the prefix of files <prefix>.<rank>.et";
    case ValueType::kWord:
      return "";
    case ValueType::kInteger:
      return fmt::format("an integer{}", range_text(key.range, std::nullopt));
    case ValueType::kReal:
      return fmt::format("a number{}", range_text(key.range, std::nullopt));
    case ValueType::kBoolean:
      return "true or false";
    case ValueType::kBandwidth:
      return with_units("a bandwidth", key.range, Dimension::kBandwidth);
    case ValueType::kComputeRate:
      return with_units("a compute rate", key.range, Dimension::kComputeRate);
    case ValueType::kFrequency:
      return with_units("a frequency", key.range, Dimension::kFrequency);
    case ValueType::kDuration:
      return with_units("a duration", key.range, Dimension::kDuration);
    case ValueType::kBytes:
      return with_units("a number of bytes", key.range, Dimension::kBytes);
    case ValueType::kLatency:
      return fmt::format("bare cycles{}, or a duration such as '20 ns' (units: {})",
                         range_text(key.range, std::nullopt), legal_units(Dimension::kDuration));
    case ValueType::kByteCount:
      return fmt::format("bytes{}, bare or with a unit ({})", range_text(key.range, std::nullopt),
                         legal_units(Dimension::kBytes));
    case ValueType::kSize:
      return fmt::format("[x, y], two integers{}; one integer with kinds other than mesh and torus",
                         range_text(key.range, std::nullopt));
    case ValueType::kIntegers:
      return "a list of integers such as [0, 1, 2]";
    case ValueType::kTexts:
      return "a list of text";
    case ValueType::kWords:
      return fmt::format("a list of some of {}", fmt::join(key.words, ", "));
    case ValueType::kMaps: {
      std::vector<std::string_view> names;
      for (const ConfigKey& inner : key.elements[0])
        names.push_back(std::string_view(inner.path).substr(inner.path.rfind('.') + 1));
      return fmt::format("a list of 1 to {} maps with the keys {}", key.elements.size(), fmt::join(names, ", "));
    }
  }
  return "";
}

bool is_plain_word(std::string_view text) {
  static const std::vector<std::string_view> taken = {"null", "true", "false", "yes",  "no",    "on",   "off",
                                                      "Null", "NULL", "True",  "TRUE", "False", "FALSE"};
  if (text.empty() || std::find(taken.begin(), taken.end(), text) != taken.end()) return false;
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/';
  };
  const char first = text.front();
  return std::all_of(text.begin(), text.end(), plain) && first != '-' && first != '.';
}

}  // namespace

std::string kinds_with(FabricFeature feature) {
  if (feature == FabricFeature::kAny) return "";
  std::vector<std::string_view> names;
  for (const auto& [name, kind] : fabric_kind_names()) {
    if (rules_of(kind).has(feature)) names.emplace_back(name);
  }
  const std::string last(names.back());
  names.pop_back();
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string legal_values(const ConfigKey& key) {
  const std::string words =
      key.words.size() == 1 ? fmt::format("'{}'", key.words[0]) : fmt::format("one of {}", fmt::join(key.words, ", "));
  std::string values = legal_values_of_type(key);
  if (key.words.empty() || key.type == ValueType::kWords) return values;
  return values.empty() ? words : fmt::format("{} or {}", words, values);
}

std::string yaml_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string yaml_text(std::string_view text) { return is_plain_word(text) ? std::string(text) : yaml_quoted(text); }

}  // namespace weft
