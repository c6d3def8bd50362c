// SPDX-License-Identifier: Apache-2.0
// Attributes are read in any integer form; an attribute without value counts as absent; the first of several
// attributes of one name wins.
#include "npu/trace/chakra_decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/utf8.h"
#include "npu/trace/chakra.pb.h"
#include "npu/trace/chakra_names.h"
#include "npu/trace/text_format.h"

namespace weft::npu {

namespace {

using Value = chakra::AttributeProto::ValueCase;

// Any integer fits: negative numbers keep their sign, large unsigned ones their value.
struct Integer {
  bool negative = false;
  std::uint64_t bits = 0;  ///< two's complement
};

Integer from_signed(std::int64_t value) { return {value < 0, static_cast<std::uint64_t>(value)}; }
Integer from_unsigned(std::uint64_t value) { return {false, value}; }

std::optional<Integer> integer_of(const chakra::AttributeProto& attr) {
  switch (attr.value_case()) {
    case Value::kInt32Val:
      return from_signed(attr.int32_val());
    case Value::kInt64Val:
      return from_signed(attr.int64_val());
    case Value::kUint32Val:
      return from_unsigned(attr.uint32_val());
    case Value::kUint64Val:
      return from_unsigned(attr.uint64_val());
    case Value::kSint32Val:
      return from_signed(attr.sint32_val());
    case Value::kSint64Val:
      return from_signed(attr.sint64_val());
    case Value::kFixed32Val:
      return from_unsigned(attr.fixed32_val());
    case Value::kFixed64Val:
      return from_unsigned(attr.fixed64_val());
    case Value::kSfixed32Val:
      return from_signed(attr.sfixed32_val());
    case Value::kSfixed64Val:
      return from_signed(attr.sfixed64_val());
    case Value::kBoolVal:
      return from_unsigned(attr.bool_val() ? 1 : 0);
    default:
      return std::nullopt;
  }
}

std::optional<double> real_of(const chakra::AttributeProto& attr) {
  if (attr.value_case() == Value::kDoubleVal) return attr.double_val();
  if (attr.value_case() == Value::kFloatVal) return static_cast<double>(attr.float_val());
  return std::nullopt;
}

std::string form_of(const chakra::AttributeProto& attr) {
  const auto* field = chakra::AttributeProto::descriptor()->FindFieldByNumber(static_cast<int>(attr.value_case()));
  return field ? field->name() : "no value";
}

// The attributes of one node, looked up by name.
class Attributes {
 public:
  Attributes(const chakra::Node& node, const std::string& place) : node_(node), place_(place) {}

  const chakra::AttributeProto* find(const char* name) const {
    for (const auto& attr : node_.attr()) {
      if (attr.name() == name) return attr.value_case() == Value::VALUE_NOT_SET ? nullptr : &attr;
    }
    return nullptr;
  }

  [[noreturn]] void refuse(const chakra::AttributeProto& attr, const std::string& legal) const {
    throw InputError(fmt::format("{}: node {}: attribute {} ({}{}) cannot be used, expected {}", place_, node_.id(),
                                 attr.name(), form_of(attr), value_text(attr), legal));
  }

  std::optional<Integer> integer(const char* name) const {
    const auto* attr = find(name);
    if (!attr) return std::nullopt;
    const auto value = integer_of(*attr);
    if (!value) refuse(*attr, "an integer");
    return value;
  }

  std::optional<std::uint64_t> count(const char* name, std::uint64_t highest) const {
    const auto* attr = find(name);
    if (!attr) return std::nullopt;
    auto value = integer_of(*attr);
    if (!value) value = whole(real_of(*attr));
    if (!value || value->negative || value->bits > highest) {
      refuse(*attr, fmt::format("an integer from 0 to {}", highest));
    }
    return value->bits;
  }

  bool flag(const char* name) const {
    const auto value = integer(name);
    return value && value->bits != 0;
  }

  // A name that may also be written as a number.
  std::optional<std::string> label(const char* name) const {
    const auto* attr = find(name);
    if (!attr) return std::nullopt;
    if (attr->value_case() == Value::kStringVal) return attr->string_val();
    if (attr->value_case() == Value::kBytesVal && is_utf8(attr->bytes_val())) return attr->bytes_val();
    const auto value = integer_of(*attr);
    if (!value || value->negative) refuse(*attr, "text or an integer from 0");
    return std::to_string(value->bits);
  }

  std::vector<bool> flags(const char* name) const {
    const auto* attr = find(name);
    if (!attr) return {};
    switch (attr->value_case()) {
      case Value::kBoolList:
        return list(attr->bool_list());
      case Value::kInt32List:
        return list(attr->int32_list());
      case Value::kInt64List:
        return list(attr->int64_list());
      case Value::kUint32List:
        return list(attr->uint32_list());
      case Value::kUint64List:
        return list(attr->uint64_list());
      case Value::kSint32List:
        return list(attr->sint32_list());
      case Value::kSint64List:
        return list(attr->sint64_list());
      case Value::kFixed32List:
        return list(attr->fixed32_list());
      case Value::kFixed64List:
        return list(attr->fixed64_list());
      case Value::kSfixed32List:
        return list(attr->sfixed32_list());
      case Value::kSfixed64List:
        return list(attr->sfixed64_list());
      case Value::kBoolVal:
        return {attr->bool_val()};
      default:
        refuse(*attr, "a list of flags");
    }
  }

 private:
  template <typename List>
  static std::vector<bool> list(const List& values) {
    std::vector<bool> out;
    for (const auto value : values.values()) out.push_back(value != 0);
    return out;
  }

  static std::optional<Integer> whole(std::optional<double> value) {
    constexpr double kTwoTo64 = 18446744073709551616.0;
    if (!value || !(*value >= 0) || *value >= kTwoTo64 || *value != std::floor(*value)) return std::nullopt;
    return from_unsigned(static_cast<std::uint64_t>(*value));
  }

  static std::string value_text(const chakra::AttributeProto& attr) {
    if (const auto value = integer_of(attr)) {
      return value->negative ? fmt::format(" {}", static_cast<std::int64_t>(value->bits))
                             : fmt::format(" {}", value->bits);
    }
    if (const auto value = real_of(attr)) return fmt::format(" {}", *value);
    if (attr.value_case() == Value::kStringVal) return fmt::format(" \"{}\"", attr.string_val().substr(0, 40));
    return "";
  }

  const chakra::Node& node_;
  const std::string& place_;
};

std::optional<RankId> rank(const Attributes& attributes, const char* name) {
  const auto value = attributes.count(name, kAnyCount32);
  if (!value) return std::nullopt;
  return RankId{static_cast<std::uint32_t>(*value)};
}

void decode_collective(const Attributes& attributes, TraceNode& node) {
  const auto* attr = attributes.find("comm_type");
  if (!attr) {
    node.collective = CollectiveKind::kAllReduce;
    node.assumed_kind = true;
    return;
  }
  const auto value = attributes.integer("comm_type");
  node.collective = value->negative || value->bits > kAnyCount32
                        ? std::nullopt
                        : collective_from_chakra(static_cast<std::int64_t>(value->bits));
  if (!node.collective) attributes.refuse(*attr, "0 (ALL_REDUCE) to 9 (BARRIER)");
}

std::string decode_group(const Attributes& attributes) {
  auto group = attributes.label("pg_name");
  if (!group) group = attributes.label("comm_group");
  return group.value_or("");
}

void decode_communication(const Attributes& attributes, TraceNode& node) {
  node.comm_bytes = attributes.count("comm_size", kAnyCount).value_or(0);
  node.priority = static_cast<std::uint32_t>(attributes.count("comm_priority", kAnyCount32).value_or(0));
  node.group = decode_group(attributes);
  if (node.type == TraceNodeType::kCollective) {
    decode_collective(attributes, node);
    node.involved_dims = attributes.flags("involved_dim");
    return;
  }
  node.src = rank(attributes, "comm_src");
  node.dst = rank(attributes, "comm_dst");
  if (const auto tag = attributes.integer("comm_tag")) node.tag = tag->bits;
}

std::string text_of(const chakra::AttributeProto& attr) {
  constexpr std::size_t kLongest = 200;
  if (const auto value = integer_of(attr)) {
    return value->negative ? std::to_string(static_cast<std::int64_t>(value->bits)) : std::to_string(value->bits);
  }
  if (const auto value = real_of(attr)) return fmt::format("{}", *value);
  if (attr.value_case() != Value::kStringVal) return fmt::format("({})", form_of(attr));
  const std::string& text = attr.string_val();
  return text.size() <= kLongest ? text : fmt::format("{} ({} bytes)", shorten(text, kLongest), text.size());
}

}  // namespace

TraceRecord decode_node(const chakra::Node& message, const std::string& place) {
  TraceRecord record;
  TraceNode& node = record.node;
  node.id = message.id();
  node.name = message.name();
  const auto type = node_type_from_chakra(message.type());
  if (!type) {
    throw InputError(fmt::format("{}: node {} has type {}, expected 1 (METADATA_NODE) to 7 (COMM_COLL_NODE)", place,
                                 message.id(), static_cast<int>(message.type())));
  }
  node.type = *type;
  node.duration_us = message.duration_micros();
  record.data_deps.assign(message.data_deps().begin(), message.data_deps().end());
  record.control_deps.assign(message.ctrl_deps().begin(), message.ctrl_deps().end());
  node.deps = unique_deps(record.data_deps, record.control_deps);

  const Attributes attributes(message, place);
  node.is_cpu_op = attributes.flag("is_cpu_op");
  node.num_ops = attributes.count("num_ops", kAnyCount);
  node.tensor_bytes = attributes.count("tensor_size", kAnyCount);
  if (is_communication(*type)) decode_communication(attributes, node);
  if (is_memory(*type)) node.group = decode_group(attributes);
  return record;
}

TraceMetadata decode_metadata(const chakra::GlobalMetadata& message) {
  TraceMetadata metadata;
  metadata.version = message.version();
  for (const auto& attr : message.attr()) metadata.attributes.emplace_back(attr.name(), text_of(attr));
  return metadata;
}

bool holds_process_groups(const chakra::Node& message) {
  return message.type() == chakra::METADATA_NODE && message.name().find("process_group:init") != std::string::npos &&
         message.has_inputs();
}

}  // namespace weft::npu
