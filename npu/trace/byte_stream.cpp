// SPDX-License-Identifier: Apache-2.0
// Reading in blocks of 64 KiB, so that neither plain nor compressed files are held as a whole.
#include "npu/trace/byte_stream.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace weft::npu {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;
constexpr int kGzipWindowBits = 15 + 16;  // largest window, gzip header and trailer

std::unique_ptr<std::istream> open_file(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    throw InputError(fmt::format("{}: is a directory, expected a trace file", path));
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError(fmt::format("{}: is a device or a pipe, expected a file: a trace is read more than once", path));
  }
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) throw InputError(fmt::format("{}: cannot be opened: {}", path, std::strerror(errno)));
  return file;
}

}  // namespace

struct ByteStream::Gzip {
  Gzip() {
    if (inflateInit2(&zlib, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() { inflateEnd(&zlib); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  z_stream zlib{};
  bool member_ended = false;
  std::uint64_t raw_bytes = 0;  ///< compressed bytes before those in raw_
};

ByteStream::ByteStream(const std::string& path) : ByteStream(open_file(path), path) {}

ByteStream::ByteStream(std::unique_ptr<std::istream> stream, std::string name)
    : stream_(std::move(stream)), name_(std::move(name)) {
  detect_gzip();
}

ByteStream::~ByteStream() = default;

void ByteStream::detect_gzip() {
  fill_raw();
  const bool magic = raw_.size() >= 2 && raw_[0] == '\x1f' && raw_[1] == '\x8b';
  if (!magic) {
    buffer_.swap(raw_);
    return;
  }
  gzip_ = std::make_unique<Gzip>();
  gzip_->zlib.next_in = reinterpret_cast<Bytef*>(raw_.data());
  gzip_->zlib.avail_in = static_cast<uInt>(raw_.size());
}

bool ByteStream::fill_raw() {
  raw_.resize(kBlockBytes);
  stream_->read(raw_.data(), static_cast<std::streamsize>(raw_.size()));
  raw_.resize(static_cast<std::size_t>(stream_->gcount()));
  if (stream_->bad()) throw InputError(fmt::format("{}: cannot be read: {}", name_, std::strerror(errno)));
  return !raw_.empty();
}

bool ByteStream::inflate_some() {
  z_stream& zlib = gzip_->zlib;
  buffer_.resize(kBlockBytes);
  zlib.next_out = reinterpret_cast<Bytef*>(buffer_.data());
  zlib.avail_out = static_cast<uInt>(buffer_.size());
  while (zlib.avail_out == kBlockBytes) {
    if (zlib.avail_in == 0) {
      gzip_->raw_bytes += raw_.size();
      if (!fill_raw()) break;
      zlib.next_in = reinterpret_cast<Bytef*>(raw_.data());
      zlib.avail_in = static_cast<uInt>(raw_.size());
    }
    if (gzip_->member_ended) {  // a gzip file may hold several members one behind the other
      inflateReset(&zlib);
      gzip_->member_ended = false;
    }
    const int status = inflate(&zlib, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      gzip_->member_ended = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw InputError(fmt::format("{}: byte {} of the gzip data is damaged: {}", name_,
                                   gzip_->raw_bytes + raw_.size() - zlib.avail_in, zlib.msg ? zlib.msg : "zlib error"));
    }
  }
  buffer_.resize(kBlockBytes - zlib.avail_out);
  if (buffer_.empty() && !gzip_->member_ended) {
    throw InputError(
        fmt::format("{}: the gzip data end at byte {} inside of a member: truncated file", name_, gzip_->raw_bytes));
  }
  return !buffer_.empty();
}

bool ByteStream::fill() {
  position_ = 0;
  if (gzip_) return inflate_some();
  fill_raw();
  buffer_.swap(raw_);
  return !buffer_.empty();
}

std::size_t ByteStream::read(char* target, std::size_t count) {
  std::size_t done = 0;
  while (done < count && (position_ < buffer_.size() || fill())) {
    const std::size_t part = std::min(count - done, buffer_.size() - position_);
    std::memcpy(target + done, buffer_.data() + position_, part);
    position_ += part;
    done += part;
  }
  offset_ += done;
  return done;
}

int ByteStream::get() {
  if (position_ >= buffer_.size() && !fill()) return -1;
  ++offset_;
  return static_cast<unsigned char>(buffer_[position_++]);
}

}  // namespace weft::npu
