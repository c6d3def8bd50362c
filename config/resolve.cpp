// SPDX-License-Identifier: Apache-2.0
#include "config/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/text_distance.h"
#include "base/utf8.h"
#include "config/fabric_rules.h"
#include "config/layers.h"

namespace weft {
namespace {

/// The name under which an input file can be opened: beside the file that names it, or else as it is.
std::string find_file(const std::string& name, bool is_prefix, const Origin& origin, const ConfigFiles& files) {
  const auto exists = [&](const std::string& path) {
    return is_prefix ? files.prefix_exists(path) : files.exists(path);
  };
  std::vector<std::string> tried;
  if (origin.line > 0) tried.push_back(beside(*origin.source, name));
  if (std::find(tried.begin(), tried.end(), name) == tried.end()) tried.push_back(name);
  for (const std::string& path : tried)
    if (exists(path)) return path;
  std::string text;
  for (const std::string& path : tried)
    text += (text.empty() ? "" : " and ") + in_quotes(path + (is_prefix ? ".*" : ""));
  throw InputError(fmt::format("no such file; looked for {}", text));
}

class Resolver {
 public:
  Resolver(RawConfig& raw, const ConfigFiles& files, ConfigErrors& errors)
      : raw_(raw), files_(files), errors_(errors) {}

  Config resolve() {
    choose_workload();
    for (const ConfigKey& key : config_keys()) {
      const std::string_view kind = workload_kind_of(key.path);
      if (kind.empty() || kind == workload_kind_) resolve_key(key);
      if (key.path == "fabric.kind" && is_of_another_kind()) break;
    }
    return std::move(config_);
  }

 private:
  void choose_workload() {
    std::vector<std::string_view> given;
    for (const std::string_view kind : {"trace", "collective", "traffic", "io"})
      if (raw_.sections.count("workload." + std::string(kind)) != 0) given.push_back(kind);
    if (given.empty()) {
      if (raw_.is_bad("workload.trace.chakra")) return;  // the section is there, but no map
      errors_.add(raw_.origin_of("workload.?"),
                  "workload is missing; legal: exactly one of trace, collective, traffic, io");
      return;
    }
    workload_kind_ = given[0];
    if (workload_kind_ == "trace") config_.workload = TraceWorkload();
    if (workload_kind_ == "collective") config_.workload = CollectiveWorkload();
    if (workload_kind_ == "traffic") config_.workload = TrafficWorkload();
    if (workload_kind_ == "io") config_.workload = IoWorkload();
    if (given.size() == 1) return;
    const auto origin = [&](std::string_view kind) { return raw_.sections.at("workload." + std::string(kind)); };
    const auto is_option = [&](std::string_view kind) { return origin(kind).line == 0; };
    const auto at = std::find_if(given.begin(), given.end(), is_option);
    errors_.add(origin(at == given.end() ? given.back() : *at),
                fmt::format("workload has {}; legal: exactly one of trace, collective, traffic, io",
                            fmt::join(given, " and ")));
  }

  void resolve_key(const ConfigKey& key) {
    const auto is_bad = [&](const std::string& path) { return raw_.is_bad(path); };
    if (is_bad(key.path) || std::any_of(key.needs.begin(), key.needs.end(), is_bad)) return;
    const auto at = raw_.values.find(key.path);
    if (!key.applies_to(config_.fabric)) {
      if (at != raw_.values.end()) refuse_kind(key);
      return;
    }
    try {
      if (at != raw_.values.end()) {
        apply(key, at->second);
      } else if (!key.fallback.empty()) {
        key.apply(config_, fallback(key));
      } else if (key.derive) {
        key.derive(config_);
      } else if (key.required) {
        throw InputError(fmt::format("is missing; legal: {}", legal_values(key)));
      }
    } catch (const InputError& error) {
      errors_.add(raw_.origin_of(key.path), fmt::format("{}: {}", key.path, error.what()));
      raw_.bad.insert(key.path);
    }
    if (key.type != ValueType::kMaps || at == raw_.values.end()) return;
    for (std::size_t i = 0; i < std::get<std::uint64_t>(at->second.value); ++i)
      for (const ConfigKey& inner : key.elements[i]) resolve_key(inner);
  }

  /// Whether the keys of a whole system are those of another kind of fabric, as with an unlike include. That is one
  /// error, and whatever else could be said follows from it.
  bool is_of_another_kind() {
    if (raw_.is_bad("fabric.kind")) return false;
    constexpr std::size_t kMostSingle = 2;
    constexpr std::size_t kShown = 4;
    std::vector<std::string> where;
    std::string kinds;
    for (const ConfigKey& key : config_keys()) {
      const auto at = raw_.values.find(key.path);
      if (at == raw_.values.end() || key.applies_to(config_.fabric)) continue;
      kinds = kinds_with(key.feature);
      where.push_back(fmt::format("{} ({})", key.path, at->second.origin.text()));
    }
    if (where.size() <= kMostSingle) return false;
    const std::size_t count = where.size();
    where.resize(std::min(count, kShown));
    errors_.add_blinding(
        raw_.origin_of("fabric.kind"),
        fmt::format(
            "fabric.kind: is {}{}, but {} keys are only for {}: {}{}; take these out, or set fabric.kind to their "
            "kind",
            name_of(config_.fabric.kind), raw_.has("fabric.kind") ? "" : ", which is the default", count, kinds,
            fmt::join(where, ", "), count > kShown ? fmt::format(" and {} more", count - kShown) : ""));
    return true;
  }

  /// A key that this kind of fabric does not have.
  void refuse_kind(const ConfigKey& key) {
    raw_.bad.insert(key.path);
    if (raw_.is_bad("fabric.kind")) return;  // which kind was meant is not known
    const std::string instead = rules_of(config_.fabric).instead_of(key.instead);
    errors_.add(raw_.origin_of(key.path), fmt::format("{}: is only for fabric.kind {}, but fabric.kind is {}{}",
                                                      key.path, kinds_with(key.feature), name_of(config_.fabric.kind),
                                                      instead.empty() ? "" : "; there it is " + instead));
  }

  void apply(const ConfigKey& key, const RawValue& raw) {
    const bool is_prefix = key.type == ValueType::kTracePrefix;
    const bool is_off = key.empty_is_absent && std::get<std::string>(raw.value).empty();
    if (is_off || !(is_prefix || names_file(key, raw.value))) return key.apply(config_, raw.value);
    key.apply(config_, find_file(std::get<std::string>(raw.value), is_prefix, raw.origin, files_));
  }

  static bool names_file(const ConfigKey& key, const Value& value) {
    if (key.type == ValueType::kFile) return true;
    if (key.type != ValueType::kNameOrFile) return false;
    const auto& text = std::get<std::string>(value);
    constexpr std::string_view kEnding = ".yaml";
    return text.find('/') != std::string::npos ||
           (text.size() >= kEnding.size() && text.compare(text.size() - kEnding.size(), kEnding.size(), kEnding) == 0);
  }

  /// Defaults are read like written values: the table holds the text that the documentation shows.
  static Value fallback(const ConfigKey& key) {
    ConfigErrors errors;
    const RawNode node = parse_yaml(key.fallback, "default of " + key.path, true, errors);
    const auto value = read_value(key, node, errors);
    errors.throw_if_any();
    return *value;
  }

  RawConfig& raw_;
  const ConfigFiles& files_;
  ConfigErrors& errors_;
  Config config_;
  std::string_view workload_kind_;
};

std::string default_name(const RawConfig& raw) {
  const std::string source = raw.origin.source ? *raw.origin.source : "";
  const std::string stem = std::filesystem::path(source).stem().string();
  return stem.empty() ? "weft" : escaped_utf8(stem);
}

}  // namespace

Config resolve_config(RawConfig raw, const ConfigFiles& files, ConfigErrors& errors) {
  Config config = Resolver(raw, files, errors).resolve();
  if (errors.is_blind()) return config;
  rules_of(config.fabric).complete(config, raw, errors);
  if (config.name.empty()) config.name = default_name(raw);
  check_contradictions(config, raw, errors);
  config.fabric.local.latency_cycles = config.npu.ramp_cycles;  // two names of one thing
  return config;
}

}  // namespace weft
