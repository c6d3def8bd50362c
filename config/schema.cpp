// SPDX-License-Identifier: Apache-2.0
#include "config/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "config/fabric_rules.h"
#include "config/key.h"
#include "config/names.h"
#include "config/tree.h"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json integer_schema(const ValueRange& range) {
  Json schema = {{"type", "integer"}, {"minimum", range.low.num}};
  if (range.high.num != ~std::uint64_t{0}) schema["maximum"] = range.high.num;
  return schema;
}

Json quantity_schema(Dimension dimension) {
  std::string units;
  for (const char c : legal_units(dimension)) {
    if (c == ',') units += '|';
    if (c != ',' && c != ' ') units += c;
  }
  const std::string number = "[0-9.]+([eE][-+]?[0-9]+)?(/[0-9.]+)?";
  return {{"type", "string"}, {"pattern", fmt::format("^ *{} *({}) *$", number, units)}};
}

Json list_schema(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json elements_schema(const ConfigKey& list);

Json type_schema(const ConfigKey& key) {
  switch (key.type) {
    case ValueType::kText:
    case ValueType::kFile:
    case ValueType::kNameOrFile:
    case ValueType::kTracePrefix:
      if (key.empty_is_absent) return {{"type", {"string", "null"}}};
      return {{"type", "string"}, {"minLength", 1}};
    case ValueType::kWord:
      return {{"enum", key.words}};
    case ValueType::kInteger:
      return integer_schema(key.range);
    case ValueType::kReal:
      return {{"type", "number"}, {"minimum", key.range.low.value()}, {"maximum", key.range.high.value()}};
    case ValueType::kBoolean:
      return {{"type", "boolean"}};
    case ValueType::kBandwidth:
      return quantity_schema(Dimension::kBandwidth);
    case ValueType::kComputeRate:
      return quantity_schema(Dimension::kComputeRate);
    case ValueType::kFrequency:
      return quantity_schema(Dimension::kFrequency);
    case ValueType::kDuration:
      return quantity_schema(Dimension::kDuration);
    case ValueType::kBytes:
      return quantity_schema(Dimension::kBytes);
    case ValueType::kLatency:
      return {{"anyOf", {integer_schema(key.range), quantity_schema(Dimension::kDuration)}}};
    case ValueType::kByteCount:
      return {{"anyOf", {integer_schema(key.range), quantity_schema(Dimension::kBytes)}}};
    case ValueType::kSize: {
      Json schema = list_schema(integer_schema(key.range));
      schema["minItems"] = 2;
      schema["maxItems"] = 2;
      return {{"anyOf", {integer_schema(key.range), schema}}};
    }
    case ValueType::kIntegers:
      return list_schema(integer_schema(key.range));
    case ValueType::kWords:
      return list_schema(Json{{"enum", key.words}});
    case ValueType::kMaps:
      return elements_schema(key);
    case ValueType::kTexts:
      return {{"anyOf", {Json{{"type", "string"}}, list_schema(Json{{"type", "string"}})}}};
  }
  return Json::object();
}

/// A default as JSON: numbers and truth values as such, the rest as text.
Json fallback_json(const ConfigKey& key) {
  if (key.type == ValueType::kBoolean) return key.fallback == "true";
  const Json parsed = Json::parse(key.fallback, nullptr, false);
  return parsed.is_number() ? parsed : Json(key.fallback);
}

Json key_schema(const ConfigKey& key) {
  Json schema = type_schema(key);
  if (!key.words.empty() && key.type != ValueType::kWord && key.type != ValueType::kWords)
    schema = {{"anyOf", {Json{{"enum", key.words}}, schema}}};
  std::string description = key.doc;
  if (!key.note.empty()) description += fmt::format(" Absent: {}.", key.note);
  if (!key.former.empty()) description += fmt::format(" Formerly {}.", key.former);
  if (key.feature != FabricFeature::kAny) description += fmt::format(" Only with kind {}.", kinds_with(key.feature));
  schema["description"] = description;
  if (!key.fallback.empty()) schema["default"] = fallback_json(key);
  return schema;
}

/// A list of maps. The keys of its first element stand for those of all.
Json elements_schema(const ConfigKey& list) {
  Json element;
  element["type"] = "object";
  element["additionalProperties"] = false;
  element["properties"] = Json::object();
  element["required"] = Json::array();
  for (const ConfigKey& key : list.elements[0]) {
    const std::string name = key.path.substr(key.path.rfind('.') + 1);
    element["properties"][name] = key_schema(key);
    if (key.required) element["required"].push_back(name);
  }
  Json schema = list_schema(element);
  schema["minItems"] = 1;
  schema["maxItems"] = list.elements.size();
  return schema;
}

/// The old name of a key, which editors mark.
Json former_schema(const ConfigKey& key) {
  Json schema = type_schema(key);
  schema["description"] = fmt::format("Old name of {}.", key.path);
  schema["deprecated"] = true;
  return schema;
}

/// A section may stand empty.
Json section_schema(const ConfigSection& section) {
  Json schema;
  schema["type"] = {"object", "null"};
  schema["description"] = section.doc;
  schema["additionalProperties"] = false;
  schema["properties"] = Json::object();
  const std::string prefix = section.path.empty() ? "" : section.path + ".";
  for (const std::string_view name : names_in_section(section.path)) {
    const std::string path = prefix + std::string(name);
    const ConfigKey* key = find_config_key(path);
    schema["properties"][std::string(name)] =
        key != nullptr ? key_schema(*key) : section_schema(*find_config_section(path));
    if (key != nullptr && !key->former.empty())
      schema["properties"][key->former.substr(prefix.size())] = former_schema(*key);
  }
  return schema;
}

std::string markdown_cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string default_cell(const ConfigKey& key) {
  if (!key.fallback.empty()) return fmt::format("`{}`", key.fallback);
  if (!key.note.empty()) return key.note;
  return key.required ? "must be given" : "";
}

}  // namespace

std::string config_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Weft configuration"}};
  const Json whole = section_schema(*find_config_section(""));
  for (const auto& [name, value] : whole.items()) schema[name] = value;
  Json file = {{"type", "string"}};
  schema["properties"]["include"] = {
      {"description", "Files whose keys are taken over where this file does not set them, relative to this file."},
      {"anyOf", {file, list_schema(file)}}};
  Json& workload = schema["properties"]["workload"];
  workload["oneOf"] = Json::array();
  for (const std::string_view kind : names_in_section("workload"))
    workload["oneOf"].push_back(Json{{"required", Json::array({kind})}});
  // What a file leaves out may stand in a file that it includes.
  Json complete = {{"required", Json::array({"fabric", "workload"})}};
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> groups;  // required keys, kinds
  for (const auto& [name, kind] : fabric_kind_names()) {
    const std::vector<std::string> required = rules_of(kind).required_keys();
    const auto same = [&](const auto& group) { return group.first == required; };
    auto at = std::find_if(groups.begin(), groups.end(), same);
    if (at == groups.end()) at = groups.insert(at, {required, {}});
    at->second.emplace_back(name);
  }
  for (const auto& [required, kinds] : groups) {
    Json shape = {{"required", required}};
    shape["properties"]["kind"]["enum"] = kinds;
    complete["properties"]["fabric"]["anyOf"].push_back(shape);
  }
  schema["anyOf"] = Json::array({Json{{"required", Json::array({"include"})}}, complete});
  return schema.dump(2) + "\n";
}

namespace {

constexpr const char* kTableHead = "\n| key | values | default | meaning |\n| --- | --- | --- | --- |\n";

/// A line of a table. `name` is the key's path.
std::string table_row(const ConfigKey& key, const std::string& name) {
  std::string meaning = key.doc;
  if (!key.former.empty()) meaning += fmt::format(" Formerly `{}`.", key.former);
  if (key.feature != FabricFeature::kAny) meaning += fmt::format(" Only with kind {}.", kinds_with(key.feature));
  return fmt::format("| `{}` | {} | {} | {} |\n", name, markdown_cell(legal_values(key)),
                     markdown_cell(default_cell(key)), markdown_cell(meaning));
}

std::string elements_reference(const ConfigKey& list) {
  std::string text = fmt::format("\n## `{}[i]`\n\n{}\n{}", list.path, list.doc, kTableHead);
  for (const ConfigKey& key : list.elements[0])
    text += table_row(key, fmt::format("{}[i]{}", list.path, key.path.substr(key.path.rfind('.'))));
  return text;
}

}  // namespace

std::string config_reference() {
  std::string text =
      "# Configuration reference\n\n"
      "Written by `weft schema --markdown`; do not edit.\n\n"
      "A file is one system plus one workload. `include: other.yaml` (or a list) takes over the keys of other files;\n"
      "`--set path=value` on the command line overrides both. Keys in cycles, flits or counts are bare integers; all\n"
      "other quantities carry a unit (GB = 10^9 bytes, GiB = 2^30 bytes). Times become cycles by rounding up.\n";
  for (const ConfigSection& section : config_sections()) {
    text += fmt::format("\n## {}\n\n{}\n", section.path.empty() ? "The file" : "`" + section.path + "`", section.doc);
    const std::string prefix = section.path.empty() ? "" : section.path + ".";
    bool has_head = false;
    std::string lists;
    for (const std::string_view name : names_in_section(section.path)) {
      const ConfigKey* key = find_config_key(prefix + std::string(name));
      if (key == nullptr) continue;
      if (!has_head) text += kTableHead;
      has_head = true;
      text += table_row(*key, key->path);
      if (key->type == ValueType::kMaps) lists += elements_reference(*key);
    }
    text += lists;
  }
  return text;
}

}  // namespace weft
