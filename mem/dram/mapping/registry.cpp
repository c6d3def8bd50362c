// SPDX-License-Identifier: Apache-2.0
// All mappings by name.
#include <fmt/format.h>

#include "base/error.h"
#include "base/text_distance.h"
#include "mem/dram/mapping/mappings.h"

namespace weft::mem {
namespace {

unsigned bits_of(std::uint64_t power_of_two) { return static_cast<unsigned>(__builtin_ctzll(power_of_two)); }

}  // namespace

Mapping::Mapping(const DramTiming& timing)
    : channel_bits_(bits_of(timing.channels)),
      group_bits_(bits_of(timing.bank_groups)),
      bank_bits_(bits_of(timing.banks_per_group)),
      column_bits_(bits_of(timing.bursts_per_row())) {}

std::vector<std::string> mapping_names() {
  return {"row_bank_column_group", "row_bank_column", "row_column_bank", "xor_bank"};
}

std::unique_ptr<Mapping> make_mapping(const std::string& name, const DramTiming& timing) {
  if (name == "row_bank_column_group") return std::make_unique<RowBankColumnGroup>(timing);
  if (name == "row_bank_column") return std::make_unique<RowBankColumn>(timing);
  if (name == "row_column_bank") return std::make_unique<RowColumnBank>(timing);
  if (name == "xor_bank") return std::make_unique<XorBank>(timing);
  const std::vector<std::string> names = mapping_names();
  throw InputError(fmt::format("no address mapping {}; known: {}{}", in_quotes(name), fmt::join(names, ", "),
                               did_you_mean(name, {names.begin(), names.end()})));
}

}  // namespace weft::mem
