// SPDX-License-Identifier: Apache-2.0
// Reads the keys of one YAML map: every value with its unit and range, every error with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/rational.h"
#include "base/types.h"
#include "config/tree.h"

namespace weft::mem {

/// Whether a key may be left out.
enum class Presence { kNeeded, kOptional };
inline constexpr Presence kNeeded = Presence::kNeeded;
inline constexpr Presence kOptional = Presence::kOptional;

/// What is wrong goes to the errors, and the value stays what it was. Messages name a key with the path of its map.
class MapReader {
 public:
  /// Refuses what is no map, and keys that are not in `known`. `map` outlives the reader; null = an empty map whose
  /// keys stand at `origin`.
  MapReader(const RawNode* map, const Origin& origin, std::string path, std::vector<std::string_view> known,
            ConfigErrors& errors);

  /// The node of a key, or null.
  const RawNode* find(std::string_view key) const;
  /// The place of a key, or of the map where the key is not.
  Origin origin_of(std::string_view key) const;
  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }
  /// A map below this one.
  MapReader child(std::string_view key, std::vector<std::string_view> known) const;
  void refuse(std::string_view key, const std::string& sentence) const;

  /// A whole number in [low, high].
  template <typename Number>
  void whole(std::string_view key, Number& value, std::uint64_t low, std::uint64_t high, Presence presence) const {
    std::uint64_t number = value;
    read_whole(key, number, low, high, presence);
    value = static_cast<Number>(number);
  }
  /// Bytes with a unit, in [low, high].
  void bytes(std::string_view key, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
             Presence presence) const;
  /// The same, and a power of two.
  void power_of_two(std::string_view key, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
                    Presence presence) const;
  /// A time, rounded up to cycles of `hertz`, or cycles ("12 cycles"); from `low` to 10^6.
  void cycles(std::string_view key, Cycle& value, Cycle low, Rational hertz, Presence presence) const;
  /// A bandwidth in units of `unit_bytes` per cycle of `hertz`; above 0.
  void rate(std::string_view key, Rational& value, std::uint64_t unit_bytes, Rational hertz, Presence presence) const;
  /// One of `words`.
  void word(std::string_view key, std::string& value, const std::vector<std::string_view>& words,
            Presence presence) const;
  void text(std::string_view key, std::string& value, Presence presence) const;

 private:
  const RawNode* scalar(std::string_view key, std::string_view legal, Presence presence) const;
  void read_whole(std::string_view key, std::uint64_t& value, std::uint64_t low, std::uint64_t high,
                  Presence presence) const;

  const RawNode* map_;
  Origin origin_;
  std::string path_;
  ConfigErrors& errors_;
};

}  // namespace weft::mem
