// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/mapping/row_bank_column_group.h"

namespace weft::mem {

Location RowBankColumnGroup::location(std::uint64_t burst) const {
  const std::uint64_t group = low_bits(burst, group_bits_);
  burst >>= group_bits_;
  const std::uint64_t column = low_bits(burst, column_bits_);
  burst >>= column_bits_;
  return make_location(burst >> bank_bits_, low_bits(burst, bank_bits_), group, column);
}

extern const MappingPolicy kRowBankColumnGroup;
const MappingPolicy kRowBankColumnGroup{{"row_bank_column_group", "round the bank groups, in one row of each"},
                                        make_kind<RowBankColumnGroup>};

}  // namespace weft::mem
