// SPDX-License-Identifier: Apache-2.0
// Tables for `algorithm: auto`: which algorithms are fastest on a fabric, by kind, group size and bytes of a
// collective. `weft advise collectives` writes them; docs/algorithm_table.md describes the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/config.h"

namespace weft::npu {

class AlgorithmTable {
 public:
  /// Reads a file. InputError with file, line and column of all that is wrong with it.
  static AlgorithmTable load(const std::string& path);
  /// The same from text; `name` stands for the file in messages.
  static AlgorithmTable parse(const std::string& text, const std::string& name);

  /// Throws InputError unless the table was made for a fabric of this kind and number of NPUs.
  void require_fabric(const FabricSpec& fabric) const;

  /// The number of the entry for a collective of `ranks` ranks and `bytes` (Chakra's comm_size): of the largest group
  /// size that is not above `ranks`, or else of the smallest one, and there of the largest size that is not above
  /// `bytes`, or else of the smallest one. InputError where the table has no such kind.
  std::uint32_t entry_for(CollectiveKind kind, std::size_t ranks, std::uint64_t bytes) const;
  /// All entries that entry_for gives for collectives of a kind and of `ranks` ranks, whatever their bytes; none where
  /// the table has no such kind.
  std::vector<std::uint32_t> entries_for(CollectiveKind kind, std::size_t ranks) const;
  /// The algorithms of an entry, the fastest first.
  const std::vector<std::string>& algorithms(std::uint32_t entry) const { return entries_.at(entry); }
  /// Whether an entry has an algorithm whose flows the switches have to carry.
  bool needs_switches() const;

 private:
  friend class AlgorithmTableReader;
  using BySize = std::map<std::uint64_t, std::uint32_t>;  ///< by bytes: number of the entry
  using ByRanks = std::map<std::uint64_t, BySize>;        ///< by size of the group

  const BySize& sizes_for(CollectiveKind kind, std::size_t ranks) const;

  std::string name_;
  std::string fabric_kind_;
  std::uint64_t npus_ = 0;
  std::map<CollectiveKind, ByRanks> kinds_;
  std::vector<std::vector<std::string>> entries_;
};

/// Whether collectives may have flows in switches: by the algorithm of `spec`, or by one in its table. InputError for a
/// table that cannot be read.
bool may_need_switches(const CollectiveSpec& spec);

}  // namespace weft::npu
