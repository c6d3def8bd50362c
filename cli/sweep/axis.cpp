// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/axis.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "base/error.h"
#include "cli/decimal.h"

namespace weft::cli {
namespace {

constexpr std::size_t kMaxValues = 100'000;
constexpr std::size_t kMaxPoints = 1'000'000;

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Splits at `separator` outside of brackets, braces and quotes.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.push_back(trim(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  parts.push_back(trim(text.substr(start)));
  return parts;
}

struct Quantity {
  Decimal number;
  std::string unit;  ///< as written, with the space before it
};

std::optional<Quantity> parse_quantity(std::string_view text) {
  std::size_t end = text.find_first_not_of("0123456789+-.eE");
  // "8E" could start a unit; a number never ends in a letter.
  end = std::min(end, text.size());
  while (end > 0 && (text[end - 1] == 'e' || text[end - 1] == 'E')) --end;
  const auto number = Decimal::parse(text.substr(0, end));
  if (!number) return std::nullopt;
  const std::string_view unit = trim(text.substr(end));
  return Quantity{*number, unit.empty() ? "" : " " + std::string(unit)};
}

[[noreturn]] void bad_range(std::string_view setting, const std::string& why) {
  throw InputError(
      fmt::format("--set {}: {}; a range is a:b:step or a:b:*factor, for example 0.05:0.40:0.05", setting, why));
}

void check_step(std::string_view setting, const Decimal& first, const Decimal& step, bool geometric) {
  if (geometric && (step <= Decimal(1) || first <= Decimal(0))) {
    bad_range(setting, "a factor must be above 1 and the first value above 0");
  }
  if (!geometric && step <= Decimal(0)) bad_range(setting, "the step must be above 0");
}

/// The values of a range, or nothing when `parts` are not three numbers (a value with colons in it).
std::optional<std::vector<std::string>> expand_range(std::string_view setting,
                                                     const std::vector<std::string_view>& parts) {
  const bool geometric = !parts[2].empty() && parts[2][0] == '*';
  const auto first = parse_quantity(parts[0]);
  const auto last = parse_quantity(parts[1]);
  const auto step = parse_quantity(geometric ? parts[2].substr(1) : parts[2]);
  if (!first || !last || !step) return std::nullopt;
  if (first->unit != last->unit || (geometric ? !step->unit.empty() : step->unit != first->unit)) {
    bad_range(setting, "first, last and step must carry the same unit (a factor none)");
  }
  check_step(setting, first->number, step->number, geometric);
  if (last->number < first->number) bad_range(setting, "the last value lies before the first");
  std::vector<std::string> values;
  for (Decimal v = first->number; v <= last->number; v = geometric ? v * step->number : v + step->number) {
    if (values.size() == kMaxValues) bad_range(setting, fmt::format("more than {} values", kMaxValues));
    values.push_back(v.text() + first->unit);
  }
  return values;
}

std::vector<std::string> expand_list(std::string_view setting, std::string_view inside) {
  std::vector<std::string> values;
  for (const std::string_view part : split(inside, ',')) {
    if (part.empty()) throw InputError(fmt::format("--set {}: an empty value in the list", setting));
    values.emplace_back(part);
  }
  return values;
}

/// The values that a setting gives: those of a list or a range, or one.
std::vector<std::string> values_of(std::string_view setting, std::string_view value) {
  if (value.size() >= 2 && value.front() == '[' && value.back() == ']') {
    return expand_list(setting, value.substr(1, value.size() - 2));
  }
  const auto parts = split(value, ':');
  if (parts.size() == 2 && parse_quantity(parts[0]) && parse_quantity(parts[1])) {
    bad_range(setting, fmt::format("'{}' has no step", value));
  }
  if (parts.size() == 3) {
    if (auto values = expand_range(setting, parts)) return std::move(*values);
  }
  return {std::string(value)};
}

}  // namespace

Axis parse_axis(std::string_view setting) {
  const std::size_t equals = setting.find('=');
  const std::string_view path = trim(setting.substr(0, equals));
  if (equals == std::string_view::npos || path.empty()) {
    throw InputError(fmt::format("--set {}: expected path=value, path=a:b:step or path=[x, y, ...]", setting));
  }
  try {
    return {std::string(path), values_of(setting, trim(setting.substr(equals + 1)))};
  } catch (const InexactDecimal& error) {
    bad_range(setting, error.what());
  }
}

std::size_t count_points(const std::vector<Axis>& axes) {
  std::set<std::string> paths;
  std::size_t points = 1;
  for (const Axis& axis : axes) {
    if (!paths.insert(axis.path).second) throw InputError(fmt::format("--set {}: given twice", axis.path));
    points *= axis.values.size();
    if (points > kMaxPoints) throw InputError(fmt::format("the sweep has more than {} points", kMaxPoints));
  }
  return points;
}

Point point_at(const std::vector<Axis>& axes, std::size_t i) {
  Point point(axes.size());
  for (std::size_t a = axes.size(); a-- > 0;) {
    const Axis& axis = axes[a];
    point[a] = {axis.path, axis.values[i % axis.values.size()]};
    i /= axis.values.size();
  }
  return point;
}

}  // namespace weft::cli
