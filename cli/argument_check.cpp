// SPDX-License-Identifier: Apache-2.0
#include "cli/argument_check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "kernel/error.h"
#include "kernel/text_distance.h"

namespace weft::cli {
namespace {

std::string command_path(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : command_path(*parent) + " " + app.get_name();
}

[[noreturn]] void unknown(const CLI::App& app, const char* sort, const std::string& word,
                          const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  throw InputError(fmt::format("{}: unknown {} {}{}\nknown here: {}", command_path(app), sort, in_quotes(word),
                               did_you_mean(word, views), list));
}

std::vector<std::string> subcommand_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> option_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

void check_arguments(CLI::App& app, const std::vector<std::string>& arguments) {
  CLI::App* at = &app;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") return;
    if (is_option(word)) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const CLI::Option* option = at->get_option_no_throw(name);
      if (option == nullptr) unknown(*at, "option", name, option_names(*at));
      // The next word is this option's value, whatever it looks like.
      if (option->get_items_expected_max() > 0 && equals == std::string::npos) ++i;
      continue;
    }
    const std::vector<std::string> names = subcommand_names(*at);
    if (names.empty()) continue;  // a positional argument
    if (std::find(names.begin(), names.end(), word) == names.end()) unknown(*at, "subcommand", word, names);
    at = at->get_subcommand(word);
  }
}

}  // namespace weft::cli
