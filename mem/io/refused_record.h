// SPDX-License-Identifier: Apache-2.0
// What is noted of an access to the pool that was refused.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.h"

namespace weft::mem {

/// An access to the pool that was refused.
struct RefusedRecord {
  Cycle cycle = 0;         ///< cycle of the NPU clock
  std::string controller;  ///< its name
  std::string initiator;   ///< "rank 3"; "group g" for what its members load or store together
  std::string tensor;      ///< name of the load or store that the range was given for
  std::string owner;       ///< whose it is, like `initiator`
  bool store = false;
  std::uint64_t address = 0;  ///< in the pool
  std::uint64_t bytes = 0;
  std::string reason;  ///< not_granted, read_only, ...
};

}  // namespace weft::mem
