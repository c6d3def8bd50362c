// SPDX-License-Identifier: Apache-2.0
// What switches of RTL do not have, refused with the place of the key (docs/parity.md).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "config/names.h"
#include "config/resolve.h"

namespace weft {
namespace {

constexpr int kMostFlits = 65535;  // 16 bits

class RtlRules {
 public:
  RtlRules(const Config& config, const RawConfig& raw, ConfigErrors& errors)
      : fred_(config.fabric.fred), raw_(raw), errors_(errors) {}

  void check() {
    const auto level = std::find_if(fred_.levels.begin(), fred_.levels.end(),
                                    [](const FredLevelSpec& each) { return each.model != "tlm"; });
    if (level == fred_.levels.end()) return;
    model_key_ = key_of_model(static_cast<std::size_t>(std::distance(fred_.levels.begin(), level)));
    model_ = level->model;
    if (raw_.is_bad(model_key_)) return;
    check_switches();
    for (std::size_t i = 0; i < fred_.levels.size(); ++i) {
      if (fred_.levels[i].model != "tlm") check_level(i);
    }
  }

 private:
  static std::string path_of(std::size_t level, const char* key) {
    return fmt::format("fabric.levels[{}].{}", level, key);
  }
  std::string key_of_model(std::size_t level) const {
    const std::string own = path_of(level, "model");
    return raw_.has(own) ? own : "fabric.model";
  }

  /// Told at the key, or, where that has its default, at the model.
  void require(bool good, const std::string& key, const std::string& value, const std::string& has,
               const std::string& legal) {
    if (good || raw_.is_bad(key)) return;
    if (raw_.has(key)) {
      errors_.add(raw_.origin_of(key), fmt::format("{}: {}, but {}: {} {}; legal: {}, or model: tlm", key, value,
                                                   model_key_, model_, has, legal));
    } else {
      errors_.add(raw_.origin_of(model_key_), fmt::format("{}: {} {}, but {} is {}; legal: {}: {}, or model: tlm",
                                                          model_key_, model_, has, key, value, key, legal));
    }
  }

  void check_switches() {
    require(fred_.control == FredControl::kOnePhase, "fabric.control", std::string(name_of(fred_.control)),
            "has one active stored setting at a time", "one_phase");
    require(!fred_.wormhole, "fabric.flow_control", "wormhole", "starts packets that have credits for all their flits",
            "cut_through");
    require(fred_.matching == "greedy", "fabric.matching", fred_.matching,
            "matches unicasts one after the other within a cycle", "greedy");
    require(fred_.register_every == 1, "fabric.register_every", std::to_string(fred_.register_every),
            "has a register behind every uSwitch", "1");
    require(fred_.reload_cycles == 0, "fabric.reload_cycles", std::to_string(fred_.reload_cycles),
            "has all its settings stored before a run", "0");
    require(fred_.control_buffer_flits <= kMostFlits, "fabric.control_buffer",
            fmt::format("{} flits", fred_.control_buffer_flits), fmt::format("counts to {}", kMostFlits),
            fmt::format("at most {} flits", kMostFlits));
  }

  void check_level(std::size_t i) {
    const FredLevelSpec& level = fred_.levels[i];
    require(level.buffer_flits <= kMostFlits, path_of(i, "buffer"), fmt::format("{} flits", level.buffer_flits),
            fmt::format("counts to {}", kMostFlits), fmt::format("at most {} flits", kMostFlits));
  }

  const FredSpec& fred_;
  const RawConfig& raw_;
  ConfigErrors& errors_;
  std::string model_key_;  ///< key of the model of the first level that is RTL
  std::string model_;
};

}  // namespace

void check_fred_rtl(const Config& config, const RawConfig& raw, ConfigErrors& errors) {
  RtlRules(config, raw, errors).check();
}

}  // namespace weft
