// SPDX-License-Identifier: Apache-2.0
// A child process that reads a file, and tells what is in it.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"

namespace weft::waves {

/// What a child process tells of a file: fields of known sizes and texts with their length before them.
class Records {
 public:
  explicit Records(int descriptor) : file_(fdopen(descriptor, "w")) {}
  ~Records() { std::fclose(file_); }
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  Records& number(std::uint64_t value) {
    std::fwrite(&value, sizeof value, 1, file_);
    return *this;
  }
  Records& text(std::string_view value) {
    number(value.size());
    std::fwrite(value.data(), 1, value.size(), file_);
    return *this;
  }

 private:
  std::FILE* file_;
};

/// A file is read in a child process, which alone has fstapi's state: fstapi trusts what it reads, and a damaged file
/// can overwrite its memory. The child writes records into a pipe, and ends in one way or another.
class ReadingChild {
 public:
  /// `tell` gets the records, in the child; it returns false where the file is damaged.
  ReadingChild(const std::filesystem::path& path, bool (*tell)(const char* path, Records& records))
      : path_(path.string()) {
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(path, missing);
    if (!missing) bytes_ = size;
    int ends[2] = {-1, -1};
    std::cout.flush();
    std::fflush(nullptr);
    if (pipe2(ends, O_CLOEXEC) != 0 || (pid_ = fork()) < 0) {
      throw std::runtime_error(fmt::format("'{}' cannot be read: {}", path_, std::strerror(errno)));
    }
    if (pid_ == 0) become(ends, tell);
    close(ends[1]);
    file_ = fdopen(ends[0], "r");
  }
  ~ReadingChild() {
    std::fclose(file_);
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    wait();
  }
  ReadingChild(const ReadingChild&) = delete;
  ReadingChild& operator=(const ReadingChild&) = delete;

  /// False at the end of the records. Throws InputError where one is torn or the child did not end well.
  bool next(std::uint64_t* value) {
    if (std::fread(value, sizeof *value, 1, file_) == 1) return true;
    if (wait() != 0) damaged();
    return false;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (!next(&value)) damaged();
    return value;
  }
  const std::string& text() {
    const std::uint64_t size = number();
    if (size > kMostText) damaged();
    text_.resize(size);
    if (std::fread(text_.data(), 1, size, file_) != size) damaged();
    return text_;
  }

 private:
  static constexpr std::uint64_t kMostText = std::uint64_t{1} << 32;
  /// Processor time of the child: many times what a sound file of that size takes, with sanitizers too.
  static constexpr std::uint64_t kSeconds = 5;
  static constexpr std::uint64_t kBytesPerSecond = 100'000;

  [[noreturn]] void become(const int* ends, bool (*tell)(const char* path, Records& records)) const {
    close(ends[0]);
    // What fstapi or a sanitizer says of a damaged file would say nothing to a user.
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    // fstapi can also go round in a damaged file for ever.
    const rlimit seconds{kSeconds + bytes_ / kBytesPerSecond, kSeconds + bytes_ / kBytesPerSecond};
    setrlimit(RLIMIT_CPU, &seconds);
    bool good = false;
    try {
      Records records(ends[1]);
      good = tell(path_.c_str(), records);
    } catch (const InputError&) {
      // `good` stays false.
    }
    _exit(good ? 0 : 1);
  }
  [[noreturn]] void damaged() const { throw InputError(fmt::format("'{}' is damaged", path_)); }
  int wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  std::string path_;
  std::uint64_t bytes_ = 0;
  pid_t pid_ = -1;
  std::FILE* file_ = nullptr;
  std::string text_;
};

}  // namespace weft::waves
