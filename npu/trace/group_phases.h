// SPDX-License-Identifier: Apache-2.0
// Which phase of parallel training the collectives of a process group belong to: it decides their traffic class in FRED
// switches.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.h"
#include "config/config.h"

namespace weft::npu {

/// Tells the phase of a group by rules of a file, else by what the group's description or name says.
class GroupPhases {
 public:
  GroupPhases() = default;
  /// Reads a JSON object {"mp": ["1", "tp*"], "dp": ["11"]}: patterns of group names by phase, in which a star stands
  /// for any text. InputError names the file and what was expected; a phase that stands twice is refused.
  static GroupPhases from_json_file(const std::string& path);
  static GroupPhases from_json_text(std::string_view text, const std::string& source);

  /// Throws InputError where a rule without a star names a group that is neither among `groups` nor that of
  /// all ranks.
  void require_groups(const std::map<std::string, std::vector<RankId>>& groups) const;
  /// The phase of the first rule that matches `group`; else what the group's description says, else what its name says.
  std::optional<TrainingPhase> phase_of(const std::string& group, const std::string& description) const;

 private:
  std::string source_;
  std::vector<std::pair<std::string, TrainingPhase>> rules_;  ///< patterns, in the order of the file
};

/// What a name or description says of the phase: `tp3` and `TENSOR_MODEL_PARALLEL_GROUP` are MP, `pipeline` is PP,
/// `dp_0` is DP. Nothing where it names no phase, or MP and DP at once. Words of PP come before those of MP and DP,
/// since a pipeline is a model parallelism, too.
std::optional<TrainingPhase> phase_in_name(std::string_view name);

}  // namespace weft::npu
