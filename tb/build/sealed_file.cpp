// SPDX-License-Identifier: Apache-2.0
#include "tb/build/sealed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>

#include "base/error.h"
#include "base/read_file.h"
#include "tb/build/private_folder.h"

namespace weft::tb {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSealBytes = 4096;

void require_hash(int worked) {
  if (worked != 1) throw std::runtime_error("SHA-256 cannot be computed: the library of OpenSSL refuses it");
}

/// SHA-256 of all bytes, 64 hexadecimal digits.
std::string hash_of(int descriptor, const fs::path& file) {
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> hash(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  require_hash(EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr));
  std::array<char, 65536> block{};
  for (;;) {
    const ssize_t count = read(descriptor, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InputError(fmt::format("{} cannot be read: {}", file.string(), std::strerror(errno)));
    if (count == 0) break;
    require_hash(EVP_DigestUpdate(hash.get(), block.data(), static_cast<std::size_t>(count)));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  require_hash(EVP_DigestFinal_ex(hash.get(), digest.data(), &size));
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

fs::path seal_of(const fs::path& file) { return file.string() + ".sha256"; }

std::string seal_text(const std::string& hash, const fs::path& file) {
  return fmt::format("{}  {}\n", hash, file.filename().string());
}

}  // namespace

OpenFile::OpenFile(const fs::path& file) : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
  if (descriptor_ < 0) throw InputError(fmt::format("{} cannot be read: {}", file.string(), std::strerror(errno)));
}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void seal(const fs::path& file) {
  const OpenFile open(file);
  struct stat status {};
  if (fstat(open.descriptor(), &status) != 0 || fchmod(open.descriptor(), status.st_mode & 0755U) != 0)
    throw std::runtime_error(fmt::format("{}: its mode cannot be set: {}", file.string(), std::strerror(errno)));
  std::ofstream out(seal_of(file), std::ios::binary);
  out << seal_text(hash_of(open.descriptor(), file), file);
  if (!out.flush()) throw std::runtime_error(fmt::format("{} cannot be written", seal_of(file).string()));
}

SealedFile::SealedFile(const fs::path& file) : file_(file) {
  const std::string cure = fmt::format("delete the folder {}, it is built anew", file.parent_path().string());
  if (!fs::exists(seal_of(file))) throw InputError(fmt::format("{} has no SHA-256 beside it: {}", file.string(), cure));
  require_private_file(file_.descriptor(), file);
  if (read_file(seal_of(file).string(), kMostSealBytes) != seal_text(hash_of(file_.descriptor(), file), file))
    throw InputError(fmt::format("{} is not what was built there, its SHA-256 is not that of {}: {}", file.string(),
                                 seal_of(file).filename().string(), cure));
}

std::string SealedFile::path() const { return fmt::format("/proc/self/fd/{}", file_.descriptor()); }

}  // namespace weft::tb
