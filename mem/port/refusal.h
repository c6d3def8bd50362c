// SPDX-License-Identifier: Apache-2.0
// Tells an initiator why its access was refused: an ignorable extension of the generic payload.
#pragma once

#include <string>
#include <tlm>

#include "mem/access_check.h"

namespace weft::mem {

/// Stands at a payload that came back with a command or address error because an access check refused it. An initiator
/// may put one there itself and reuse it; without one the target adds its own, which goes when the payload is reset or
/// deleted.
class Refusal : public tlm::tlm_extension<Refusal> {
 public:
  Reason reason = Reason::kNone;
  std::string text;

  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;

  /// The refusal of `payload`; nullptr when it was not refused.
  static const Refusal* of(const tlm::tlm_generic_payload& payload);
  /// Writes the reason of `verdict` to `payload`.
  static void set(tlm::tlm_generic_payload& payload, const Verdict& verdict);
  /// Forgets what an earlier use of `payload` left.
  static void clear(tlm::tlm_generic_payload& payload);
};

}  // namespace weft::mem
