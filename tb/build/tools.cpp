// SPDX-License-Identifier: Apache-2.0
#include "tb/build/tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <sstream>

#include "base/error.h"
#include "base/text_distance.h"
#include "tb/build/child_output.h"

namespace weft::tb {
namespace {

void refuse_letters(const std::filesystem::path& path, std::string_view letters) {
  const std::string name = path.string();
  const auto refused = std::find_if(name.begin(), name.end(), [letters](char c) {
    return letters.find(c) != std::string_view::npos || static_cast<unsigned char>(c) < 0x20;
  });
  if (refused == name.end()) return;
  throw InputError(
      fmt::format("Verilator cannot use {}: its name has {} in it, and may have no {} or control character",
                  in_quotes(name), in_quotes(std::string_view(&*refused, 1)), fmt::join(letters, " ")));
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// What `variable` names, with its words of options, else the first of `names` that is there.
std::vector<std::string> find_tool(const char* variable, std::initializer_list<const char*> names, const char* what,
                                   const char* package) {
  const std::string own = environment(variable);
  const std::string path = environment("PATH");
  std::istringstream text(own);
  std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  if (!words.empty()) {
    const std::filesystem::path found = find_in_path(words[0], path);
    if (found.empty()) throw InputError(fmt::format("${} names {}, which is no program", variable, words[0]));
    words[0] = found.string();
    return words;
  }
  for (const char* name : names) {
    const std::filesystem::path found = find_in_path(name, path);
    if (!found.empty()) return {found.string()};
  }
  throw InputError(fmt::format("RTL needs {}, and {} is not in $PATH: install the Debian package {} (apt install {})",
                               what, *names.begin(), package, package));
}

/// `verilator --getenv VERILATOR_ROOT` names the folder of its headers.
std::filesystem::path include_folder(const std::filesystem::path& verilator) {
  std::string root = environment("VERILATOR_ROOT");
  if (root.empty()) root = first_line(run_program({verilator.string(), "--getenv", "VERILATOR_ROOT"}).text);
  std::filesystem::path folder = std::filesystem::path(root) / "include";
  if (!std::filesystem::exists(folder / "verilated.h")) {
    throw InputError(
        fmt::format("there is no verilated.h in {}, where {} says that it is: install the Debian package "
                    "verilator, or set VERILATOR_ROOT",
                    folder.string(), verilator.string()));
  }
  return folder;
}

}  // namespace

std::filesystem::path find_in_path(std::string_view name, std::string_view path) {
  const auto runs = [](const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string_view::npos) return runs(name) ? std::filesystem::path(name) : "";
  while (!path.empty()) {
    const std::size_t end = path.find(':');
    std::filesystem::path file = std::filesystem::path(path.substr(0, end)) / name;
    if (runs(file)) return file;
    path = end == std::string_view::npos ? "" : path.substr(end + 1);
  }
  return {};
}

void require_readable_output(const std::filesystem::path& folder) { refuse_letters(folder, "$)}"); }

void require_readable_source(const std::filesystem::path& source) { refuse_letters(source, "$"); }

Tools find_tools() {
  Tools tools;
  tools.verilator = find_tool("VERILATOR", {"verilator"}, "Verilator", "verilator").front();
  tools.compiler = find_tool("CXX", {"g++", "clang++", "c++"}, "a C++ compiler", "g++");
  const ChildOutput version = run_program({tools.verilator.string(), "--version"});
  tools.verilator_version = first_line(version.text);
  if (version.status != 0 || tools.verilator_version.rfind("Verilator ", 0) != 0) {
    throw InputError(fmt::format("{} --version ends with status {} and says: {}", tools.verilator.string(),
                                 version.status, tools.verilator_version));
  }
  std::vector<std::string> ask = tools.compiler;
  ask.emplace_back("--version");
  tools.compiler_version = first_line(run_program(ask).text);
  tools.include = include_folder(tools.verilator);
  return tools;
}

}  // namespace weft::tb
