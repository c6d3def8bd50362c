// SPDX-License-Identifier: Apache-2.0
// Arguments that several subcommands share, and the smallest subcommand.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <systemc>

#include "cli/commands.h"
#include "runs/build_commit.h"
#include "runs/summary.h"

namespace weft::cli {

CLI::Option* add_config_argument(CLI::App& command, std::string& config) {
  return command.add_option("CONFIG", config, "configuration file (YAML): one system and one workload")->required();
}

CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings, const std::string& help) {
  return command.add_option("--set", settings, help)->allow_extra_args(false)->type_name("PATH=VALUE");
}

void add_version_command(CLI::App& app, int& /*status*/) {
  CLI::App* command = app.add_subcommand("version", "Print the version");
  command->callback([] {
    fmt::print("weft {} (commit {}, SystemC {})\n", runs::version(), runs::build_commit(), sc_core::sc_release());
  });
}

}  // namespace weft::cli
