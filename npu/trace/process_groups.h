// SPDX-License-Identifier: Apache-2.0
// Communicator groups: which ranks take part in the collectives that name a group.
#pragma once

#include <cstddef>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace weft::npu {

/// Group name -> its ranks in the order of the group. "" and "0" mean all ranks unless they are defined otherwise.
class ProcessGroups {
 public:
  /// Reads a JSON object {"1": [0, 1], ...} as ASTRA-sim takes it. InputError with file, line and column.
  static ProcessGroups from_json_file(const std::string& path);
  static ProcessGroups from_json_text(std::string_view text, const std::string& source);

  /// Defines a group; an empty list means all ranks. InputError if a rank is named twice, or if the group exists with
  /// other ranks; `source` is the place to blame.
  void add(const std::string& name, std::vector<RankId> ranks, const std::string& source);
  /// Adds the groups of a PyTorch metadata node: JSON text in two characters of wrapping at each end.
  void add_pytorch(std::string_view values, const std::string& source);
  /// Adds all groups of `other`; InputError if one exists with other ranks.
  void merge(const ProcessGroups& other, const std::string& source);

  /// True if the group can be used by a collective: defined, or one of the names of "all ranks".
  bool contains(const std::string& name) const;
  /// Ranks of the group in a run of `world` ranks. InputError, with the nearest name, if there is no such group.
  std::vector<RankId> members(const std::string& name, std::size_t world) const;

  const std::map<std::string, std::vector<RankId>>& all() const { return groups_; }
  /// What the metadata of PyTorch say of the group (`pg_desc`), such as "TENSOR_MODEL_PARALLEL_GROUP"; "" = nothing.
  std::string description(const std::string& name) const;
  bool empty() const { return groups_.empty(); }
  std::size_t size() const { return groups_.size(); }

  /// Writes what from_json_text reads.
  void write_json(std::ostream& out) const;

 private:
  std::map<std::string, std::vector<RankId>> groups_;
  std::map<std::string, std::string> descriptions_;
};

/// True for the names that mean all ranks: "" and "0".
bool names_all_ranks(std::string_view group);

}  // namespace weft::npu
