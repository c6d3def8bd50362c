// SPDX-License-Identifier: Apache-2.0
// Looks at the words of a command line before they are parsed, to say more about a wrong one than a parser does.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace weft::cli {

/// Follows `arguments` (without the program's name) through `app` and its subcommands. Throws InputError at the first
/// unknown subcommand or option, with the nearest known name and all that are legal there.
void check_arguments(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace weft::cli
