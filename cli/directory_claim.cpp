// SPDX-License-Identifier: Apache-2.0
#include "cli/directory_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLockFile = ".lock";
/// So often a directory may vanish while another is made in it.
constexpr int kMostVanished = 1000;
constexpr int kFileMode = 0666;
constexpr int kDirectoryMode = 0777;

/// Makes one directory; false where something of its name exists.
bool make_one(const fs::path& path) {
  if (mkdir(path.c_str(), kDirectoryMode) == 0) return true;
  if (errno == EEXIST) return false;
  throw fs::filesystem_error("", path, std::error_code(errno, std::generic_category()));
}

/// Whether the open file is still the one under the name: the process before may have removed it.
bool is_current(int file, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

/// Who holds a lock, as its file says; empty where it says nothing.
std::string holder(int file) {
  char text[32] = {};
  const ssize_t bytes = pread(file, text, sizeof text - 1, 0);
  return bytes > 0 ? fmt::format(" (process {})", std::string(text, static_cast<std::size_t>(bytes))) : "";
}

}  // namespace

DirectoryClaim::DirectoryClaim(const fs::path& directory) {
  try {
    make(directory);
  } catch (const fs::filesystem_error& error) {
    throw InputError(
        fmt::format("--out {}: cannot be made a directory: {}", directory.string(), error.code().message()));
  }
  lock();
}

DirectoryClaim DirectoryClaim::of(const std::string& out, std::string name) {
  if (!out.empty()) return DirectoryClaim(fs::path(out));
  // A name that comes from a file's name may hold any bytes.
  name = escaped_utf8(name);
  std::replace(name.begin(), name.end(), '/', '_');
  std::replace(name.begin(), name.end(), '\0', '_');
  const fs::path parent = "results";
  for (int number = 1;; ++number) {
    const fs::path directory = parent / fmt::format("{}-{}", name, number);
    DirectoryClaim claim;
    try {
      claim.make(parent);
      if (!make_one(directory)) continue;
    } catch (const fs::filesystem_error& error) {
      // A run that has given up its results may have removed the empty parent meanwhile.
      if (error.code() == std::errc::no_such_file_or_directory && number < kMostVanished) continue;
      throw InputError(fmt::format("{}: cannot be made a directory: {}", directory.string(), error.code().message()));
    }
    claim.directory_ = directory;
    claim.made_.push_back(directory);
    claim.lock();
    return claim;
  }
}

DirectoryClaim::~DirectoryClaim() { release(); }

DirectoryClaim::DirectoryClaim(DirectoryClaim&& other) noexcept
    : directory_(std::move(other.directory_)), made_(std::move(other.made_)), lock_(std::exchange(other.lock_, -1)) {}

void DirectoryClaim::make(const fs::path& directory) {
  directory_ = directory.has_filename() ? directory : directory.parent_path();  // without a slash at its end
  std::vector<fs::path> missing;
  for (fs::path part = directory; !part.empty() && !fs::exists(part); part = part.parent_path()) {
    if (part.has_filename()) missing.push_back(part);
  }
  for (auto part = missing.rbegin(); part != missing.rend(); ++part) {
    if (make_one(*part)) made_.push_back(*part);
  }
  if (!fs::is_directory(directory)) {
    throw fs::filesystem_error("", directory, std::make_error_code(std::errc::not_a_directory));
  }
}

void DirectoryClaim::lock() {
  const fs::path path = directory_ / kLockFile;
  while (true) {
    lock_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kFileMode);
    if (lock_ < 0) {
      throw InputError(fmt::format("--out {}: cannot be written: {}", directory_.string(), std::strerror(errno)));
    }
    if (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      const std::string who = holder(lock_);
      close(std::exchange(lock_, -1));
      throw InputError(
          fmt::format("--out {}: another run or sweep{} is writing there; legal: another directory, or "
                      "to wait for its end",
                      directory_.string(), who));
    }
    if (is_current(lock_, path)) break;
    close(std::exchange(lock_, -1));
  }
  const std::string number = std::to_string(getpid());
  // The number only helps a reader of a message.
  const bool ignored = ftruncate(lock_, 0) == 0 && pwrite(lock_, number.data(), number.size(), 0) >= 0;
  (void)ignored;
}

void DirectoryClaim::release() {
  if (lock_ < 0) return;
  // Removed while it is locked: who opens the name from here on makes a file of its own.
  unlink((directory_ / kLockFile).c_str());
  close(std::exchange(lock_, -1));
}

void DirectoryClaim::abandon() {
  std::error_code ignored;
  if (!made_.empty() && made_.back() == directory_) {
    fs::remove_all(directory_, ignored);
    for (auto part = std::next(made_.rbegin()); part != made_.rend(); ++part) fs::remove(*part, ignored);
  }
  release();
}

}  // namespace weft::cli
