// SPDX-License-Identifier: Apache-2.0
#include "base/csv_cell.h"

#include <charconv>

namespace weft {
namespace {

/// A decimal number, as a table holds it: -1.5, +3, 1e-9.
bool is_number(std::string_view value) {
  if (value.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return false;
  if (value[0] == '+') value.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size();
}

/// Begins with a sign that spreadsheets take for the start of a formula, perhaps behind apostrophes.
bool begins_formula(std::string_view value) {
  const std::size_t first = value.find_first_not_of('\'');
  // Tabs and carriage returns are skipped by spreadsheets before they look for the sign.
  return first != std::string_view::npos && std::string_view("=+-@\t\r").find(value[first]) != std::string_view::npos;
}

}  // namespace

std::string csv_cell(std::string_view value) {
  std::string text = begins_formula(value) && !is_number(value) ? "'" : "";
  text += value;
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv_value(std::string cell) {
  if (!cell.empty() && cell[0] == '\'' && begins_formula(cell)) cell.erase(0, 1);
  return cell;
}

}  // namespace weft
