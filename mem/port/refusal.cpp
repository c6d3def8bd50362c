// SPDX-License-Identifier: Apache-2.0
#include "mem/port/refusal.h"

namespace weft::mem {

tlm::tlm_extension_base* Refusal::clone() const {
  auto* copy = new Refusal;
  copy->copy_from(*this);
  return copy;
}

void Refusal::copy_from(const tlm::tlm_extension_base& other) {
  const auto& from = static_cast<const Refusal&>(other);
  reason = from.reason;
  text = from.text;
}

const Refusal* Refusal::of(const tlm::tlm_generic_payload& payload) {
  const auto* refusal = payload.get_extension<Refusal>();
  return refusal != nullptr && refusal->reason != Reason::kNone ? refusal : nullptr;
}

void Refusal::set(tlm::tlm_generic_payload& payload, const Verdict& verdict) {
  auto* refusal = payload.get_extension<Refusal>();
  if (refusal == nullptr) {
    // The destructor of a payload without memory manager frees its extensions; with one, they go when it is reset.
    refusal = new Refusal;
    if (payload.has_mm()) {
      payload.set_auto_extension(refusal);
    } else {
      payload.set_extension(refusal);
    }
  }
  refusal->reason = verdict.reason;
  refusal->text = verdict.text;
}

void Refusal::clear(tlm::tlm_generic_payload& payload) {
  auto* refusal = payload.get_extension<Refusal>();
  if (refusal == nullptr) return;
  refusal->reason = Reason::kNone;
  refusal->text.clear();
}

}  // namespace weft::mem
