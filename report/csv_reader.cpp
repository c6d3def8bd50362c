// SPDX-License-Identifier: Apache-2.0
#include "report/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/csv_cell.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/text_distance.h"

namespace weft::report {
namespace {

constexpr const char* kCure = "the file is damaged or of another version: run the configuration again";

template <typename Number>
bool parse(const std::string& text, Number* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string read_result(const std::filesystem::path& path) { return read_file(path.string(), kMostResultBytes); }

CsvReader::CsvReader(std::filesystem::path path, const std::vector<std::string>& columns) : path_(std::move(path)) {
  split(read_result(path_));
  for (const std::string& column : columns) {
    const auto found = std::find(names_.begin(), names_.end(), column);
    if (found == names_.end()) {
      throw InputError(fmt::format("{}: there is no column {}; {}", path_.string(), in_quotes(column), kCure));
    }
    columns_.push_back(static_cast<std::size_t>(found - names_.begin()));
  }
}

void CsvReader::split(const std::string& text) {
  std::vector<std::string>* row = &names_;
  std::size_t line = 1;
  std::size_t first_of_row = 0;
  std::string cell;
  bool quoted = false;
  const auto end_of_row = [&] {
    row->push_back(std::move(cell));
    cell.clear();
    if (row == &names_) {
      width_ = names_.size();
    } else if (cells_.size() - first_of_row != width_) {
      throw InputError(fmt::format("{}:{}: {} cells, the first line names {}; {}", path_.string(), line,
                                   cells_.size() - first_of_row, width_, kCure));
    }
    row = &cells_;
    first_of_row = cells_.size();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\n') ++line;
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"' && cell.empty()) {
      quoted = true;
    } else if (c == ',') {
      row->push_back(std::move(cell));
      cell.clear();
    } else if (c == '\n') {
      end_of_row();
      ++line;
    } else {
      cell += c;
    }
  }
  for (std::string& each : names_) each = csv_value(std::move(each));
  for (std::string& each : cells_) each = csv_value(std::move(each));
  // A table always ends with a line end: what does not was cut off.
  if (quoted || !cell.empty() || names_.empty() || cells_.size() != first_of_row) {
    throw InputError(fmt::format("{}:{}: ends in the middle of a line; {}", path_.string(), line, kCure));
  }
}

void CsvReader::fail(std::size_t row, std::size_t column, const char* wanted) const {
  throw InputError(fmt::format("{}:{}: column {}: {} is not {}; {}", path_.string(), row + 2, in_quotes(names_[column]),
                               in_quotes(cell(row, column)), wanted, kCure));
}

double CsvReader::number_at(std::size_t row, std::size_t column) const {
  double value = 0;
  if (!parse(cell(row, column), &value)) fail(row, column, "a number");
  return value;
}

std::uint64_t CsvReader::count_at(std::size_t row, std::size_t column) const {
  std::uint64_t value = 0;
  if (!parse(cell(row, column), &value)) fail(row, column, "a whole number");
  return value;
}

}  // namespace weft::report
