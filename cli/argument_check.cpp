// SPDX-License-Identifier: Apache-2.0
#include "cli/argument_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft::cli {
namespace {

[[noreturn]] void unknown(const Command& command, const char* sort, const std::string& word,
                          const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  throw InputError(fmt::format("{}: unknown {} {}{}\nknown here: {}", command.path(), sort, in_quotes(word),
                               did_you_mean(word, views), list));
}

std::vector<std::string> option_names(const Command& command) {
  std::vector<std::string> names;
  for (const Option& option : command.options()) {
    for (const std::string& name : option.long_names()) names.push_back("--" + name);
  }
  return names;
}

/// The subcommand of this name. Throws InputError where there is none.
Command chosen(const Command& command, const std::vector<Command>& subcommands, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& sub : subcommands) {
    if (sub.name() == name) return sub;
    names.push_back(sub.name());
  }
  unknown(command, "subcommand", name, names);
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

/// What is wrong with a number on the command line; empty where nothing is. Other text is the parser's to refuse.
std::string inexact_unsigned(const std::string& text) {
  const std::size_t sign = text.find_first_not_of(" \t");
  errno = 0;
  std::strtoull(text.c_str(), nullptr, 0);
  if (errno != ERANGE && (sign == std::string::npos || text[sign] != '-')) return "";
  return fmt::format("{}: legal are whole numbers from 0 to {}", text, std::numeric_limits<std::uint64_t>::max());
}

std::string inexact_signed(const std::string& text) {
  errno = 0;
  std::strtoll(text.c_str(), nullptr, 0);
  if (errno != ERANGE) return "";
  return fmt::format("{}: legal are whole numbers from {} to {}", text, std::numeric_limits<std::int64_t>::min(),
                     std::numeric_limits<std::int64_t>::max());
}

std::string not_finite(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() || std::isfinite(value) ? "" : fmt::format("{}: legal are finite numbers", text);
}

/// Counts what is given several times, though the last one alone counts.
class Repeats {
 public:
  void see(const std::string& what, const std::string& value) {
    Given& given = seen_[what];
    ++given.times;
    given.last = value;
  }
  std::vector<std::string> notes() const {
    std::vector<std::string> texts;
    for (const auto& [what, given] : seen_) {
      if (given.times < 2) continue;
      texts.push_back(fmt::format("{} is given {} times; the last one counts, {}", what, given.times, given.last));
    }
    return texts;
  }

 private:
  struct Given {
    std::size_t times = 0;
    std::string last;
  };
  std::map<std::string, Given> seen_;
};

/// A sweep refuses two axes of one path itself.
bool is_sweep(const Command& command) { return command.name() == "sweep"; }

}  // namespace

void refuse_inexact_numbers(const Command& program) {
  for (const Option& option : program.options()) {
    // Type names of numbers are the parser's own; a range may follow them.
    const std::string type = option.type();
    if (type.rfind("UINT", 0) == 0) option.check(inexact_unsigned);
    if (type.rfind("INT", 0) == 0) option.check(inexact_signed);
    if (type.rfind("FLOAT", 0) == 0) option.check(not_finite);
  }
  for (const Command& sub : program.subcommands()) refuse_inexact_numbers(sub);
}

std::vector<std::string> check_arguments(const Command& program, const std::vector<std::string>& arguments) {
  Command at = program;
  Repeats repeats;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--") break;
    if (is_option(word)) {
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      const std::optional<Option> option = at.find(name);
      if (!option) unknown(at, "option", name, option_names(at));
      if (option->is_flag()) continue;
      // The next word is this option's value, whatever it looks like.
      if (equals == std::string::npos) ++i;
      const std::string value = equals != std::string::npos ? word.substr(equals + 1)
                                : i < arguments.size()      ? arguments[i]
                                                            : "";
      if (name == "--set" && !is_sweep(at)) repeats.see(name + " " + value.substr(0, value.find('=')), value);
      if (option->has_one_value()) repeats.see(option->name(), value);
      continue;
    }
    const std::vector<Command> subcommands = at.subcommands();
    if (subcommands.empty()) continue;  // a positional argument
    at = chosen(at, subcommands, word);
  }
  return repeats.notes();
}

}  // namespace weft::cli
