// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/mapping/mapping.h"

namespace weft::mem {
namespace {

/// Consecutive bursts go round all banks, groups first.
class RowColumnBank final : public Mapping {
 public:
  using Mapping::Mapping;
  Location location(std::uint64_t burst) const override;
};

Location RowColumnBank::location(std::uint64_t burst) const {
  const std::uint64_t group = low_bits(burst, group_bits_);
  burst >>= group_bits_;
  const std::uint64_t bank = low_bits(burst, bank_bits_);
  burst >>= bank_bits_;
  return make_location(burst >> column_bits_, bank, group, low_bits(burst, column_bits_));
}

}  // namespace

extern const MappingPolicy kRowColumnBank;
const MappingPolicy kRowColumnBank{{"row_column_bank", "round all banks, groups first"}, make_kind<RowColumnBank>};

}  // namespace weft::mem
