// SPDX-License-Identifier: Apache-2.0
// What rules between keys have in common. Each file of rules derives a class from it.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "config/fabric_rules.h"
#include "config/resolve.h"

namespace weft {

/// A configuration, how it was written, and where what is wrong with it goes.
class Rules {
 public:
  Rules(const Config& config, const RawConfig& raw, ConfigErrors& errors)
      : config_(config), raw_(raw), errors_(errors), fabric_(config.fabric) {
    fabric_.local.latency_cycles = config.npu.ramp_cycles;  // two names of one thing
  }

 protected:
  /// True when all these keys can be relied on.
  bool good(std::initializer_list<const char*> paths) const {
    return std::none_of(paths.begin(), paths.end(), [&](const char* path) { return raw_.is_bad(path); });
  }
  void refuse(const std::string& path, const std::string& sentence) {
    errors_.add(raw_.origin_of(path), fmt::format("{}: {}", path, sentence));
  }

  /// True when a key was written and is not an empty list or text.
  bool has_content(const std::string& path) const {
    if (!raw_.has(path)) return false;
    const auto* text = std::get_if<std::string>(&raw_.values.at(path).value);
    if (text != nullptr && text->empty()) return false;
    const auto* list = std::get_if<std::vector<std::uint64_t>>(&raw_.values.at(path).value);
    return list == nullptr || !list->empty();
  }

  /// True when the number of nodes can be relied on.
  bool has_size() const { return rules_of(fabric_).is_size_known(raw_); }

  /// Only the NPUs of a grid can have a clock of their own.
  void refuse_npu_clock() {
    if (good({"npu.clock"}) && config_.npu.clock)
      refuse("npu.clock",
             fmt::format("NPUs on a fabric of kind {} have the fabric's clock; legal: fabric", name_of(fabric_.kind)));
  }

  /// Every id below `limit` and none twice.
  template <typename Id>
  void check_ids(const std::string& path, const std::vector<Id>& ids, std::uint64_t limit, const char* what) {
    std::set<Id> seen;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::string item = fmt::format("{}[{}]", path, i);
      const Origin origin = raw_.origin_of(path);
      if (index(ids[i]) >= limit) {
        errors_.add(origin,
                    fmt::format("{}: {} {} does not exist; legal: 0 to {}", item, what, index(ids[i]), limit - 1));
      } else if (!seen.insert(ids[i]).second) {
        errors_.add(origin, fmt::format("{}: {} {} stands twice in the list", item, what, index(ids[i])));
      }
    }
  }

  const Config& config_;
  const RawConfig& raw_;
  ConfigErrors& errors_;
  FabricSpec fabric_;  ///< with the latency of local links that holds
};

}  // namespace weft
