// SPDX-License-Identifier: Apache-2.0
#include "mem/access_check.h"

namespace weft::mem {

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::kNone:
      return "none";
    case Reason::kOutside:
      return "outside";
    case Reason::kNotGranted:
      return "not_granted";
    case Reason::kRevoked:
      return "revoked";
    case Reason::kStraddles:
      return "straddles";
    case Reason::kReadOnly:
      return "read_only";
    case Reason::kWriteOnly:
      return "write_only";
    case Reason::kNotSupported:
      return "not_supported";
  }
  return "";
}

Verdict OpenAccess::judge(const Request& request, Cycle /*now*/) { return judge_debug(request); }

Verdict OpenAccess::judge_debug(const Request& request) {
  Verdict verdict;
  verdict.physical = request.address;
  return verdict;
}

DmiRange OpenAccess::dmi_range(const Request& /*request*/) { return {true, true, 0, ~std::uint64_t{0}, 0}; }

}  // namespace weft::mem
