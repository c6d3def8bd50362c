// SPDX-License-Identifier: Apache-2.0
// Raw -> resolved: defaults filled in, units converted, file names found, keys checked against each other.
#pragma once

#include "config/config.h"
#include "config/load.h"
#include "config/raw.h"

namespace weft {

/// The complete configuration. Errors go to `errors`; the result may be used only when there are none.
Config resolve_config(RawConfig raw, const ConfigFiles& files, ConfigErrors& errors);

/// Fills in what a fabric of FRED switches leaves open and checks its levels against each other.
void complete_fred(Config& config, const RawConfig& raw, ConfigErrors& errors);

/// Refuses what switches of RTL do not have, where a level has some; after complete_fred.
void check_fred_rtl(const Config& config, const RawConfig& raw, ConfigErrors& errors);

/// The part of check_contradictions about workloads.
void check_workload_rules(const Config& config, const RawConfig& raw, ConfigErrors& errors);

/// The part of check_contradictions about I/O controllers, their streams and memory.
void check_io_rules(const Config& config, const RawConfig& raw, ConfigErrors& errors);

/// Checks keys against each other. Rules that look at a bad key are left out.
void check_contradictions(const Config& config, const RawConfig& raw, ConfigErrors& errors);

}  // namespace weft
