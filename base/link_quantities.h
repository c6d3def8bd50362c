// SPDX-License-Identifier: Apache-2.0
// What is measured at each link, beside the flits that it carries.
//
// A new quantity is a name in LinkQuantity, its line in kLinkQuantities, and the block that sets its value. The tables,
// summary.json, the log, the text of a run and the report list the quantities that stand here.
#pragma once

#include <array>
#include <cstdint>

#include "base/quantity_values.h"

namespace weft {

/// The quantities, in the order of the columns of links.csv.
enum class LinkQuantity : std::uint8_t { kNoCredit, kLostArbitration, kWaitingOperand };

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
                     "cycles", "Something else had the switch, the VC or the active setting of the switch.",
                     Merge::kSum},
    LinkQuantityText{"waiting_operand_cycles", kStallSection, "waiting_operand", "waiting operand", "waiting operand",
                     "cycles", "A reduction lacked an operand.", Merge::kSum},
};

/// The values of one link, or of several together. A value that the link's sender does not know is absent.
using LinkValues = QuantityValues<LinkQuantity, kLinkQuantities>;

/// The cycles in which a link stalled, by reason.
inline LinkValues stall_values(std::uint64_t no_credit, std::uint64_t lost_arbitration, std::uint64_t waiting_operand) {
  LinkValues values;
  values.set(LinkQuantity::kNoCredit, no_credit);
  values.set(LinkQuantity::kLostArbitration, lost_arbitration);
  values.set(LinkQuantity::kWaitingOperand, waiting_operand);
  return values;
}

}  // namespace weft
