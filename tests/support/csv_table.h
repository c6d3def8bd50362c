// SPDX-License-Identifier: Apache-2.0
// Reads a CSV file with quoted cells; independent of the code that writes them.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace weft::test {

/// A table in memory: cells by row number and column name.
class CsvTable {
 public:
  explicit CsvTable(const std::filesystem::path& path) {
    const std::string text = read_text(path);
    std::vector<std::string> row(1);
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        row.back() += '"';
        ++i;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        row.emplace_back();
      } else if (c == '\n' && !quoted) {
        rows_.push_back(row);
        row.assign(1, "");
      } else {
        row.back() += c;
      }
    }
    if (rows_.empty() || row.size() != 1 || !row[0].empty()) throw std::runtime_error("no complete CSV: " + text);
    columns_ = rows_.front();
    rows_.erase(rows_.begin());
    for (const auto& r : rows_) {
      if (r.size() != columns_.size()) throw std::runtime_error("a row with a wrong number of cells: " + text);
    }
  }

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return rows_.size(); }
  std::string at(std::size_t row, const std::string& column) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i] == column) return rows_.at(row)[i];
    }
    throw std::runtime_error("no column " + column);
  }

 private:
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace weft::test
