// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/mapping/row_bank_column_group.h"

namespace weft::mem {
namespace {

/// RowBankColumnGroup with bank and group xor'ed with the lowest bits of the row, and channels with the higher bits of
/// the address: strides of powers of two do not fall on one bank or one channel.
class XorBank final : public RowBankColumnGroup {
 public:
  using RowBankColumnGroup::RowBankColumnGroup;
  Location location(std::uint64_t burst) const override;
  std::uint32_t channel_mask(std::uint64_t round) const override;
};

Location XorBank::location(std::uint64_t burst) const {
  const Location plain = RowBankColumnGroup::location(burst);
  const std::uint64_t group = plain.group ^ low_bits(plain.row, group_bits_);
  const std::uint64_t bank = low_bits(plain.bank, bank_bits_) ^ low_bits(plain.row >> group_bits_, bank_bits_);
  return make_location(plain.row, bank, group, plain.column);
}

std::uint32_t XorBank::channel_mask(std::uint64_t round) const {
  if (channel_bits_ == 0) return 0;
  std::uint64_t mask = 0;
  for (; round != 0; round >>= channel_bits_) mask ^= round;
  return static_cast<std::uint32_t>(low_bits(mask, channel_bits_));
}

}  // namespace

extern const MappingPolicy kXorBank;
const MappingPolicy kXorBank{
    {"xor_bank", "as row_bank_column_group, with bank, group and channel spread by higher bits"}, make_kind<XorBank>};

}  // namespace weft::mem
