// SPDX-License-Identifier: Apache-2.0
#include "waves/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/error.h"
#include "waves/wave_writer.h"

namespace weft::waves {

LineFile::LineFile(const std::filesystem::path& path) : path_(path) {
  constexpr int kMode = 0644;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (descriptor_ < 0) {
    throw InputError(fmt::format("waves.file: cannot create '{}': {}", path.string(), std::strerror(errno)));
  }
  buffer_.reserve(kBlockBytes + kBlockBytes / 4);
}

LineFile::~LineFile() {
  try {
    close();
  } catch (const std::exception&) {  // an earlier call has said it, or nobody wanted to know
  }
}

void LineFile::flush() {
  if (descriptor_ < 0) return;
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(count < 0 ? std::strerror(errno) : "nothing was written");
    done += static_cast<std::size_t>(count);
  }
  written_bytes_ += buffer_.size();
  buffer_.clear();
}

void LineFile::close() {
  if (descriptor_ < 0) return;
  flush();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) {
    throw std::runtime_error(fmt::format("cannot close '{}': {}", path_.string(), std::strerror(errno)));
  }
}

void LineFile::fail(const char* what) {
  const std::string reason = what;
  // Part of the block may be on the disk; a reader must not meet half a line.
  const bool cut = ::ftruncate(descriptor_, static_cast<off_t>(written_bytes_)) == 0;
  ::close(descriptor_);
  descriptor_ = -1;
  buffer_.clear();
  throw WaveFileFull(fmt::format("cannot write '{}': {}; {} bytes of it are {}", path_.string(), reason, written_bytes_,
                                 cut ? "complete and readable" : "complete, the rest is not"));
}

}  // namespace weft::waves
