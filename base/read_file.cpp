// SPDX-License-Identifier: Apache-2.0
#include "base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

class FileReader {
 public:
  /// A pipe without a writer must not stop the program while it is opened, so nothing waits at first.
  explicit FileReader(const std::string& path)
      : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (descriptor_ < 0) fail(errno == ENOENT ? "no such file" : std::strerror(errno));
  }
  ~FileReader() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  std::string read_all(std::uint64_t most_bytes) {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) fail("it is a directory");
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) fail("it is a device, not a file");
    if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > most_bytes) too_large(most_bytes);
    std::string text;
    while (read_some(text)) {
      if (text.size() > most_bytes) too_large(most_bytes);
    }
    if (text.empty() && S_ISFIFO(status.st_mode)) fail("it is a pipe that nobody writes into");
    return text;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw InputError(fmt::format("cannot read {}: {}", in_quotes(path_), reason));
  }
  [[noreturn]] void too_large(std::uint64_t most_bytes) const {
    fail(fmt::format("it is larger than such a file may be, {} bytes", most_bytes));
  }

  /// Adds the next bytes to `text`; false at the end.
  bool read_some(std::string& text) {
    const std::size_t before = text.size();
    text.resize(before + kBlockBytes);
    ssize_t count = read(descriptor_, text.data() + before, kBlockBytes);
    while (count < 0 && (errno == EINTR || errno == EAGAIN)) {
      if (errno == EAGAIN) wait_from_now_on();
      count = read(descriptor_, text.data() + before, kBlockBytes);
    }
    if (count < 0) fail(std::strerror(errno));
    text.resize(before + static_cast<std::size_t>(count));
    return count > 0;
  }

  /// Somebody writes into the pipe, but has nothing yet.
  void wait_from_now_on() {
    const int flags = fcntl(descriptor_, F_GETFL);
    if (flags < 0 || fcntl(descriptor_, F_SETFL, flags & ~O_NONBLOCK) != 0) fail(std::strerror(errno));
  }

  const std::string& path_;
  int descriptor_;
};

}  // namespace

std::string read_file(const std::string& path, std::uint64_t most_bytes) {
  return FileReader(path).read_all(most_bytes);
}

}  // namespace weft
