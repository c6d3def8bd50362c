// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/error.h"

namespace weft::cli {

Option Option::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::show_default() const {
  option_->capture_default_str();
  return *this;
}

Option Option::show_default(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

Option Option::range(int least, int most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::range(std::uint64_t least, std::uint64_t most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::range(double least, double most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::positive() const {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option Option::existing_file() const {
  option_->check(CLI::ExistingFile);
  return *this;
}

Option Option::check(const std::function<std::string(const std::string&)>& refusal) const {
  option_->check(refusal);
  return *this;
}

Option Option::values(int number) const {
  option_->expected(number);
  return *this;
}

Option Option::one_value_each() const {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::delimiter(char character) const {
  option_->delimiter(character);
  return *this;
}

Option Option::excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

std::string Option::name() const { return option_->get_name(); }
const std::vector<std::string>& Option::long_names() const { return option_->get_lnames(); }
std::string Option::type() const { return option_->get_type_name(); }
bool Option::is_flag() const { return option_->get_items_expected_max() == 0; }
bool Option::has_one_value() const { return option_->get_expected_max() == 1; }
bool Option::given() const { return option_->count() > 0; }

Command Command::subcommand(const std::string& name, const std::string& text) const {
  const Command command(*app_->add_subcommand(name, text));
  command.footer("");  // that of the command above speaks of all its commands
  return command;
}

void Command::require_subcommand() const { app_->require_subcommand(1); }

template <typename Value>
Option Command::option(const std::string& names, Value& value, const std::string& help) const {
  return Option(*app_->add_option(names, value, help));
}

template Option Command::option(const std::string&, std::string&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::option(const std::string&, int&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<int>&, const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::uint32_t>&, const std::string&) const;
template Option Command::option(const std::string&, std::int64_t&, const std::string&) const;
template Option Command::option(const std::string&, std::uint32_t&, const std::string&) const;
template Option Command::option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::uint32_t>&, const std::string&) const;
template Option Command::option(const std::string&, double&, const std::string&) const;

Option Command::option_with(const std::string& names, const std::function<void(const std::string&)>& use,
                            const std::string& help) const {
  return Option(*app_->add_option_function<std::string>(names, use, help));
}

Option Command::flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(*app_->add_flag(names, value, help));
}

Option Command::flag_with(const std::string& names, const std::function<void()>& use, const std::string& help) const {
  return Option(*app_->add_flag_callback(names, use, help));
}

void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::action(const std::function<void()>& run) const { app_->callback(run); }
std::string Command::name() const { return app_->get_name(); }

std::string Command::path() const {
  CLI::App* parent = app_->get_parent();
  return parent == nullptr ? app_->get_name() : Command(*parent).path() + " " + app_->get_name();
}

std::vector<Option> Command::options() const {
  std::vector<Option> all;
  for (CLI::Option* option : app_->get_options()) all.emplace_back(*option);
  return all;
}

std::optional<Option> Command::find(const std::string& name) const {
  CLI::Option* option = app_->get_option_no_throw(name);
  if (option == nullptr) return std::nullopt;
  return Option(*option);
}

std::vector<Command> Command::subcommands() const {
  std::vector<Command> all;
  for (CLI::App* command : app_->get_subcommands({})) all.emplace_back(*command);
  return all;
}

bool Command::has_chosen_subcommand() const { return !app_->get_subcommands().empty(); }

CommandLine::CommandLine(const std::string& name, const std::string& text)
    : app_(std::make_unique<CLI::App>(text, name)) {
  // What is given twice counts as given last, and check_arguments says so.
  app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CommandLine::~CommandLine() = default;

void CommandLine::version(const std::string& text) { app_->set_version_flag("--version", text); }

void CommandLine::parse(const std::vector<std::string>& arguments) {
  try {
    // The parser takes the words in reverse.
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& request) {
    app_->exit(request, std::cout, std::cerr);  // --help and --version
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{}\n`weft{} --help` shows what is legal", error.what(),
                                 arguments.empty() || arguments[0][0] == '-' ? "" : " " + arguments[0]));
  }
}

}  // namespace weft::cli
