// SPDX-License-Identifier: Apache-2.0
// Values of keys: from text to typed numbers in base units, with the key's range checked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/rational_math.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "config/raw.h"

namespace weft {
namespace {

/// A value that cannot be used; the place is added by the caller.
[[noreturn]] void refuse(const std::string& sentence) { throw InputError(sentence); }

bool is_integer(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

[[noreturn]] void refuse_type(const ConfigKey& key, const RawNode& node) {
  refuse(fmt::format("{} cannot be used; legal: {}", node.describe(), legal_values(key)));
}

void check_range(const ConfigKey& key, Rational amount, std::string_view text) {
  if (amount < key.range.low || key.range.high < amount)
    refuse(fmt::format("{} is out of range; legal: {}", text, legal_values(key)));
}

std::uint64_t read_integer(const ConfigKey& key, const RawNode& node) {
  std::string_view text = node.scalar;
  const bool negative = !text.empty() && text[0] == '-' && is_integer(text.substr(1));
  if (node.kind != RawNode::Kind::kScalar || node.is_quoted || !(negative || is_integer(text))) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (node.kind == RawNode::Kind::kScalar && digits > 0 && digits != std::string_view::npos && text[digits] == ' ')
      refuse(fmt::format("{} has a unit, but this key takes a bare number; legal: {}", in_quotes(text),
                         legal_values(key)));
    refuse_type(key, node);
  }
  while (text.size() > 1 && text[0] == '0') text.remove_prefix(1);
  constexpr std::string_view kMax = "18446744073709551615";
  if (negative || text.size() > kMax.size() || (text.size() == kMax.size() && text > kMax))
    refuse(fmt::format("{} is out of range; legal: {}", in_quotes(node.scalar), legal_values(key)));
  const std::uint64_t value = std::strtoull(std::string(text).c_str(), nullptr, 10);
  check_range(key, Rational{value, 1}, text);
  return value;
}

double read_real(const ConfigKey& key, const RawNode& node) {
  if (node.kind != RawNode::Kind::kScalar || node.is_quoted) refuse_type(key, node);
  Rational exact;
  try {
    exact = parse_rational(node.scalar);
  } catch (const InputError& error) {
    refuse(fmt::format("{}; legal: {}", error.what(), legal_values(key)));
  }
  check_range(key, exact, node.scalar);
  return to_double(exact);
}

Rational read_quantity(const ConfigKey& key, const RawNode& node, Dimension dimension) {
  if (node.kind != RawNode::Kind::kScalar) refuse_type(key, node);
  const Rational amount = parse_quantity(node.scalar, dimension);
  // A latency's range is in cycles and is checked once the clock is known.
  if (key.type != ValueType::kLatency) check_range(key, amount, node.scalar);
  return amount;
}

std::string read_word(const ConfigKey& key, const RawNode& node) {
  if (node.kind != RawNode::Kind::kScalar) refuse_type(key, node);
  if (std::find(key.words.begin(), key.words.end(), node.scalar) != key.words.end()) return node.scalar;
  const auto& reserved = key.reserved;
  if (std::find(reserved.begin(), reserved.end(), node.scalar) != reserved.end())
    refuse(fmt::format("'{}' is not available yet; known: {}", node.scalar, fmt::join(key.words, ", ")));
  refuse(fmt::format("unknown name {}; known: {}{}", in_quotes(node.scalar), fmt::join(key.words, ", "),
                     did_you_mean(node.scalar, key.words)));
}

std::string read_text(const ConfigKey& key, const RawNode& node) {
  if (node.kind != RawNode::Kind::kScalar) refuse_type(key, node);
  if (node.scalar.empty()) refuse(fmt::format("empty text; legal: {}", legal_values(key)));
  if (node.scalar.find('\0') != std::string::npos) refuse("text with a zero byte");
  return node.scalar;
}

bool read_boolean(const ConfigKey& key, const RawNode& node) {
  if (node.kind != RawNode::Kind::kScalar || node.is_quoted) refuse_type(key, node);
  if (node.scalar != "true" && node.scalar != "false") refuse_type(key, node);
  return node.scalar == "true";
}

/// Reads each item; every bad one gets an error at its own place.
template <typename Item, typename Read>
std::optional<Value> read_items(const ConfigKey& key, const RawNode& node, ConfigErrors& errors, const Read& read) {
  std::vector<Item> items;
  bool is_good = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    try {
      items.push_back(read(key, node.items[i]));
    } catch (const InputError& error) {
      errors.add(node.items[i].origin, fmt::format("{}[{}]: {}", key.path, i, error.what()));
      is_good = false;
    }
  }
  if (!is_good) return std::nullopt;
  return Value(std::move(items));
}

std::optional<Value> read_list(const ConfigKey& key, const RawNode& node, ConfigErrors& errors) {
  if (key.type == ValueType::kTexts) {
    if (node.kind == RawNode::Kind::kScalar) return Value(std::vector<std::string>{read_text(key, node)});
    if (node.kind != RawNode::Kind::kList) refuse_type(key, node);
    return read_items<std::string>(key, node, errors, read_text);
  }
  const bool is_one = node.kind == RawNode::Kind::kScalar && is_integer(node.scalar);
  if (key.type == ValueType::kSize && is_one) return Value(std::vector<std::uint64_t>{read_integer(key, node)});
  if (node.kind != RawNode::Kind::kList) refuse_type(key, node);
  if (key.type == ValueType::kWords) return read_items<std::string>(key, node, errors, read_word);
  if (key.type == ValueType::kSize && node.items.size() != 2)
    refuse(fmt::format("a list of {} cannot be used; legal: {}", node.items.size(), legal_values(key)));
  return read_items<std::uint64_t>(key, node, errors, read_integer);
}

std::optional<Value> read_by_type(const ConfigKey& key, const RawNode& node, ConfigErrors& errors) {
  const bool is_bare = node.kind == RawNode::Kind::kScalar && is_integer(node.scalar);
  switch (key.type) {
    case ValueType::kText:
    case ValueType::kFile:
    case ValueType::kNameOrFile:
    case ValueType::kTracePrefix:
      return Value(read_text(key, node));
    case ValueType::kWord:
      return Value(read_word(key, node));
    case ValueType::kInteger:
      return Value(read_integer(key, node));
    case ValueType::kReal:
      return Value(read_real(key, node));
    case ValueType::kBoolean:
      return Value(read_boolean(key, node));
    case ValueType::kBandwidth:
      return Value(read_quantity(key, node, Dimension::kBandwidth));
    case ValueType::kComputeRate:
      return Value(read_quantity(key, node, Dimension::kComputeRate));
    case ValueType::kFrequency:
      return Value(read_quantity(key, node, Dimension::kFrequency));
    case ValueType::kDuration:
      return Value(read_quantity(key, node, Dimension::kDuration));
    case ValueType::kBytes:
      return Value(read_quantity(key, node, Dimension::kBytes));
    case ValueType::kLatency:
      if (is_bare) return Value(read_integer(key, node));
      return Value(read_quantity(key, node, Dimension::kDuration));
    case ValueType::kByteCount:
      if (is_bare) return Value(read_integer(key, node));
      return Value(read_quantity(key, node, Dimension::kBytes));
    case ValueType::kSize:
    case ValueType::kIntegers:
    case ValueType::kTexts:
    case ValueType::kWords:
      return read_list(key, node, errors);
    case ValueType::kMaps:
      break;  // the reader of the raw configuration goes into the elements
  }
  return std::nullopt;
}

}  // namespace

std::optional<Value> read_value(const ConfigKey& key, const RawNode& node, ConfigErrors& errors) {
  try {
    const bool is_empty =
        node.kind == RawNode::Kind::kNull || (node.kind == RawNode::Kind::kScalar && node.scalar.empty());
    if (is_empty && key.empty_is_absent) return Value(std::string());
    if (node.kind == RawNode::Kind::kNull) refuse(fmt::format("has no value; legal: {}", legal_values(key)));
    if (node.kind == RawNode::Kind::kScalar && key.type != ValueType::kWords &&
        std::find(key.words.begin(), key.words.end(), node.scalar) != key.words.end())
      return Value(node.scalar);
    return read_by_type(key, node, errors);
  } catch (const InputError& error) {
    errors.add(node.origin, fmt::format("{}: {}", key.path, error.what()));
    return std::nullopt;
  }
}

}  // namespace weft
