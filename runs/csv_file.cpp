// SPDX-License-Identifier: Apache-2.0
#include "runs/csv_file.h"

#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "base/csv_cell.h"

namespace weft::runs {
namespace {

constexpr std::size_t kFlushBytes = 1 << 16;

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(errno)));
}

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& path, std::string_view columns, std::optional<double> simulated_share)
    : output_(path, OutputLinks::kReplace), file_(std::fopen(output_.path().c_str(), "wb")) {
  if (file_ == nullptr) fail(path);
  buffer_.append(columns);
  if (simulated_share) {
    fmt::format_to(std::back_inserter(buffer_), ",{}", kApproximateColumn);
    row_end_ = fmt::format(",{}\n", *simulated_share);
  }
  buffer_.push_back('\n');
}

CsvFile::~CsvFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void CsvFile::text(std::string_view value) { buffer_.append(csv_cell(value)); }

void CsvFile::end_row() {
  buffer_.append(row_end_);
  if (buffer_.size() >= kFlushBytes) flush();
}

void CsvFile::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail(output_.target());
  buffer_.clear();
}

void CsvFile::close() {
  flush();
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0) fail(output_.target());
  output_.complete();
}

}  // namespace weft::runs
