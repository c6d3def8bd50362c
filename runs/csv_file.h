// SPDX-License-Identifier: Apache-2.0
// Writes one comma-separated table of a results directory (cells as in base/csv_cell.h, numbers in their shortest
// exact form).
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/output_file.h"

namespace weft::runs {

/// One CSV file being written. Bytes reach the disk in large blocks.
class CsvFile {
 public:
  /// Begins the successor of `path` with the line of column names. With `simulated_share` the table is one of an
  /// approximate run, and each row ends with that share. Throws std::runtime_error when it cannot be made.
  CsvFile(const std::filesystem::path& path, std::string_view columns,
          std::optional<double> simulated_share = std::nullopt);
  ~CsvFile();
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  /// Writes one row; text becomes a cell as in base/csv_cell.h.
  template <typename... Cells>
  void row(const Cells&... cells) {
    const char* separator = "";
    ((buffer_.append(std::string_view(separator)), separator = ",", cell(cells)), ...);
    end_row();
  }
  /// Writes one row: a text and `count` numbers, which `value(i)` gives.
  template <typename GetValue>
  void row_of(std::string_view name, std::size_t count, GetValue value) {
    text(name);
    for (std::size_t i = 0; i < count; ++i) {
      buffer_.push_back(',');
      cell(value(i));
    }
    end_row();
  }
  /// Writes what is left and puts the table in its place. Throws std::runtime_error when bytes were lost (disk full).
  void close();

 private:
  template <typename Cell>
  void cell(const Cell& value) {
    if constexpr (std::is_convertible_v<const Cell&, std::string_view>) {
      text(value);
    } else {
      fmt::format_to(std::back_inserter(buffer_), "{}", value);
    }
  }
  /// Several cells, of which those without a value stay empty.
  template <typename T, std::size_t Size>
  void cell(const std::array<std::optional<T>, Size>& values) {
    for (std::size_t i = 0; i < Size; ++i) {
      if (i > 0) buffer_.push_back(',');
      if (values[i]) cell(*values[i]);
    }
  }
  void text(std::string_view value);
  void end_row();
  void flush();

  OutputFile output_;
  std::FILE* file_;
  fmt::memory_buffer buffer_;
  std::string row_end_ = "\n";
};

}  // namespace weft::runs
