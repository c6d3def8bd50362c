// SPDX-License-Identifier: Apache-2.0
#include "wafer/csv_file.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace weft::wafer {
namespace {

constexpr std::size_t kFlushBytes = 1 << 16;

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& path, std::string_view columns)
    : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (file_ == nullptr) fail(path_);
  buffer_.append(columns);
  buffer_.push_back('\n');
}

CsvFile::~CsvFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void CsvFile::text(std::string_view value) { buffer_.append(csv_cell(value)); }

void CsvFile::end_row() {
  buffer_.push_back('\n');
  if (buffer_.size() >= kFlushBytes) flush();
}

void CsvFile::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail(path_);
  buffer_.clear();
}

void CsvFile::close() {
  flush();
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(path_);
}

std::string csv_cell(std::string_view value) {
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(value);
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace weft::wafer
