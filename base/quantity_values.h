// SPDX-License-Identifier: Apache-2.0
// The values of measured quantities, which a table names and explains: link_quantities.h, node_quantities.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft {

/// How the values of several links or nodes become one.
enum class Merge : std::uint8_t { kSum, kMost };

/// One value for each line of `kTable`, whose numbers are those of the enumeration `Quantity`. A value that nobody
/// knows is absent.
template <typename Quantity, const auto& kTable>
class QuantityValues {
 public:
  void set(Quantity quantity, std::uint64_t value) { values_[index(quantity)] = value; }
  std::optional<std::uint64_t> at(Quantity quantity) const { return values_[index(quantity)]; }
  /// The value of line `i` of the table.
  std::optional<std::uint64_t> at(std::size_t i) const { return values_[i]; }
  /// The value, or 0 where it is absent.
  std::uint64_t count(Quantity quantity) const { return at(quantity).value_or(0); }
  bool known() const {
    return std::any_of(values_.begin(), values_.end(), [](const auto& value) { return value.has_value(); });
  }
  /// All values, in the order of the table.
  const std::array<std::optional<std::uint64_t>, kTable.size()>& all() const { return values_; }
  /// Joins other values. A sum of more than 64 bits, of the cycles of many links over years, stays at the greatest
  /// number.
  QuantityValues& operator+=(const QuantityValues& other) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (other.values_[i]) values_[i] = merged(values_[i].value_or(0), *other.values_[i], kTable[i].merge);
    }
    return *this;
  }
  friend bool operator==(const QuantityValues& a, const QuantityValues& b) { return a.values_ == b.values_; }

 private:
  static std::size_t index(Quantity quantity) { return static_cast<std::size_t>(quantity); }
  static std::uint64_t merged(std::uint64_t a, std::uint64_t b, Merge merge) {
    if (merge == Merge::kMost) return a < b ? b : a;
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
  }

  std::array<std::optional<std::uint64_t>, kTable.size()> values_;
};

}  // namespace weft
