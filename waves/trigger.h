// SPDX-License-Identifier: Apache-2.0
// What a recording waits for: `waves.trigger`.
#pragma once

#include <string>

#include "base/probe.h"

namespace weft::waves {

/// "collective NAME", "collective NAME of group GROUP" or "queue LINK full".
struct Trigger {
  enum class Kind : std::uint8_t { kNone, kCollective, kQueue };

  Kind kind = Kind::kNone;
  std::string name;   ///< name of the collective or the link
  std::string group;  ///< empty = any

  /// Whether the node begins or goes on with the collective that is waited for.
  bool matches(const NodeActivity& activity) const {
    return kind == Kind::kCollective && activity.collective == name && (group.empty() || activity.group == group);
  }
};

/// Reads a trigger; none if `text` is empty. Throws InputError with the legal forms.
Trigger parse_trigger(const std::string& text);

}  // namespace weft::waves
