// SPDX-License-Identifier: Apache-2.0
// Short forms that make entries of the key table. A `field` is a generic lambda `[](auto& c) -> auto& { return c.seed;
// }` that finds the key's place in a Config.
#pragma once

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "base/rational_math.h"
#include "base/units.h"
#include "config/key.h"
#include "config/policies.h"

namespace weft {

/// The largest number of cycles that a key takes.
inline constexpr std::uint64_t kMostCycles = 1'000'000'000'000'000'000u;

template <typename Field>
using FieldType = std::decay_t<decltype(std::declval<Field>()(std::declval<Config&>()))>;

inline ConfigKey basic_key(std::string path, ValueType type, std::string fallback, std::string doc) {
  ConfigKey key;
  key.path = std::move(path);
  key.type = type;
  key.fallback = std::move(fallback);
  key.doc = std::move(doc);
  return key;
}

/// Integer of any width.
template <typename Field>
ConfigKey integer_key(std::string path, std::uint64_t low, std::uint64_t high, std::string fallback, std::string doc,
                      Field field) {
  ConfigKey key = basic_key(std::move(path), ValueType::kInteger, std::move(fallback), std::move(doc));
  key.range = {Rational{low, 1}, Rational{high, 1}};
  key.apply = [field](Config& c, const Value& v) {
    field(c) = static_cast<FieldType<Field>>(std::get<std::uint64_t>(v));
  };
  key.show = [field](const Config& c) { return fmt::format("{}", static_cast<std::uint64_t>(field(c))); };
  return key;
}

template <typename Field>
ConfigKey boolean_key(std::string path, std::string fallback, std::string doc, Field field) {
  ConfigKey key = basic_key(std::move(path), ValueType::kBoolean, std::move(fallback), std::move(doc));
  key.apply = [field](Config& c, const Value& v) { field(c) = std::get<bool>(v); };
  key.show = [field](const Config& c) { return std::string(field(c) ? "true" : "false"); };
  return key;
}

/// Text, file names and words that stay text; an empty field is left out of the resolved file.
template <typename Field>
ConfigKey text_key(std::string path, ValueType type, std::string fallback, std::string doc, Field field) {
  ConfigKey key = basic_key(std::move(path), type, std::move(fallback), std::move(doc));
  key.apply = [field](Config& c, const Value& v) { field(c) = std::get<std::string>(v); };
  key.show = [field](const Config& c) { return field(c).empty() ? std::string() : yaml_text(field(c)); };
  return key;
}

template <typename Field>
ConfigKey name_key(std::string path, const std::vector<std::string_view>& words, std::string fallback, std::string doc,
                   Field field) {
  ConfigKey key = text_key(std::move(path), ValueType::kWord, std::move(fallback), std::move(doc), field);
  key.words = words;
  return key;
}

/// One of an enumeration's names.
template <typename Enum, typename Field>
ConfigKey word_key(std::string path, const NameTable<Enum>& names, std::string fallback, std::string doc, Field field) {
  ConfigKey key = basic_key(std::move(path), ValueType::kWord, std::move(fallback), std::move(doc));
  for (const auto& entry : names) key.words.push_back(entry.first);
  key.apply = [field, &names](Config& c, const Value& v) {
    for (const auto& entry : names)
      if (entry.first == std::get<std::string>(v)) field(c) = entry.second;
  };
  key.show = [field](const Config& c) { return std::string(name_of(field(c))); };
  return key;
}

/// A rate kept as double in base units; 0 has the meaning that `doc` gives it.
template <typename Field>
ConfigKey rate_key(std::string path, ValueType type, Dimension dimension, std::string fallback, std::string doc,
                   Field field) {
  ConfigKey key = basic_key(std::move(path), type, std::move(fallback), std::move(doc));
  key.range.high = Rational{10'000'000'000'000'000'000u, 1};
  key.apply = [field](Config& c, const Value& v) { field(c) = to_double(std::get<Rational>(v)); };
  key.show = [field, dimension](const Config& c) { return format_quantity(from_double(field(c)), dimension); };
  return key;
}

/// Bytes, with a unit or bare.
template <typename Field>
ConfigKey bytes_key(std::string path, ValueType type, std::uint64_t low, std::uint64_t high, std::string fallback,
                    std::string doc, Field field) {
  ConfigKey key = basic_key(std::move(path), type, std::move(fallback), std::move(doc));
  key.range = {Rational{low, 1}, Rational{high, 1}};
  key.apply = [field](Config& c, const Value& v) {
    const Rational* quantity = std::get_if<Rational>(&v);
    field(c) = quantity != nullptr ? quantity->num : std::get<std::uint64_t>(v);
  };
  key.show = [field](const Config& c) { return format_quantity(Rational{field(c), 1}, Dimension::kBytes); };
  return key;
}

/// Cycles of a wire: bare, or a time that is rounded up to cycles of `clock`; at least one.
template <typename Field>
ConfigKey wire_delay_key(std::string path, std::string fallback, std::string doc, Field field) {
  static constexpr std::uint64_t kMost = 1'000'000;
  ConfigKey key = basic_key(std::move(path), ValueType::kLatency, std::move(fallback), std::move(doc));
  key.range = {Rational{1, 1}, Rational{kMost, 1}};
  key.needs = {"clock"};
  key.apply = [field](Config& c, const Value& v) {
    const Rational* seconds = std::get_if<Rational>(&v);
    const Cycle cycles = seconds != nullptr ? cycles_of(*seconds, c.clock.hertz) : std::get<std::uint64_t>(v);
    if (cycles < 1 || cycles > kMost)
      throw InputError(fmt::format("{} cycles are out of range; legal: 1 to {} cycles", cycles, std::uint64_t{kMost}));
    field(c) = cycles;
  };
  key.show = [field](const Config& c) { return fmt::format("{}", field(c)); };
  return key;
}

inline constexpr std::uint64_t kMostDelayCycles = 1'000'000'000;

/// Cycles of the NPU's clock, `low` or more: bare, or a time that is rounded up to them.
template <typename Field>
ConfigKey npu_delay_key(std::string path, Cycle low, std::string fallback, std::string doc, Field field) {
  ConfigKey key = basic_key(std::move(path), ValueType::kLatency, std::move(fallback), std::move(doc));
  key.range = {Rational{low, 1}, Rational{kMostDelayCycles, 1}};
  key.needs = {"clock", "npu.clock"};
  key.apply = [low, field](Config& c, const Value& v) {
    const Rational* seconds = std::get_if<Rational>(&v);
    const Rational hertz = c.npu.clock ? c.npu.clock->hertz : c.clock.hertz;
    const Cycle cycles = seconds != nullptr ? cycles_of(*seconds, hertz) : std::get<std::uint64_t>(v);
    if (cycles < low || cycles > kMostDelayCycles)
      throw InputError(
          fmt::format("{} cycles are out of range; legal: {} to {} cycles", cycles, low, kMostDelayCycles));
    field(c) = cycles;
  };
  key.show = [field](const Config& c) { return fmt::format("{}", field(c)); };
  return key;
}

/// One of two words for a flag: `off` where it is false.
template <typename Field>
ConfigKey either_key(std::string path, std::string_view off, std::string_view on, std::string doc, Field field) {
  ConfigKey key = basic_key(std::move(path), ValueType::kWord, std::string(off), std::move(doc));
  key.words = {off, on};
  key.apply = [field, on](Config& c, const Value& v) { field(c) = std::get<std::string>(v) == on; };
  key.show = [field, off, on](const Config& c) { return std::string(field(c) ? on : off); };
  return key;
}

/// A list of up to `most` maps. `element(i)` makes the keys of element i; `field` finds the vector of elements.
template <typename Field, typename Element>
ConfigKey maps_key(std::string path, std::size_t most, std::string doc, Field field, const Element& element) {
  ConfigKey key = basic_key(std::move(path), ValueType::kMaps, "", std::move(doc));
  for (std::size_t i = 0; i < most; ++i) key.elements.push_back(element(i));
  key.apply = [field](Config& c, const Value& v) {
    field(c).assign(static_cast<std::size_t>(std::get<std::uint64_t>(v)), {});
  };
  key.show = [field](const Config& c) { return fmt::format("{}", field(c).size()); };
  return key;
}

/// "[0, 1, 2]" of strong indices.
template <typename Ids>
std::string show_ids(const Ids& ids) {
  std::string text;
  for (const auto id : ids) text += fmt::format("{}{}", text.empty() ? "" : ", ", index(id));
  return "[" + text + "]";
}

template <typename Id>
std::vector<Id> to_ids(const std::vector<std::uint64_t>& numbers) {
  std::vector<Id> ids;
  ids.reserve(numbers.size());
  for (const std::uint64_t number : numbers) ids.push_back(Id{static_cast<std::underlying_type_t<Id>>(number)});
  return ids;
}

}  // namespace weft
