// SPDX-License-Identifier: Apache-2.0
// Which phase of parallel training the collectives of a process group belong to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"

namespace weft::npu {

/// Rules of a file, and what names of groups say themselves.
class GroupPhases {
 public:
  GroupPhases() = default;
  /// Reads a JSON object {"mp": ["1", "tp*"], "dp": ["11"]}: patterns of group names by phase, in which a star stands
  /// for any text. InputError names the file and what was expected.
  static GroupPhases from_json_file(const std::string& path);
  static GroupPhases from_json_text(std::string_view text, const std::string& source);

  /// The phase of the first rule that means `group`; else what the group's description says, else what its name says.
  std::optional<TrainingPhase> phase_of(const std::string& group, const std::string& description) const;

 private:
  std::vector<std::pair<std::string, TrainingPhase>> rules_;
};

/// What a name or description says of the phase: `tp3` and `TENSOR_MODEL_PARALLEL_GROUP` are MP, `pipeline` is PP,
/// `dp_0` is DP. Nothing where it names no phase, or MP and DP at once.
std::optional<TrainingPhase> phase_in_name(std::string_view name);

}  // namespace weft::npu
