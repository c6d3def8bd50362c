// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/chakra_writer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "npu/trace/chakra.pb.h"
#include "npu/trace/chakra_names.h"

namespace weft::npu {

namespace {

chakra::AttributeProto* attribute(chakra::Node& node, const char* name) {
  auto* attr = node.add_attr();
  attr->set_name(name);
  return attr;
}

// Readers expect int64 for the collective's kind and size.
void set_count(chakra::Node& node, const char* name, std::uint64_t value) {
  auto* attr = attribute(node, name);
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    attr->set_int64_val(static_cast<std::int64_t>(value));
  } else {
    attr->set_uint64_val(value);
  }
}

// Readers expect a 32-bit form for ranks and tags.
void set_small(chakra::Node& node, const char* name, std::uint64_t value) {
  if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
    attribute(node, name)->set_int32_val(static_cast<std::int32_t>(value));
  } else if (value <= std::numeric_limits<std::uint32_t>::max()) {
    attribute(node, name)->set_uint32_val(static_cast<std::uint32_t>(value));
  } else {
    attribute(node, name)->set_uint64_val(value);
  }
}

void encode_communication(const TraceNode& node, chakra::Node& message) {
  if (node.type == TraceNodeType::kCollective) {
    if (node.collective && !node.assumed_kind) {
      attribute(message, "comm_type")->set_int64_val(chakra_number(*node.collective));
    }
    if (!node.involved_dims.empty()) {
      auto* list = attribute(message, "involved_dim")->mutable_bool_list();
      for (const bool involved : node.involved_dims) list->add_values(involved);
    }
  } else {
    if (node.src) set_small(message, "comm_src", index(*node.src));
    if (node.dst) set_small(message, "comm_dst", index(*node.dst));
    set_small(message, "comm_tag", node.tag);
  }
  set_count(message, "comm_size", node.comm_bytes);
  if (node.priority != 0) attribute(message, "comm_priority")->set_uint32_val(node.priority);
}

}  // namespace

// zlib writes plain files as well ("T").
class ChakraWriter::File {
 public:
  explicit File(const std::string& path) : path_(path) {
    const bool compress = path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
    file_ = gzopen(path.c_str(), compress ? "wb" : "wbT");
    if (!file_) throw InputError(fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
  }
  ~File() {
    if (file_) gzclose(file_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void record(const std::string& bytes) {
    std::string length;
    for (std::size_t rest = bytes.size(); true; rest >>= 7) {
      length.push_back(static_cast<char>(rest < 0x80 ? rest : (rest & 0x7f) | 0x80));
      if (rest < 0x80) break;
    }
    put(length);
    put(bytes);
  }

  void close() {
    if (!file_) return;
    const int status = gzclose(file_);
    file_ = nullptr;
    if (status != Z_OK) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
  }
  void put(const std::string& bytes) {
    if (!bytes.empty() && gzwrite(file_, bytes.data(), static_cast<unsigned>(bytes.size())) == 0) fail();
  }

  std::string path_;
  gzFile file_ = nullptr;
};

ChakraWriter::ChakraWriter(const std::string& path, const TraceMetadata& metadata)
    : file_(std::make_unique<File>(path)) {
  chakra::GlobalMetadata message;
  message.set_version(metadata.version.empty() ? "0.0.4" : metadata.version);
  for (const auto& [name, text] : metadata.attributes) {
    auto* attr = message.add_attr();
    attr->set_name(name);
    attr->set_string_val(text);
  }
  file_->record(message.SerializeAsString());
}

ChakraWriter::~ChakraWriter() = default;

void ChakraWriter::write(const TraceNode& node) {
  file_->record(encode_node(node));
  ++nodes_;
}

void ChakraWriter::close() { file_->close(); }

std::string encode_node(const TraceNode& node) {
  chakra::Node message;
  message.set_id(node.id);
  message.set_name(node.name);
  message.set_type(static_cast<chakra::NodeType>(chakra_number(node.type)));
  for (const std::uint64_t dep : node.deps) message.add_data_deps(dep);
  message.set_duration_micros(node.duration_us);
  attribute(message, "is_cpu_op")->set_bool_val(node.is_cpu_op);
  if (node.num_ops) set_count(message, "num_ops", *node.num_ops);
  if (node.tensor_bytes) attribute(message, "tensor_size")->set_uint64_val(*node.tensor_bytes);
  if (is_communication(node.type)) encode_communication(node, message);
  if (!node.group.empty() && (is_communication(node.type) || is_memory(node.type))) {
    attribute(message, "pg_name")->set_string_val(node.group);
  }
  return message.SerializeAsString();
}

}  // namespace weft::npu
