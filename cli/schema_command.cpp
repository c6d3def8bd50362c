// SPDX-License-Identifier: Apache-2.0
// The command line of `weft schema`: the keys of configuration files, for editors and for readers.
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "config/schema.h"

namespace weft::cli {

void add_schema_command(const Command& app, int& /*status*/) {
  const Command command = app.subcommand("schema", "Print the JSON Schema of configuration files");
  auto markdown = std::make_shared<bool>(false);
  command.flag("--markdown", *markdown, "print the reference page of all keys (docs/config.md) instead");
  command.footer("Example:\n  weft schema > weft.schema.json");
  command.action([markdown] { std::cout << (*markdown ? config_reference() : config_schema()); });
}

}  // namespace weft::cli
