// SPDX-License-Identifier: Apache-2.0
// Writes Chakra execution traces that this and other readers of schema 0.0.4 take.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "npu/trace/trace_reader.h"

namespace weft::npu {

/// Writes one `.et` file, record by record; a name that ends in `.gz` is written compressed.
/// Dependencies are written as data_deps. InputError if the file cannot be written.
class ChakraWriter {
 public:
  /// Creates the file and writes its GlobalMetadata; an empty version becomes "0.0.4". Attributes are written as text.
  explicit ChakraWriter(const std::string& path, const TraceMetadata& metadata = {});
  /// Closes without checking; call `close` to learn of a full disk.
  ~ChakraWriter();
  ChakraWriter(const ChakraWriter&) = delete;
  ChakraWriter& operator=(const ChakraWriter&) = delete;

  void write(const TraceNode& node);
  /// Nothing may be written after it.
  void close();
  std::uint64_t nodes_written() const { return nodes_; }

 private:
  class File;
  std::unique_ptr<File> file_;
  std::uint64_t nodes_ = 0;
};

/// The serialised record of one node (without its length), as `write` puts it into the file.
std::string encode_node(const TraceNode& node);

}  // namespace weft::npu
