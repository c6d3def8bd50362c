// SPDX-License-Identifier: Apache-2.0
// The registry of replacement policies.
#include "mem/access/replacement.h"

namespace weft::mem {

// Each is in a file replacement_NAME.cpp.
extern const ReplacementPolicy kLruReplacement, kFifoReplacement;

const PolicyList<ReplacementPolicy>& replacement_policies() {
  static const PolicyList<ReplacementPolicy> list("unknown replacement", {&kLruReplacement, &kFifoReplacement});
  return list;
}

std::unique_ptr<Replacement> make_replacement(const std::string& name, CacheShape shape) {
  return replacement_policies().at(name).make(shape);
}

}  // namespace weft::mem
