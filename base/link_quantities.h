// SPDX-License-Identifier: Apache-2.0
// What is measured at each link, beside the flits that it carries.
//
// A new quantity is a name in LinkQuantity, its line in kLinkQuantities, and the block that sets its value. The tables,
// summary.json, the log, the text of a run and the report list the quantities that stand here.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft {

/// The quantities, in the order of the columns of links.csv.
enum class LinkQuantity : std::uint8_t { kNoCredit, kLostArbitration, kWaitingOperand };

/// How the values of several links become one.
enum class Merge : std::uint8_t { kSum, kMost };

/// How a quantity is named and what it says.
struct LinkQuantityText {
  const char* column;   ///< its column in links.csv and log.sqlite
  const char* section;  ///< the key of summary.json below which its total stands
  const char* key;      ///< its key there
  const char* title;    ///< the head of its column in the text of a run
  const char* words;    ///< its name in sentences
  const char* unit;
  const char* meaning;  ///< one sentence
  Merge merge;
};

/// The section of the cycles in which a link carried nothing although something waited for it. With the cycles in which
/// the link carried a flit and those in which nothing waited they are all cycles.
inline constexpr const char* kStallSection = "stall_cycles";

inline constexpr std::array kLinkQuantities{
    LinkQuantityText{"stall_cycles", kStallSection, "no_credit", "no credit", "no credit", "cycles",
                     "The buffer behind the link had no room.", Merge::kSum},
    LinkQuantityText{"lost_arbitration_cycles", kStallSection, "lost_arbitration", "lost arb.", "lost arbitration",
                     "cycles", "Something else had the switch, the VC or the switch configuration.", Merge::kSum},
    LinkQuantityText{"waiting_operand_cycles", kStallSection, "waiting_operand", "waiting operand", "waiting operand",
                     "cycles", "A reduction lacked an operand.", Merge::kSum},
};

/// The values of one link, or of several together. A value that the link's sender does not know is absent.
class LinkValues {
 public:
  void set(LinkQuantity quantity, std::uint64_t value) { values_[index(quantity)] = value; }
  std::optional<std::uint64_t> at(LinkQuantity quantity) const { return values_[index(quantity)]; }
  /// The value of quantity `i` of kLinkQuantities.
  std::optional<std::uint64_t> at(std::size_t i) const { return values_[i]; }
  /// The value, or 0 where it is absent.
  std::uint64_t count(LinkQuantity quantity) const { return at(quantity).value_or(0); }
  bool known() const {
    return std::any_of(values_.begin(), values_.end(), [](const auto& value) { return value.has_value(); });
  }
  /// All values, in the order of kLinkQuantities.
  const std::array<std::optional<std::uint64_t>, kLinkQuantities.size()>& all() const { return values_; }
  /// Joins the values of another link. A sum of more than 64 bits, of the cycles of many links over years, stays at the
  /// greatest number.
  LinkValues& operator+=(const LinkValues& other) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (other.values_[i]) values_[i] = merged(values_[i].value_or(0), *other.values_[i], kLinkQuantities[i].merge);
    }
    return *this;
  }
  friend bool operator==(const LinkValues& a, const LinkValues& b) { return a.values_ == b.values_; }

 private:
  static std::size_t index(LinkQuantity quantity) { return static_cast<std::size_t>(quantity); }
  static std::uint64_t merged(std::uint64_t a, std::uint64_t b, Merge merge) {
    if (merge == Merge::kMost) return a < b ? b : a;
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
  }

  std::array<std::optional<std::uint64_t>, kLinkQuantities.size()> values_;
};

/// The cycles in which a link stalled, by reason.
inline LinkValues stall_values(std::uint64_t no_credit, std::uint64_t lost_arbitration, std::uint64_t waiting_operand) {
  LinkValues values;
  values.set(LinkQuantity::kNoCredit, no_credit);
  values.set(LinkQuantity::kLostArbitration, lost_arbitration);
  values.set(LinkQuantity::kWaitingOperand, waiting_operand);
  return values;
}

}  // namespace weft
