// SPDX-License-Identifier: Apache-2.0
// All mappings by name.
#include "mem/dram/mapping/mapping.h"

namespace weft::mem {
namespace {

unsigned bits_of(std::uint64_t power_of_two) { return static_cast<unsigned>(__builtin_ctzll(power_of_two)); }

}  // namespace

Mapping::Mapping(const DramTiming& timing)
    : channel_bits_(bits_of(timing.channels)),
      group_bits_(bits_of(timing.bank_groups)),
      bank_bits_(bits_of(timing.banks_per_group)),
      column_bits_(bits_of(timing.bursts_per_row())) {}

// Each is in the file of its name.
extern const MappingPolicy kRowBankColumnGroup, kRowBankColumn, kRowColumnBank, kXorBank;

const PolicyList<MappingPolicy>& mapping_policies() {
  static const PolicyList<MappingPolicy> list("no address mapping",
                                              {&kRowBankColumnGroup, &kRowBankColumn, &kRowColumnBank, &kXorBank});
  return list;
}

std::unique_ptr<Mapping> make_mapping(const std::string& name, const DramTiming& timing) {
  return mapping_policies().at(name).make(timing);
}

}  // namespace weft::mem
