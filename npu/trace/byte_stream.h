// SPDX-License-Identifier: Apache-2.0
// Bytes of a file one after the other, decompressed on the way if the file is gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>

namespace weft::npu {

/// Sequential reader that knows its byte offset and recognises gzip by its magic number (1f 8b).
/// Damaged or truncated compression throws InputError.
class ByteStream {
 public:
  /// Opens a file; InputError if that is not possible.
  explicit ByteStream(const std::string& path);
  /// Reads from `stream`; `name` is what error messages call it.
  ByteStream(std::unique_ptr<std::istream> stream, std::string name);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Reads up to `count` bytes; fewer only at the end of the data.
  std::size_t read(char* target, std::size_t count);
  /// The next byte, or -1 at the end of the data.
  int get();
  /// Bytes delivered so far; of the decompressed data if the file is compressed.
  std::uint64_t offset() const { return offset_; }
  bool compressed() const { return gzip_ != nullptr; }
  const std::string& name() const { return name_; }

 private:
  struct Gzip;
  void detect_gzip();
  bool fill_raw();
  bool fill();
  bool inflate_some();

  std::unique_ptr<std::istream> stream_;
  std::string name_;
  std::string raw_;     ///< bytes as they are in the file
  std::string buffer_;  ///< bytes to hand out
  std::size_t position_ = 0;
  std::uint64_t offset_ = 0;
  std::unique_ptr<Gzip> gzip_;
};

}  // namespace weft::npu
