// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/group_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/json_fault.h"
#include "base/name_pattern.h"
#include "base/read_file.h"
#include "base/text_distance.h"
#include "config/names.h"
#include "npu/trace/process_groups.h"

namespace weft::npu {
namespace {

using Json = nlohmann::json;

std::string shown(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

TrainingPhase phase_from(const std::string& name, const std::string& source) {
  for (const TrainingPhase phase : {TrainingPhase::kMp, TrainingPhase::kPp, TrainingPhase::kDp}) {
    if (name_of(phase) == name) return phase;
  }
  throw InputError(fmt::format("{}: \"{}\" is no phase; legal: mp, pp, dp", source, name));
}

/// Words of letters, in lower case: "DATA_PARALLEL_3" has "data" and "parallel".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalpha(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

}  // namespace

std::optional<TrainingPhase> phase_in_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  const auto has = [&words](const auto& wanted) {
    return std::find_first_of(words.begin(), words.end(), wanted.begin(), wanted.end()) != words.end();
  };
  // A pipeline is a model parallelism, too, and so its own words come first.
  if (has(std::array{"pp", "pipeline"})) return TrainingPhase::kPp;
  const bool model = has(std::array{"mp", "tp", "tensor", "model"});
  const bool data = has(std::array{"dp", "data"});
  if (model == data) return std::nullopt;
  return model ? TrainingPhase::kMp : TrainingPhase::kDp;
}

GroupPhases GroupPhases::from_json_file(const std::string& path) {
  return from_json_text(read_file(path, kMostSideFileBytes), path);
}

GroupPhases GroupPhases::from_json_text(std::string_view text, const std::string& source) {
  nlohmann::ordered_json json;
  std::set<std::string> keys;
  std::string repeated;
  // The parser keeps the last of two equal keys; here the second is an error.
  const nlohmann::ordered_json::parser_callback_t note_keys = [&](int depth, auto event, const auto& parsed) {
    const bool is_key = event == nlohmann::ordered_json::parse_event_t::key && depth == 1;
    if (is_key && !keys.insert(parsed.template get<std::string>()).second)
      repeated = parsed.template get<std::string>();
    return true;
  };
  try {
    json = nlohmann::ordered_json::parse(text, note_keys);
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: not valid JSON: {}", source, json_fault(error.what())));
  }
  if (!json.is_object()) {
    throw InputError(fmt::format(R"({}: is {}, expected an object like {{"mp": ["1", "tp*"], "dp": ["11"]}})", source,
                                 json.type_name()));
  }
  if (!repeated.empty()) throw InputError(fmt::format("{}: phase \"{}\" stands twice", source, repeated));
  GroupPhases phases;
  phases.source_ = source;
  for (const auto& [name, patterns] : json.items()) {
    const TrainingPhase phase = phase_from(name, source);
    if (!patterns.is_array())
      throw InputError(
          fmt::format("{}: {}: is {}, expected a list of group names", source, name, patterns.type_name()));
    for (const auto& pattern : patterns) {
      if (!pattern.is_string())
        throw InputError(fmt::format("{}: {}: {} is no group name in quotes", source, name, shown(pattern)));
      phases.rules_.emplace_back(pattern.get<std::string>(), phase);
    }
  }
  return phases;
}

void GroupPhases::require_groups(const std::map<std::string, std::vector<RankId>>& groups) const {
  for (const auto& [pattern, phase] : rules_) {
    const bool is_known = names_all_ranks(pattern) || groups.find(pattern) != groups.end();
    if (is_known || pattern.find('*') != std::string::npos) continue;
    std::vector<std::string_view> names;
    for (const auto& [name, members] : groups) names.emplace_back(name);
    throw InputError(fmt::format("{}: {}: no group has the name \"{}\"{}", source_, name_of(phase), pattern,
                                 names.empty() ? "; the workload has no groups"
                                               : fmt::format("; nearest: \"{}\"", nearest_name(pattern, names))));
  }
}

std::optional<TrainingPhase> GroupPhases::phase_of(const std::string& group, const std::string& description) const {
  for (const auto& [pattern, phase] : rules_) {
    if (matches_pattern(pattern, group)) return phase;
  }
  const auto described = phase_in_name(description);
  return described ? described : phase_in_name(group);
}

}  // namespace weft::npu
