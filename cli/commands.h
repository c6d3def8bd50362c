// SPDX-License-Identifier: Apache-2.0
// The subcommands of `weft`. Each function adds one to the program; when it is chosen, it runs and leaves its exit
// status in `status`. Errors leave as exceptions (base/error.h).
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace weft::cli {

void add_run_command(const Command& app, int& status);
void add_resume_command(const Command& app, int& status);
void add_check_command(const Command& app, int& status);
void add_schema_command(const Command& app, int& status);
void add_sweep_command(const Command& app, int& status);
void add_trace_command(const Command& app, int& status);
void add_program_command(const Command& app, int& status);
void add_route_command(const Command& app, int& status);
void add_rtl_command(const Command& app, int& status);
void add_report_command(const Command& app, int& status);
void add_advise_command(const Command& app, int& status);
void add_cosim_command(const Command& app, int& status);
void add_query_command(const Command& app, int& status);
void add_bench_command(const Command& app, int& status);
void add_waves_command(const Command& app, int& status);
void add_repeats_command(const Command& app, int& status);
void add_version_command(const Command& app, int& status);

/// The positional CONFIG argument that several subcommands share.
Option add_config_argument(const Command& command, std::string& config);
/// The repeatable `--set path=value`; exactly one value follows each.
Option add_set_option(const Command& command, std::vector<std::string>& settings, const std::string& help);

}  // namespace weft::cli
