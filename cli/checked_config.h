// SPDX-License-Identifier: Apache-2.0
// Configurations as the subcommands load them: checked as far as can be without running them.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace weft::cli {

/// load_config, and on top what its workload's files and its wave scopes say (npu::check_workload,
/// runs::check_waves). Throws InputError with all of it.
Config load_checked(const std::string& path, const std::vector<std::string>& settings);

/// Throws InputError for a trace with nodes that cannot be played; large traces are not read for that.
void refuse_bad_nodes(const Config& config);

}  // namespace weft::cli
