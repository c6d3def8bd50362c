// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_folder.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <string>

namespace weft {
namespace {

namespace fs = std::filesystem;

/// What the names of this machine's folders begin with; the number of the process follows, then six random letters. The
/// machine is named because caches may be shared over a network.
std::string prefix() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return "weft-scratch-";
  return std::string("weft-scratch-") + host.data() + "-";
}

/// True for the name of a folder whose process is gone.
bool is_left_over(const std::string& name, const std::string& begin) {
  if (name.compare(0, begin.size(), begin) != 0) return false;
  pid_t process = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + begin.size(), end, process);
  if (error != std::errc() || rest == end || *rest != '-' || process <= 0) return false;
  return kill(process, 0) != 0 && errno == ESRCH;
}

void remove_left_over(const fs::path& parent, const std::string& begin) {
  std::error_code ignored;
  for (auto entry = fs::directory_iterator(parent, ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    if (is_left_over(entry->path().filename().string(), begin)) fs::remove_all(entry->path(), ignored);
  }
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& parent) {
  const std::string begin = prefix();
  remove_left_over(parent, begin);
  std::string path = (parent / (begin + std::to_string(getpid()) + "-XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder can be made at " + path);
  path_ = path;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace weft
