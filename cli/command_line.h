// SPDX-License-Identifier: Apache-2.0
// The command line: commands below one another, their options, what they do. The parser's own headers take seconds to
// compile, so that command_line.cpp alone includes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the name of its library
class App;
class Option;
}  // namespace CLI

namespace weft::cli {

/// An option or an argument of a command; copies are the same option. What the functions give back is this option, so
/// that calls may be chained.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  /// How the help calls the value; empty leaves it out.
  Option type_name(const std::string& name) const;
  /// The command is refused without it.
  Option required() const;
  /// The help shows the value that the variable has now as the default.
  Option show_default() const;
  /// The help shows this text as the default.
  Option show_default(const std::string& text) const;
  /// Numbers from `least` to `most` are legal.
  Option range(int least, int most) const;
  Option range(std::uint64_t least, std::uint64_t most) const;
  Option range(double least, double most) const;
  /// Numbers above 0 are legal.
  Option positive() const;
  /// Names of files that there are are legal.
  Option existing_file() const;
  /// `refusal` says what is wrong with a value; nothing where it is legal.
  Option check(const std::function<std::string(const std::string&)>& refusal) const;
  /// So many values follow.
  Option values(int number) const;
  /// One value follows each time that it is given.
  Option one_value_each() const;
  /// Values may be in one word with this character between them.
  Option delimiter(char character) const;
  /// This option and `other` are not given together.
  Option excludes(const Option& other) const;

  /// What a message calls it.
  std::string name() const;
  /// Long names without their dashes.
  const std::vector<std::string>& long_names() const;
  /// What the help says of its value: UINT, TEXT and others, then ranges.
  std::string type() const;
  /// No value follows.
  bool is_flag() const;
  /// It has one value, the last that is given.
  bool has_one_value() const;
  /// It stood in the command line.
  bool given() const;

 private:
  CLI::Option* option_;
};

/// A command, with commands below it or without; copies are the same command. Variables that an option writes must live
/// as long as the program parses and acts.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command subcommand(const std::string& name, const std::string& text) const;
  /// It does nothing without one of its subcommands.
  void require_subcommand() const;
  /// An option ("--out,-o") or an argument ("FILE"). `Value` is std::string, double, a whole number, or a vector or
  /// std::optional of those; command_line.cpp has the list.
  template <typename Value>
  Option option(const std::string& names, Value& value, const std::string& help) const;
  /// An option whose text goes to `use`, which throws InputError where it is wrong.
  Option option_with(const std::string& names, const std::function<void(const std::string&)>& use,
                     const std::string& help) const;
  /// An option without a value that sets `value`; a name after `!` clears it.
  Option flag(const std::string& names, bool& value, const std::string& help) const;
  /// An option without a value that calls `use`.
  Option flag_with(const std::string& names, const std::function<void()>& use, const std::string& help) const;
  /// Text below the options of the help.
  void footer(const std::string& text) const;
  /// What the command does when it is chosen.
  void action(const std::function<void()>& run) const;

  std::string name() const;
  /// The names from the program's down to this one's.
  std::string path() const;
  std::vector<Option> options() const;
  /// The option that has this name, dashes with it; a name of an argument has none.
  std::optional<Option> find(const std::string& name) const;
  std::vector<Command> subcommands() const;
  /// Whether the command line chose one of its subcommands.
  bool has_chosen_subcommand() const;

 private:
  CLI::App* app_;
};

/// The program's command, and the parser.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& text);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  CommandLine(CommandLine&&) = delete;
  CommandLine& operator=(CommandLine&&) = delete;

  Command program() const { return Command(*app_); }
  /// `--version` prints this text.
  void version(const std::string& text);
  /// Reads the words after the program's name and runs the action of the command that they choose, or prints help or
  /// version. Throws InputError where they are wrong.
  void parse(const std::vector<std::string>& arguments);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace weft::cli
