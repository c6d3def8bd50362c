// SPDX-License-Identifier: Apache-2.0
// A validator for the words of JSON Schema that the configuration's schema uses; an unknown word fails the test.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "config/tree.h"

namespace weft {

/// YAML by the core schema's rules: plain numbers and truth values are such, everything else is text.
inline nlohmann::json to_json(const RawNode& node) {
  using Json = nlohmann::json;
  switch (node.kind) {
    case RawNode::Kind::kNull:
      return nullptr;
    case RawNode::Kind::kScalar: {
      const Json parsed = Json::parse(node.scalar, nullptr, false);
      return !node.is_quoted && (parsed.is_number() || parsed.is_boolean()) ? parsed : Json(node.scalar);
    }
    case RawNode::Kind::kList: {
      Json list = Json::array();
      for (const RawNode& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case RawNode::Kind::kMap: {
      Json map = Json::object();
      for (const RawNode::Entry& entry : node.entries) map[entry.key] = to_json(entry.value);
      return map;
    }
  }
  return nullptr;
}

inline bool has_type(const nlohmann::json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

inline std::string violation_of(const nlohmann::json& schema, const nlohmann::json& value, const std::string& path);

inline std::string violation_of_parts(const nlohmann::json& schema, const nlohmann::json& value,
                                      const std::string& path) {
  if (value.is_object()) {
    for (const auto& name : schema.value("required", nlohmann::json::array()))
      if (!value.contains(name.get<std::string>())) return path + ": " + name.get<std::string>() + " is missing";
    for (const auto& [name, part] : value.items()) {
      if (!schema.contains("properties") || !schema["properties"].contains(name)) {
        if (schema.value("additionalProperties", true)) continue;
        return path + ": unknown " + name;
      }
      std::string inner = violation_of(schema["properties"][name], part, path + "/" + name);
      if (!inner.empty()) return inner;
    }
  }
  if (value.is_array()) {
    if (value.size() < schema.value("minItems", 0u) || value.size() > schema.value("maxItems", 1000000u))
      return path + ": number of items";
    for (const auto& item : value) {
      if (!schema.contains("items")) break;
      std::string inner = violation_of(schema.at("items"), item, path + "[]");
      if (!inner.empty()) return inner;
    }
  }
  return "";
}

/// "" when `value` fits `schema`, else where and why not.
inline std::string violation_of(const nlohmann::json& schema, const nlohmann::json& value, const std::string& path) {
  static const std::set<std::string> known = {
      "$schema",  "title",    "description", "default",   "type",  "enum",
      "minimum",  "maximum",  "pattern",     "minLength", "items", "properties",
      "required", "minItems", "maxItems",    "anyOf",     "oneOf", "additionalProperties"};
  for (const auto& [word, unused] : schema.items())
    if (known.count(word) == 0) return path + ": unknown word " + word;
  if (schema.contains("type")) {
    const auto& types = schema["type"];
    const auto fits = [&](const nlohmann::json& type) { return has_type(value, type.get<std::string>()); };
    if (!(types.is_array() ? std::any_of(types.begin(), types.end(), fits) : fits(types))) return path + ": type";
  }
  if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return path + ": no such word";
  if (value.is_number() && schema.contains("minimum") && value < schema["minimum"]) return path + ": too small";
  if (value.is_number() && schema.contains("maximum") && value > schema["maximum"]) return path + ": too large";
  if (value.is_string() && schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>())))
    return path + ": pattern";
  for (const char* word : {"anyOf", "oneOf"}) {
    if (!schema.contains(word)) continue;
    const auto matches = std::count_if(schema[word].begin(), schema[word].end(),
                                       [&](const auto& part) { return violation_of(part, value, path).empty(); });
    if (matches == 0 || (std::string(word) == "oneOf" && matches != 1)) return path + ": " + word;
  }
  return violation_of_parts(schema, value, path);
}

}  // namespace weft
