// SPDX-License-Identifier: Apache-2.0
#include "tb/build/private_folder.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"

namespace weft::tb {
namespace {

namespace fs = std::filesystem;

/// "user 65534 (nobody)".
std::string user_text(uid_t user) {
  const struct passwd* entry = getpwuid(user);
  return entry == nullptr ? fmt::format("user {}", user) : fmt::format("user {} ({})", user, entry->pw_name);
}

[[noreturn]] void cannot_be_made(const fs::path& folder) {
  throw InputError(fmt::format("the build directory {} cannot be made: {}", folder.string(), std::strerror(errno)));
}

void require_private_status(const struct stat& status, const fs::path& path) {
  constexpr const char* kElse = "or name another directory with --build-dir or WEFT_RTL_DIR";
  if (status.st_uid != geteuid())
    throw InputError(fmt::format(
        "{} belongs to {}, and this program, which would load code from there, runs as {}: delete it or make it yours "
        "(chown), {}",
        path.string(), user_text(status.st_uid), user_text(geteuid()), kElse));
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw InputError(fmt::format(
        "{} may be written by others (mode {:04o}), and this program would load code from there: if you trust "
        "what is in it, take their right away (chmod go-w), if not, delete it, {}",
        path.string(), status.st_mode & 07777U, kElse));
}

}  // namespace

void make_private_folder(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code error;
  for (fs::path at = fs::absolute(folder).lexically_normal(); !fs::exists(at, error) && at.has_relative_path();
       at = at.parent_path())
    missing.push_back(at);
  // Another process may make the same at this moment.
  for (; !missing.empty(); missing.pop_back())
    if (mkdir(missing.back().c_str(), S_IRWXU) != 0 && errno != EEXIST) cannot_be_made(folder);
  if (!fs::is_directory(folder, error)) {
    errno = ENOTDIR;
    cannot_be_made(folder);
  }
  require_private(folder);
}

void require_private(const fs::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0)
    throw InputError(fmt::format("{} cannot be read: {}", folder.string(), std::strerror(errno)));
  require_private_status(status, folder);
}

void require_private_file(int descriptor, const fs::path& file) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0)
    throw InputError(fmt::format("{} cannot be read: {}", file.string(), std::strerror(errno)));
  require_private_status(status, file);
}

fs::path home_folder() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return home;
  const struct passwd* entry = getpwuid(geteuid());
  return entry != nullptr && entry->pw_dir != nullptr && *entry->pw_dir == '/' ? entry->pw_dir : "";
}

}  // namespace weft::tb
