// SPDX-License-Identifier: Apache-2.0
// Looks at the words of a command line before they are parsed, to say more about a wrong one than a parser does.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace weft::cli {

/// Follows `arguments` (without the program's name) through `program` and its subcommands. Throws InputError at the
/// first unknown subcommand or option, with the nearest known name and all that are legal there. Returns sentences
/// about options that take one value and settings of one key that are given several times.
std::vector<std::string> check_arguments(const Command& program, const std::vector<std::string>& arguments);

/// Has the options of `program` and of its subcommands refuse whole numbers that 64 bits do not hold, negative ones
/// where none is legal, and fractions that are no finite number; the parser alone takes the nearest one that it can
/// hold.
void refuse_inexact_numbers(const Command& program);

}  // namespace weft::cli
