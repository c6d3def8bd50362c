// SPDX-License-Identifier: Apache-2.0
// Reads a table of a results folder: commas, quotes and apostrophes as in base/csv_cell.h, the first line names the
// columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::report {

/// One table as text. What is wrong with it is an InputError that names the file, the line and what helps.
class CsvReader {
 public:
  /// Reads the whole file. Throws InputError when it cannot be read, a line has another number of cells than the first,
  /// a quote is not closed, or one of `columns` is missing.
  CsvReader(std::filesystem::path path, const std::vector<std::string>& columns);

  std::size_t rows() const { return cells_.size() / width_; }
  /// Names of the columns, as they stand.
  const std::vector<std::string>& names() const { return names_; }
  /// Cell of a row in the column that was number `column` of `columns`.
  const std::string& text(std::size_t row, std::size_t column) const { return cell(row, columns_[column]); }
  /// Cell by the column of the file.
  const std::string& cell(std::size_t row, std::size_t column) const { return cells_[row * width_ + column]; }
  /// The same as a number; throws InputError where it is none.
  double number(std::size_t row, std::size_t column) const { return number_at(row, columns_[column]); }
  double number_at(std::size_t row, std::size_t column) const;
  std::uint64_t count(std::size_t row, std::size_t column) const { return count_at(row, columns_[column]); }
  std::uint64_t count_at(std::size_t row, std::size_t column) const;

 private:
  void split(const std::string& text);
  [[noreturn]] void fail(std::size_t row, std::size_t column, const char* wanted) const;

  std::filesystem::path path_;
  std::size_t width_ = 1;
  std::vector<std::string> names_;
  std::vector<std::string> cells_;
  std::vector<std::size_t> columns_;  ///< indices of the columns that were asked for
};

/// All bytes of a file. Throws InputError when it cannot be read.
std::string read_result(const std::filesystem::path& path);

}  // namespace weft::report
