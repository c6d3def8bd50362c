// SPDX-License-Identifier: Apache-2.0
// The subcommands of `weft`. Each function adds one to the program; when it is chosen, it runs and leaves its exit
// status in `status`. Errors leave as exceptions (base/error.h).
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace weft::cli {

void add_run_command(CLI::App& app, int& status);
void add_check_command(CLI::App& app, int& status);
void add_schema_command(CLI::App& app, int& status);
void add_sweep_command(CLI::App& app, int& status);
void add_trace_command(CLI::App& app, int& status);
void add_program_command(CLI::App& app, int& status);
void add_route_command(CLI::App& app, int& status);
void add_rtl_command(CLI::App& app, int& status);
void add_report_command(CLI::App& app, int& status);
void add_advise_command(CLI::App& app, int& status);
void add_cosim_command(CLI::App& app, int& status);
void add_query_command(CLI::App& app, int& status);
void add_bench_command(CLI::App& app, int& status);
void add_waves_command(CLI::App& app, int& status);
void add_version_command(CLI::App& app, int& status);

/// The positional CONFIG argument that several subcommands share.
CLI::Option* add_config_argument(CLI::App& command, std::string& config);
/// The repeatable `--set path=value`; exactly one value follows each.
CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings, const std::string& help);

}  // namespace weft::cli
