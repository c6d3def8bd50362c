// SPDX-License-Identifier: Apache-2.0
// Framing, schema recognition and the explanation of damage; what a node means is in chakra_decode.
#include "npu/trace/chakra_reader.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/utf8.h"
#include "npu/trace/chakra.pb.h"
#include "npu/trace/chakra_decode.h"
#include "npu/trace/chakra_json_reader.h"
#include "npu/trace/wire.h"

namespace weft::npu {

namespace {

constexpr int kMaxLengthBytes = 5;  // the length is a 32-bit varint
constexpr std::size_t kReadStep = 1 << 20;

template <typename Message>
bool parse(std::string_view bytes, Message& message) {
  const google::protobuf::LogSilencer quiet;  // the reader says itself what is wrong
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// True if the bytes are varints one behind the other.
bool is_packed_varints(std::string_view bytes) {
  int length = 0;
  for (const char c : bytes) {
    if (++length > 10) return false;
    if ((static_cast<unsigned char>(c) & 0x80) == 0) length = 0;
  }
  return length == 0;
}

// What is wrong with one field of a Node; "" if nothing is.
std::string fault_of(const WireField& field) {
  if (field.type != WireType::kBytes) return "";
  chakra::IOInfo io;
  chakra::AttributeProto attribute;
  switch (field.number) {
    case 2:
      return is_utf8(field.payload) ? "" : "the name is not UTF-8 text";
    case 4:
      return is_packed_varints(field.payload) ? "" : "ctrl_deps is not a list of ids";
    case 5:
      return is_packed_varints(field.payload) ? "" : "data_deps is not a list of ids";
    case 8:
    case 9:
      return parse(field.payload, io) ? "" : "not an IOInfo";
    case 10:
      return parse(field.payload, attribute) ? "" : "not an AttributeProto of schema 0.0.4";
    default:
      return "";
  }
}

}  // namespace

ChakraReader::ChakraReader(const std::string& path) : bytes_(path), node_(std::make_unique<chakra::Node>()) {
  read_metadata();
}

ChakraReader::ChakraReader(std::unique_ptr<std::istream> stream, const std::string& name)
    : bytes_(std::move(stream), name), node_(std::make_unique<chakra::Node>()) {
  read_metadata();
}

ChakraReader::~ChakraReader() = default;

std::string ChakraReader::place(std::uint64_t offset) const {
  return fmt::format("{}: byte {}{}", bytes_.name(), offset, bytes_.compressed() ? " of the decompressed data" : "");
}

std::optional<std::uint64_t> ChakraReader::read_length() {
  std::uint64_t length = 0;
  for (int i = 0; i < kMaxLengthBytes; ++i) {
    const int byte = bytes_.get();
    if (byte < 0 && i == 0) return std::nullopt;
    if (byte < 0) {
      throw InputError(fmt::format("{}: the file ends inside the length of record {}: truncated file",
                                   place(record_offset_), record_number_));
    }
    length |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return length;
  }
  throw InputError(fmt::format("{}: the length of record {} is longer than {} bytes: damaged, or not a Chakra ET file",
                               place(record_offset_), record_number_, kMaxLengthBytes));
}

void ChakraReader::read_payload(std::uint64_t length) {
  if (length > kMaxRecordBytes) {
    throw InputError(
        fmt::format("{}: record {} would have {} bytes, legal are at most {}: damaged, or not a Chakra ET file",
                    place(record_offset_), record_number_, length, kMaxRecordBytes));
  }
  record_.clear();
  // Grows with what is there: a damaged length must not cost memory.
  while (record_.size() < length) {
    const std::size_t before = record_.size();
    const std::size_t step = std::min<std::uint64_t>(kReadStep, length - before);
    record_.resize(before + step);
    const std::size_t got = bytes_.read(record_.data() + before, step);
    if (got == step) continue;
    throw InputError(
        fmt::format("{}: record {} has {} bytes by its length but the file ends after {} of them: truncated, or not a "
                    "Chakra ET file",
                    place(record_offset_), record_number_, length, before + got));
  }
}

bool ChakraReader::read_record() {
  record_offset_ = bytes_.offset();
  const auto length = read_length();
  if (!length) return false;
  payload_offset_ = bytes_.offset();
  read_payload(*length);
  return true;
}

void ChakraReader::read_metadata() {
  if (!read_record()) {
    throw InputError(fmt::format("{}: the file is empty, expected a GlobalMetadata record", place(0)));
  }
  try {
    WireScanner scanner(record_);
    WireField field;
    while (scanner.next(field)) {
      // Files before 0.0.4 begin with a Node, whose field 1 is a number.
      if (field.number == 1 && field.type == WireType::kVarint) {
        const std::string schema = old_schema_of_node(record_);
        throw InputError(fmt::format(
            "{}: record 0 is a Node, expected a GlobalMetadata: Chakra schema {}, only 0.0.4 and later can be read",
            place(record_offset_), schema.empty() ? "before 0.0.4" : schema));
      }
    }
  } catch (const WireDamage& damage) {
    throw InputError(fmt::format("{}: record 0, expected a GlobalMetadata: {}: damaged, or not a Chakra ET file",
                                 place(payload_offset_ + damage.offset), damage.text));
  }
  chakra::GlobalMetadata message;
  if (!parse(record_, message)) {
    throw InputError(fmt::format("{}: record 0 cannot be parsed as GlobalMetadata: damaged, or not a Chakra ET file",
                                 place(record_offset_)));
  }
  metadata_ = decode_metadata(message);
  ++record_number_;
}

// Says where the parser must have stopped.
void ChakraReader::explain_bad_node() const {
  WireScanner scanner(record_);
  WireField field;
  while (scanner.next(field)) {
    const std::string fault = fault_of(field);
    if (!fault.empty()) {
      throw InputError(fmt::format("{}: record {}, field {} of a Node: {}: damaged, or not a Chakra ET file",
                                   place(payload_offset_ + field.begin), record_number_, field.number, fault));
    }
  }
  throw InputError(fmt::format("{}: record {} cannot be parsed as a Node: damaged, or not a Chakra ET file",
                               place(record_offset_), record_number_));
}

void ChakraReader::parse_node() {
  try {
    const std::string schema = old_schema_of_node(record_);
    if (!schema.empty()) {
      throw InputError(fmt::format("{}: record {} is a Node of Chakra schema {}, only 0.0.4 and later can be read",
                                   place(record_offset_), record_number_, schema));
    }
    if (!parse(record_, *node_)) explain_bad_node();
  } catch (const WireDamage& damage) {
    throw InputError(fmt::format("{}: record {}, expected a Node: {}: damaged, or not a Chakra ET file",
                                 place(payload_offset_ + damage.offset), record_number_, damage.text));
  }
}

std::optional<TraceRecord> ChakraReader::next() {
  if (!read_record()) return std::nullopt;
  parse_node();
  const std::string where = place(record_offset_);
  TraceRecord record = decode_node(*node_, where);
  record.offset = record_offset_;
  if (holds_process_groups(*node_)) groups_.add_pytorch(node_->inputs().values(), where);
  ++record_number_;
  return record;
}

std::vector<std::uint64_t> unique_deps(const std::vector<std::uint64_t>& data,
                                       const std::vector<std::uint64_t>& control) {
  std::vector<std::uint64_t> deps = data;
  deps.insert(deps.end(), control.begin(), control.end());
  std::sort(deps.begin(), deps.end());
  deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
  return deps;
}

std::unique_ptr<TraceReader> open_trace(const std::string& path) {
  constexpr std::string_view kJson = ".json";
  if (path.size() >= kJson.size() && path.compare(path.size() - kJson.size(), kJson.size(), kJson) == 0) {
    return std::make_unique<ChakraJsonReader>(path);
  }
  return std::make_unique<ChakraReader>(path);
}

bool operator==(const TraceNode& a, const TraceNode& b) {
  const auto fields = [](const TraceNode& n) {
    return std::tie(n.id, n.name, n.type, n.deps, n.duration_us, n.is_cpu_op, n.num_ops, n.tensor_bytes, n.collective,
                    n.assumed_kind, n.comm_bytes, n.priority, n.group, n.involved_dims, n.src, n.dst, n.tag);
  };
  return fields(a) == fields(b);
}

}  // namespace weft::npu
