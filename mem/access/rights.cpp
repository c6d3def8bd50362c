// SPDX-License-Identifier: Apache-2.0
#include "mem/access/rights.h"

#include <algorithm>

namespace weft::mem {

std::string_view text_of(Denial denial) {
  switch (denial) {
    case Denial::kNone:
      return "allowed";
    case Denial::kNoGrant:
      return "no grant for the page";
    case Denial::kRevoked:
      return "the grant for the page was revoked";
    case Denial::kReadOnly:
      return "the page is granted for reading only";
    case Denial::kWriteOnly:
      return "the page is granted for writing only";
    case Denial::kStraddles:
      return "the access straddles pages of which one is not granted";
    case Denial::kWrapsAround:
      return "the access wraps around the end of the address space";
    case Denial::kOutside:
      return "the access is outside every region";
    case Denial::kNotOwner:
      return "only the owner changes the grants of a page";
    case Denial::kOwned:
      return "the page has an owner";
    case Denial::kUnaligned:
      return "grants are made for whole pages";
  }
  return "unknown";
}

bool InitiatorSet::contains(Initiator who) const { return std::binary_search(members_.begin(), members_.end(), who); }

void InitiatorSet::insert(Initiator who) {
  const auto at = std::lower_bound(members_.begin(), members_.end(), who);
  if (at == members_.end() || *at != who) members_.insert(at, who);
}

void InitiatorSet::erase(Initiator who) {
  const auto at = std::lower_bound(members_.begin(), members_.end(), who);
  if (at != members_.end() && *at == who) members_.erase(at);
}

void InitiatorSet::insert_all(const InitiatorSet& others) {
  for (const Initiator who : others.members_) insert(who);
}

}  // namespace weft::mem
