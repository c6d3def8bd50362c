// SPDX-License-Identifier: Apache-2.0
// When accesses to remote memory end, in cycles of the NPUs' clock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.h"
#include "config/config.h"
#include "mem/pool/remote_memory.h"

namespace weft::mem {

/// The formula of the file that memory.remote names, for the ranks of `config`. Throws InputError for a file that
/// cannot be used, or that has no remote memory.
RemoteMemoryFormula formula_of(const Config& config);

/// The formula between the edges of a clock.
class RemoteTimes {
 public:
  /// Throws InputError as formula_of does.
  explicit RemoteTimes(const Config& config);

  /// The edge of `clock` at which an access that is issued at its edge `now` has ended, the next one at the earliest.
  /// To be called in the order in which accesses are issued.
  Cycle end_of(std::size_t rank, std::uint64_t bytes, const Clock& clock, Cycle now);

 private:
  RemoteMemoryFormula formula_;
};

}  // namespace weft::mem
