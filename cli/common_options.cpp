// SPDX-License-Identifier: Apache-2.0
// Arguments that several subcommands share, and the smallest subcommand.
#include <fmt/format.h>

#include <systemc>

#include "cli/commands.h"
#include "runs/build_commit.h"
#include "runs/summary.h"

namespace weft::cli {

Option add_config_argument(const Command& command, std::string& config) {
  return command.option("CONFIG", config, "configuration file (YAML): one system and one workload").required();
}

Option add_set_option(const Command& command, std::vector<std::string>& settings, const std::string& help) {
  return command.option("--set", settings, help).one_value_each().type_name("PATH=VALUE");
}

void add_version_command(const Command& app, int& /*status*/) {
  const Command command = app.subcommand("version", "Print the version");
  command.action([] {
    fmt::print("weft {} (commit {}, SystemC {})\n", runs::version(), runs::build_commit(), sc_core::sc_release());
  });
}

}  // namespace weft::cli
