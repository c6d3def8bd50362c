// SPDX-License-Identifier: Apache-2.0
// Address mappings: which bank, row and column holds a burst of a channel. One file per policy, chosen by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/policy.h"
#include "mem/dram/timing.h"

namespace weft::mem {

/// Where a burst lies in its channel.
struct Location {
  std::uint32_t group = 0;
  std::uint32_t bank = 0;  ///< through all groups
  std::uint64_t row = 0;
  std::uint32_t column = 0;

  friend bool operator==(const Location& a, const Location& b) {
    return a.group == b.group && a.bank == b.bank && a.row == b.row && a.column == b.column;
  }
};

/// The interface. Every mapping is one to one.
class Mapping {
 public:
  explicit Mapping(const DramTiming& timing);
  virtual ~Mapping() = default;
  /// Location of burst `burst` of a channel, counted from the channel's first byte.
  virtual Location location(std::uint64_t burst) const = 0;
  /// The memory is dealt to the channels in rounds of one granule each; in round `round` granule g goes to channel
  /// g xor this. Below the number of channels.
  virtual std::uint32_t channel_mask(std::uint64_t /*round*/) const { return 0; }

 protected:
  static std::uint64_t low_bits(std::uint64_t value, unsigned bits) { return value & ((std::uint64_t{1} << bits) - 1); }
  Location make_location(std::uint64_t row, std::uint64_t bank_in_group, std::uint64_t group,
                         std::uint64_t column) const {
    return {static_cast<std::uint32_t>(group), static_cast<std::uint32_t>((group << bank_bits_) | bank_in_group), row,
            static_cast<std::uint32_t>(column)};
  }
  unsigned channel_bits_, group_bits_, bank_bits_, column_bits_;
};

/// A mapping as the registry lists it: a constant of its file. Names give the parts of a channel's burst number from
/// its highest bits to its lowest.
struct MappingPolicy : Policy {
  std::unique_ptr<Mapping> (*make)(const DramTiming& timing) = nullptr;
};
/// The `make` of a MappingPolicy whose mapping is of class `Kind`.
template <typename Kind>
std::unique_ptr<Mapping> make_kind(const DramTiming& timing) {
  return std::make_unique<Kind>(timing);
}

/// All mappings, the default first.
const PolicyList<MappingPolicy>& mapping_policies();
/// The mapping called `name`; throws InputError with the known names and the nearest one.
std::unique_ptr<Mapping> make_mapping(const std::string& name, const DramTiming& timing);

}  // namespace weft::mem
