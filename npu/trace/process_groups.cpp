// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/process_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/json_fault.h"
#include "base/read_file.h"
#include "base/text_distance.h"

namespace weft::npu {

namespace {

using Json = nlohmann::json;

// The parser keeps the last of two equal keys; here the second is an error.
Json parse_json(std::string_view text, const std::string& source) {
  std::set<std::string> keys;
  std::string repeated;
  const Json::parser_callback_t note_keys = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1 && !keys.insert(parsed.get<std::string>()).second) {
      repeated = parsed.get<std::string>();
    }
    return true;
  };
  try {
    Json json = Json::parse(text, note_keys);
    if (!repeated.empty()) throw InputError(fmt::format("{}: group \"{}\" is defined twice", source, repeated));
    return json;
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: not valid JSON: {}", source, json_fault(error.what())));
  }
}

RankId rank_from(const Json& value, const std::string& group, const std::string& source) {
  if (value.is_number_integer() && (value.is_number_unsigned() || value.get<std::int64_t>() >= 0)) {
    const auto number = value.get<std::uint64_t>();
    if (number <= std::numeric_limits<std::uint32_t>::max()) return RankId{static_cast<std::uint32_t>(number)};
  }
  throw InputError(fmt::format("{}: group \"{}\": {} is not a rank (integer from 0)", source, group,
                               value.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

std::vector<RankId> ranks_from(const Json& list, const std::string& group, const std::string& source) {
  if (!list.is_array()) {
    throw InputError(fmt::format("{}: group \"{}\" is {}, expected a list of ranks", source, group, list.type_name()));
  }
  std::vector<RankId> ranks;
  for (const Json& value : list) ranks.push_back(rank_from(value, group, source));
  return ranks;
}

std::string name_from(const Json& value, const std::string& source) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  throw InputError(fmt::format("{}: pg_name is {}, expected text that holds a number", source, value.type_name()));
}

}  // namespace

bool names_all_ranks(std::string_view group) { return group.empty() || group == "0"; }

ProcessGroups ProcessGroups::from_json_file(const std::string& path) {
  return from_json_text(read_file(path, kMostSideFileBytes), path);
}

ProcessGroups ProcessGroups::from_json_text(std::string_view text, const std::string& source) {
  const Json json = parse_json(text, source);
  if (!json.is_object()) {
    throw InputError(
        fmt::format("{}: is {}, expected an object like {{\"1\": [0, 1], \"2\": [2, 3]}}", source, json.type_name()));
  }
  ProcessGroups groups;
  for (const auto& [name, list] : json.items()) {
    std::vector<RankId> ranks = ranks_from(list, name, source);
    if (names_all_ranks(name) && !ranks.empty()) {
      throw InputError(fmt::format(
          "{}: group \"{}\" always means all ranks and cannot be defined; use names from \"1\"", source, name));
    }
    groups.add(name, std::move(ranks), source);
  }
  return groups;
}

void ProcessGroups::add(const std::string& name, std::vector<RankId> ranks, const std::string& source) {
  std::set<RankId> seen;
  for (const RankId rank : ranks) {
    if (!seen.insert(rank).second) {
      throw InputError(fmt::format("{}: group \"{}\" names rank {} twice", source, name, index(rank)));
    }
  }
  const auto [found, fresh] = groups_.try_emplace(name, ranks);
  if (!fresh && found->second != ranks) {
    throw InputError(fmt::format("{}: group \"{}\" is defined a second time with other ranks", source, name));
  }
}

void ProcessGroups::add_pytorch(std::string_view values, const std::string& source) {
  constexpr std::size_t kWrapping = 2;
  if (values.size() < 2 * kWrapping) {
    throw InputError(fmt::format("{}: process groups expected in inputs.values, found \"{}\"", source, values));
  }
  const Json json = parse_json(values.substr(kWrapping, values.size() - 2 * kWrapping), source);
  if (!json.is_array()) {
    throw InputError(fmt::format("{}: process groups are {}, expected a list", source, json.type_name()));
  }
  for (const Json& group : json) {
    if (!group.is_object() || !group.contains("pg_name") || !group.contains("ranks")) {
      throw InputError(fmt::format("{}: a process group needs pg_name and ranks, found {}", source,
                                   group.dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
    const std::string name = name_from(group.at("pg_name"), source);
    add(name, ranks_from(group.at("ranks"), name, source), source);
    const auto description = group.find("pg_desc");
    if (description != group.end() && description->is_string()) descriptions_[name] = description->get<std::string>();
  }
}

void ProcessGroups::merge(const ProcessGroups& other, const std::string& source) {
  for (const auto& [name, ranks] : other.groups_) add(name, ranks, source);
  for (const auto& [name, text] : other.descriptions_) descriptions_.try_emplace(name, text);
}

std::string ProcessGroups::description(const std::string& name) const {
  const auto found = descriptions_.find(name);
  return found == descriptions_.end() ? "" : found->second;
}

bool ProcessGroups::contains(const std::string& name) const {
  return names_all_ranks(name) || groups_.find(name) != groups_.end();
}

std::vector<RankId> ProcessGroups::members(const std::string& name, std::size_t world) const {
  const auto found = groups_.find(name);
  if (found != groups_.end() && !found->second.empty()) return found->second;
  if (found != groups_.end() || names_all_ranks(name)) {
    std::vector<RankId> ranks;
    for (std::uint32_t rank = 0; rank < world; ++rank) ranks.push_back(RankId{rank});
    return ranks;
  }
  if (groups_.empty()) throw InputError(fmt::format("group \"{}\" is not defined; no groups are known", name));
  const auto nearest = std::min_element(groups_.begin(), groups_.end(), [&](const auto& a, const auto& b) {
    return edit_distance(name, a.first) < edit_distance(name, b.first);
  });
  throw InputError(fmt::format("group \"{}\" is not defined; {} groups are known, the nearest name is \"{}\"", name,
                               groups_.size(), nearest->first));
}

void ProcessGroups::write_json(std::ostream& out) const {
  out << "{";
  const char* separator = "";
  for (const auto& [name, ranks] : groups_) {
    std::vector<std::uint32_t> numbers;
    for (const RankId rank : ranks) numbers.push_back(index(rank));
    out << separator << Json(name).dump() << ": " << fmt::format("[{}]", fmt::join(numbers, ", "));
    separator = ", ";
  }
  out << "}\n";
}

}  // namespace weft::npu
