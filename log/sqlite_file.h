// SPDX-License-Identifier: Apache-2.0
// SQLite with C++ lifetimes and errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace weft::log {

/// An open database. Errors are std::runtime_error "FILE: what SQLite says".
class SqliteFile {
 public:
  enum class Mode { kCreate, kRead };
  SqliteFile(const std::filesystem::path& path, Mode mode);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  /// Executes one or more statements without results.
  void run(const std::string& sql);
  /// Writes everything and closes.
  void close();
  /// Statements that step later than `patience` from now fail, and `is_out_of_time` is true from then on.
  void limit_time(std::chrono::duration<double> patience);
  bool is_out_of_time() const { return out_of_time_; }

 private:
  friend class SqliteStatement;
  [[noreturn]] void fail() const;

  static int check_time(void* file);

  std::filesystem::path path_;
  sqlite3* handle_ = nullptr;
  std::chrono::steady_clock::time_point deadline_;
  bool out_of_time_ = false;
};

/// A prepared statement. Parameters are bound in their order.
class SqliteStatement {
 public:
  SqliteStatement(SqliteFile& file, const std::string& sql);
  ~SqliteStatement();
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  /// Executes it with these parameters; for statements without results.
  template <typename... Values>
  void run(const Values&... values) {
    next_ = 1;
    (bind(values), ...);
    finish();
  }
  /// The next row of the result; false after the last.
  bool step();
  int columns() const;
  std::string column_name(int column) const;
  /// Empty for NULL.
  std::optional<std::string> text(int column) const;
  bool is_number(int column) const;
  /// What follows the first statement in the text; empty where nothing but blanks and semicolons does.
  const std::string& rest() const { return rest_; }
  /// Whether it only reads.
  bool reads_only() const;

 private:
  void bind(std::uint64_t value);
  void bind(std::uint32_t value) { bind(std::uint64_t{value}); }
  void bind(std::uint16_t value) { bind(std::uint64_t{value}); }
  void bind(int value) { bind(static_cast<std::uint64_t>(value)); }
  void bind(bool value) { bind(std::uint64_t{value}); }
  void bind(double value);
  void bind(const std::string& value);
  void bind(const char* value) { bind(std::string(value)); }
  template <typename T>
  void bind(const std::optional<T>& value) {
    if (value) {
      bind(*value);
    } else {
      bind_null();
    }
  }
  template <typename T, std::size_t Size>
  void bind(const std::array<T, Size>& values) {
    for (const T& value : values) bind(value);
  }
  void bind_null();
  void finish();

  SqliteFile& file_;
  sqlite3_stmt* handle_ = nullptr;
  std::string rest_;
  int next_ = 1;
};

}  // namespace weft::log
