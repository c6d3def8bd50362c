// SPDX-License-Identifier: Apache-2.0
#include "log/sqlite_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <stdexcept>

namespace weft::log {

SqliteFile::SqliteFile(const std::filesystem::path& path, Mode mode) : path_(path) {
  const int flags = mode == Mode::kCreate ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  if (sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr) == SQLITE_OK) return;
  const std::string text = fmt::format("{}: {}", path.string(), sqlite3_errmsg(handle_));
  sqlite3_close(handle_);
  throw std::runtime_error(text);
}

SqliteFile::~SqliteFile() { sqlite3_close(handle_); }

void SqliteFile::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void SqliteFile::close() {
  if (sqlite3_close(handle_) != SQLITE_OK) fail();
  handle_ = nullptr;
}

void SqliteFile::limit_time(std::chrono::duration<double> patience) {
  constexpr int kStepsBetweenLooks = 10'000;  // steps of SQLite's virtual machine: well below a millisecond
  deadline_ =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(patience);
  sqlite3_progress_handler(handle_, kStepsBetweenLooks, &SqliteFile::check_time, this);
}

int SqliteFile::check_time(void* file) {
  auto* self = static_cast<SqliteFile*>(file);
  self->out_of_time_ = std::chrono::steady_clock::now() > self->deadline_;
  return self->out_of_time_ ? 1 : 0;
}

void SqliteFile::fail() const {
  throw std::runtime_error(fmt::format("{}: {}", path_.string(), sqlite3_errmsg(handle_)));
}

SqliteStatement::SqliteStatement(SqliteFile& file, const std::string& sql) : file_(file) {
  const char* tail = nullptr;
  if (sqlite3_prepare_v2(file.handle_, sql.c_str(), -1, &handle_, &tail) != SQLITE_OK) file.fail();
  const std::string all = tail;
  const std::size_t first = all.find_first_not_of(" \t\r\n;");
  if (first != std::string::npos) rest_ = all.substr(first);
}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(handle_); }

bool SqliteStatement::step() {
  const int status = sqlite3_step(handle_);
  if (status == SQLITE_ROW) return true;
  if (status != SQLITE_DONE) file_.fail();
  return false;
}

void SqliteStatement::finish() {
  step();
  sqlite3_reset(handle_);
}

int SqliteStatement::columns() const { return sqlite3_column_count(handle_); }

std::string SqliteStatement::column_name(int column) const { return sqlite3_column_name(handle_, column); }

std::optional<std::string> SqliteStatement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_, column);
  if (text == nullptr) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(text));
}

bool SqliteStatement::is_number(int column) const {
  const int type = sqlite3_column_type(handle_, column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

bool SqliteStatement::reads_only() const { return sqlite3_stmt_readonly(handle_) != 0; }

void SqliteStatement::bind(std::uint64_t value) {
  if (sqlite3_bind_int64(handle_, next_++, static_cast<sqlite3_int64>(value)) != SQLITE_OK) file_.fail();
}

void SqliteStatement::bind(double value) {
  if (sqlite3_bind_double(handle_, next_++, value) != SQLITE_OK) file_.fail();
}

void SqliteStatement::bind(const std::string& value) {
  const int bytes = static_cast<int>(value.size());
  if (sqlite3_bind_text(handle_, next_++, value.c_str(), bytes, SQLITE_TRANSIENT) != SQLITE_OK) file_.fail();
}

void SqliteStatement::bind_null() {
  if (sqlite3_bind_null(handle_, next_++) != SQLITE_OK) file_.fail();
}

}  // namespace weft::log
