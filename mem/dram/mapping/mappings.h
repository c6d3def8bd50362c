// SPDX-License-Identifier: Apache-2.0
// The mappings. Names give the parts of a channel's burst number from its highest bits to its lowest.
#pragma once

#include "mem/dram/mapping/mapping.h"

namespace weft::mem {

/// Consecutive bursts go round the bank groups (tCCD_S), and stay in one row of each.
class RowBankColumnGroup : public Mapping {
 public:
  using Mapping::Mapping;
  Place place(std::uint64_t burst) const override;
};

/// Consecutive bursts stay in one row of one bank (tCCD_L).
class RowBankColumn final : public Mapping {
 public:
  using Mapping::Mapping;
  Place place(std::uint64_t burst) const override;
};

/// Consecutive bursts go round all banks, groups first.
class RowColumnBank final : public Mapping {
 public:
  using Mapping::Mapping;
  Place place(std::uint64_t burst) const override;
};

/// RowBankColumnGroup with bank and group xor'ed with the lowest bits of the row, and channels with the higher bits of
/// the address: strides of powers of two do not fall on one bank or one channel.
class XorBank final : public RowBankColumnGroup {
 public:
  using RowBankColumnGroup::RowBankColumnGroup;
  Place place(std::uint64_t burst) const override;
  std::uint32_t channel_mask(std::uint64_t round) const override;
};

}  // namespace weft::mem
