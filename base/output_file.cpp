// SPDX-License-Identifier: Apache-2.0
#include "base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartialEnd = ".part";
/// More leftovers than these of one process number are no accident.
constexpr int kMostTries = 1000;
constexpr int kMode = 0666;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", path.string(), std::strerror(error)));
}

/// What stands under the name, in words; empty for nothing, regular files and links.
const char* odd_sort(const fs::file_status& status) {
  switch (status.type()) {
    case fs::file_type::directory:
      return "a directory";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "";
  }
}

/// A new empty file beside `target`. It is made exclusively: neither a file nor a link that waits under its name is
/// ever written to.
fs::path make_partial(const fs::path& target) {
  for (int number = 0; number < kMostTries; ++number) {
    fs::path path = fmt::format("{}.{}-{}{}", target.string(), getpid(), number, kPartialEnd);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (file >= 0) {
      close(file);
      return path;
    }
    if (errno != EEXIST) fail(target, errno);
  }
  fail(target, EEXIST);
}

/// NAME.123-4.part, as `make_partial` names its files.
bool is_partial_name(std::string_view name) {
  const std::size_t end_bytes = std::string_view(kPartialEnd).size();
  if (name.size() < end_bytes || name.substr(name.size() - end_bytes) != kPartialEnd) return false;
  name.remove_suffix(end_bytes);
  for (const char before : {'-', '.'}) {
    const std::size_t digits = name.find_last_not_of("0123456789");
    if (digits == std::string_view::npos || digits + 1 == name.size() || name[digits] != before) return false;
    name = name.substr(0, digits);
  }
  return !name.empty();
}

bool is_written_into(const fs::path& target) {
  std::error_code none;
  const fs::file_status own = fs::symlink_status(target, none);
  if (fs::is_symlink(own)) return true;
  return fs::is_character_file(own) || fs::is_block_file(own) || fs::is_fifo(own);
}

}  // namespace

void require_replaceable(const fs::path& target) {
  std::error_code none;
  const std::string sort = odd_sort(fs::symlink_status(target, none));
  if (sort.empty()) return;
  throw InputError(
      fmt::format("{}: cannot be written: {} stands there, which is not replaced by a result", target.string(), sort));
}

OutputFile::OutputFile(fs::path target, OutputLinks links) : target_(std::move(target)), path_(target_) {
  if (links == OutputLinks::kReplace) {
    require_replaceable(target_);
  } else if (is_written_into(target_)) {
    return;
  } else {
    std::error_code none;
    const fs::file_status status = fs::symlink_status(target_, none);
    if (fs::is_directory(status) || fs::is_socket(status)) {
      throw InputError(fmt::format("{}: cannot be written: it is {}", target_.string(), odd_sort(status)));
    }
  }
  path_ = make_partial(target_);
  is_partial_ = true;
}

OutputFile::~OutputFile() {
  if (is_partial_) unlink(path_.c_str());
}

void OutputFile::complete() {
  if (!is_partial_) return;
  if (std::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, errno);
  is_partial_ = false;
}

void write_output(const fs::path& target, std::string_view text, OutputLinks links) {
  OutputFile output(target, links);
  std::FILE* file = std::fopen(output.path().c_str(), "wb");
  if (file == nullptr) fail(target, errno);
  const bool complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int error = errno;
  if (std::fclose(file) != 0) fail(target, errno);
  if (!complete) fail(target, error);
  output.complete();
}

void remove_partial_outputs(const fs::path& folder) {
  std::vector<fs::path> leftovers;
  std::error_code none;
  for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none)) {
    if (is_partial_name(at->path().filename().string())) leftovers.push_back(at->path());
  }
  for (const fs::path& leftover : leftovers) fs::remove(leftover, none);
}

}  // namespace weft
