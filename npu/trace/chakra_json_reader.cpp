// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/chakra_json_reader.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fault.h"
#include "npu/trace/byte_stream.h"
#include "npu/trace/chakra_names.h"

namespace weft::npu {

namespace {

using Json = nlohmann::json;

// JSON is held as a whole, several times as large as its text.
constexpr std::size_t kMostJsonBytes = std::size_t{1} << 30;

[[noreturn]] void too_large(const std::string& path, const char* when) {
  throw InputError(fmt::format(
      "{}: has more than {} bytes{}, the most that a trace in JSON may have: the binary form (.et) has no limit", path,
      kMostJsonBytes, when));
}

std::string read_all(const std::string& path) {
  ByteStream bytes(path);
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!bytes.compressed() && !unknown && size > kMostJsonBytes) too_large(path, "");
  std::string text;
  char block[4096];
  while (const std::size_t count = bytes.read(block, sizeof block)) {
    text.append(block, count);
    if (text.size() > kMostJsonBytes) too_large(path, bytes.compressed() ? " when it is decompressed" : "");
  }
  return text;
}

// The keys of one object of the list; `place` opens every message.
class Fields {
 public:
  Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {}

  [[noreturn]] void refuse(const char* key, const std::string& legal) const {
    const auto found = object_.find(key);
    throw InputError(fmt::format("{}: key {} {}, expected {}", place_, key,
                                 found == object_.end() ? "is missing" : "is " + short_text(*found), legal));
  }

  std::optional<std::uint64_t> count(const char* key, std::uint64_t highest) const {
    const auto found = object_.find(key);
    if (found == object_.end()) return std::nullopt;
    if (found->is_boolean()) return found->get<bool>() ? 1 : 0;
    const bool natural = found->is_number_unsigned() || (found->is_number_integer() && found->get<std::int64_t>() >= 0);
    if (!natural || found->get<std::uint64_t>() > highest) {
      refuse(key, fmt::format("an integer from 0 to {}", highest));
    }
    return found->get<std::uint64_t>();
  }

  std::uint64_t required(const char* key) const {
    const auto value = count(key, kAnyCount);
    if (!value) refuse(key, "an integer from 0");
    return *value;
  }

  std::string text(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) return "";
    if (!found->is_string()) refuse(key, "text");
    return found->get<std::string>();
  }

  std::vector<std::uint64_t> ids(const char* key) const {
    std::vector<std::uint64_t> out;
    const auto found = object_.find(key);
    if (found == object_.end()) return out;
    if (!found->is_array()) refuse(key, "a list of node ids");
    for (const Json& id : *found) {
      if (!id.is_number_unsigned()) refuse(key, "a list of node ids");
      out.push_back(id.get<std::uint64_t>());
    }
    return out;
  }

 private:
  static std::string short_text(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 60);
  }

  const Json& object_;
  std::string place_;
};

std::optional<RankId> rank(const Fields& fields, const char* key) {
  const auto value = fields.count(key, kAnyCount32);
  if (!value) return std::nullopt;
  return RankId{static_cast<std::uint32_t>(*value)};
}

void decode_communication(const Fields& fields, TraceNode& node) {
  node.comm_bytes = fields.count("comm_size", kAnyCount).value_or(0);
  node.priority = static_cast<std::uint32_t>(fields.count("comm_priority", kAnyCount32).value_or(0));
  node.group = fields.text("pg_name");
  if (node.type == TraceNodeType::kCollective) {
    const auto kind = fields.count("comm_type", kAnyCount32);
    node.assumed_kind = !kind.has_value();
    node.collective = collective_from_chakra(static_cast<std::int64_t>(kind.value_or(0)));
    if (!node.collective) fields.refuse("comm_type", "0 (ALL_REDUCE) to 9 (BARRIER)");
    return;
  }
  node.src = rank(fields, "comm_src");
  node.dst = rank(fields, "comm_dst");
  node.tag = fields.count("comm_tag", kAnyCount).value_or(0);
}

TraceRecord decode(const Json& object, const std::string& place) {
  if (!object.is_object()) throw InputError(fmt::format("{}: is {}, expected an object", place, object.type_name()));
  const Fields fields(object, place);
  TraceRecord record;
  TraceNode& node = record.node;
  node.id = fields.required("Id");
  node.name = fields.text("Name");
  const auto type = node_type_from_chakra(static_cast<std::int64_t>(fields.count("NodeType", kAnyCount32).value_or(0)));
  if (!type) fields.refuse("NodeType", "1 (METADATA_NODE) to 7 (COMM_COLL_NODE)");
  node.type = *type;
  node.duration_us = fields.count("runtime", kAnyCount).value_or(0);
  node.is_cpu_op = fields.count("is_cpu_op", kAnyCount).value_or(0) != 0;
  node.num_ops = fields.count("num_ops", kAnyCount);
  node.tensor_bytes = fields.count("tensor_size", kAnyCount);
  record.data_deps = fields.ids("data_deps");
  record.control_deps = fields.ids("ctrlDeps");
  node.deps = unique_deps(record.data_deps, record.control_deps);
  if (is_communication(*type)) decode_communication(fields, node);
  if (is_memory(*type)) node.group = fields.text("pg_name");
  return record;
}

}  // namespace

ChakraJsonReader::ChakraJsonReader(const std::string& path) : name_(path) {
  Json json;
  try {
    json = Json::parse(read_all(path));
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: not valid JSON: {}", path, json_fault(error.what())));
  }
  if (!json.is_object() || !json.contains("workload_graph") || !json.at("workload_graph").is_array()) {
    throw InputError(fmt::format("{}: expected a JSON object with a list \"workload_graph\"", path));
  }
  for (const Json& object : json.at("workload_graph")) {
    records_.push_back(decode(object, fmt::format("{}: workload_graph[{}]", path, records_.size())));
    records_.back().offset = records_.size() - 1;
  }
}

std::optional<TraceRecord> ChakraJsonReader::next() {
  if (next_ == records_.size()) return std::nullopt;
  return std::move(records_[next_++]);
}

}  // namespace weft::npu
