// SPDX-License-Identifier: Apache-2.0
// Chakra execution traces (.et), schema 0.0.4 and later: a sequence of length-prefixed protobuf records, one file per
// rank, plain or gzip. Start here to see how a file becomes nodes.
#pragma once

#include <istream>
#include <memory>
#include <string>

#include "npu/trace/byte_stream.h"
#include "npu/trace/trace_reader.h"

namespace weft::chakra {
class GlobalMetadata;
class Node;
}  // namespace weft::chakra

namespace weft::npu {

/// Streams the records of one file. Every error is an InputError that names file and byte offset; schemas before
/// 0.0.4 are refused by name.
class ChakraReader : public TraceReader {
 public:
  /// Longest record that is read; the longest known (whole inputs in the metadata) have some MiB.
  static constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{256} << 20;

  /// Opens the file and reads its GlobalMetadata.
  explicit ChakraReader(const std::string& path);
  /// Reads from `stream`; `name` is what error messages call it.
  ChakraReader(std::unique_ptr<std::istream> stream, const std::string& name);
  ~ChakraReader() override;

  const TraceMetadata& metadata() const override { return metadata_; }
  std::optional<TraceRecord> next() override;
  const ProcessGroups& groups() const override { return groups_; }
  const std::string& name() const override { return bytes_.name(); }

 private:
  bool read_record();
  std::optional<std::uint64_t> read_length();
  void read_payload(std::uint64_t length);
  void read_metadata();
  void parse_node();
  void explain_bad_node() const;
  std::string place(std::uint64_t offset) const;

  ByteStream bytes_;
  std::uint64_t record_number_ = 0;   ///< number of the record in record_
  std::uint64_t record_offset_ = 0;   ///< offset of its length field
  std::uint64_t payload_offset_ = 0;  ///< offset of its first byte after the length
  std::string record_;
  std::unique_ptr<chakra::Node> node_;  ///< reused for every record
  TraceMetadata metadata_;
  ProcessGroups groups_;
};

}  // namespace weft::npu
