// SPDX-License-Identifier: Apache-2.0
// The programs that make a model of RTL: Verilator and a C++ compiler.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft::tb {

struct Tools {
  std::filesystem::path verilator;
  std::string verilator_version;      ///< the first line of `verilator --version`
  std::vector<std::string> compiler;  ///< its words: a prefix such as ccache may come first
  std::string compiler_version;
  std::filesystem::path include;  ///< folder with verilated.h
};

/// Looks into $PATH ($VERILATOR and $CXX name others). Throws InputError that names the Debian package of what is
/// missing.
Tools find_tools();

/// Throws InputError for a folder that Verilator cannot write into: it replaces $NAME in names by variables of the
/// environment, and stops at closing brackets and braces.
void require_readable_output(const std::filesystem::path& folder);
/// Throws InputError for the name of a source file or folder that Verilator cannot read.
void require_readable_source(const std::filesystem::path& source);

/// The program of that name in the folders of `path` (as $PATH), or empty.
std::filesystem::path find_in_path(std::string_view name, std::string_view path);

}  // namespace weft::tb
