// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/mapping/mapping.h"

namespace weft::mem {
namespace {

/// Consecutive bursts stay in one row of one bank (tCCD_L).
class RowBankColumn final : public Mapping {
 public:
  using Mapping::Mapping;
  Location location(std::uint64_t burst) const override;
};

Location RowBankColumn::location(std::uint64_t burst) const {
  const std::uint64_t column = low_bits(burst, column_bits_);
  burst >>= column_bits_;
  const std::uint64_t group = low_bits(burst, group_bits_);
  burst >>= group_bits_;
  return make_location(burst >> bank_bits_, low_bits(burst, bank_bits_), group, column);
}

}  // namespace

extern const MappingPolicy kRowBankColumn;
const MappingPolicy kRowBankColumn{{"row_bank_column", "one row of one bank after the other"},
                                   make_kind<RowBankColumn>};

}  // namespace weft::mem
