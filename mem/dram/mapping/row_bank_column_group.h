// SPDX-License-Identifier: Apache-2.0
// The mapping that others build upon.
#pragma once

#include "mem/dram/mapping/mapping.h"

namespace weft::mem {

/// Consecutive bursts go round the bank groups (tCCD_S), and stay in one row of each.
class RowBankColumnGroup : public Mapping {
 public:
  using Mapping::Mapping;
  Location location(std::uint64_t burst) const override;
};

}  // namespace weft::mem
