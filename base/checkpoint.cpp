// SPDX-License-Identifier: Apache-2.0
#include "base/checkpoint.h"

namespace weft {

void Checkpoint::section(std::string_view name) {
  std::string found(name);
  text(found);
  WEFT_CHECK(found == name,
             "a checkpoint has the state of " + found + " where that of " + std::string(name) + " should be");
}

void Checkpoint::refuse(const std::string& reason) { throw InputError("no checkpoint: " + reason); }

}  // namespace weft
