// SPDX-License-Identifier: Apache-2.0
// The reader of ASTRA-sim's remote-memory file. JSON says whether the text is well-formed, the YAML reader, of which
// JSON is a part, where everything stands.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/json_fault.h"
#include "base/rational_math.h"
#include "base/read_file.h"
#include "base/text_distance.h"
#include "config/tree.h"
#include "mem/pool/remote_memory.h"

namespace weft::mem {
namespace {

constexpr std::string_view kType = "memory-type";
constexpr std::string_view kLatency = "remote-mem-latency";
constexpr std::string_view kBandwidth = "remote-mem-bw";
constexpr std::string_view kNodes = "num-nodes";
constexpr std::string_view kNpusPerNode = "num-npus-per-node";

const std::vector<std::string_view>& known_keys() {
  static const std::vector<std::string_view> kKeys = {
      kType, kLatency, kBandwidth, kNodes, kNpusPerNode, "local-mem-latency", "local-mem-bw"};
  return kKeys;
}

const std::vector<std::string_view>& kind_names() {
  static const std::vector<std::string_view> kNames = {"NO_MEMORY_EXPANSION", "PER_NPU_MEMORY_EXPANSION",
                                                       "PER_NODE_MEMORY_EXPANSION", "MEMORY_POOL"};
  return kNames;
}

/// Throws for text that is no JSON object; nlohmann's messages hold line and column.
void check_json(const std::string& text, const std::string& source) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (!json.is_object()) {
      throw InputError(
          fmt::format("{}: is {}, expected an object like {{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-latency\": "
                      "100, \"remote-mem-bw\": 1}}",
                      source, json.type_name()));
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: not valid JSON: {}", source, json_fault(error.what())));
  }
}

class Reader {
 public:
  Reader(const RawNode& file, ConfigErrors& errors) : file_(file), errors_(errors) {}

  RemoteMemory read() {
    check_keys();
    RemoteMemory memory;
    memory.kind = kind();
    const bool is_there = memory.kind != RemoteMemoryKind::kNone;
    memory.latency_ns = number(kLatency, 0, 0);
    memory.gigabytes_per_second = number(kBandwidth, is_there ? 1 : 0, is_there ? kNeeded : 0);
    const bool has_nodes = memory.kind == RemoteMemoryKind::kPerNode;
    memory.nodes = number(kNodes, has_nodes ? 1 : 0, has_nodes ? kNeeded : 0);
    memory.npus_per_node = number(kNpusPerNode, has_nodes ? 1 : 0, has_nodes ? kNeeded : 0);
    return memory;
  }

 private:
  static constexpr std::uint64_t kNeeded = ~std::uint64_t{0};
  static constexpr std::uint64_t kMost = 1'000'000'000;

  void check_keys() {
    for (const RawNode::Entry& entry : file_.entries) {
      const auto& known = known_keys();
      if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
      errors_.add(entry.origin, fmt::format("unknown key {}; known: {}{}", in_quotes(entry.key), fmt::join(known, ", "),
                                            did_you_mean(entry.key, known)));
    }
  }

  RemoteMemoryKind kind() {
    const RawNode* node = file_.find(kType);
    const auto& names = kind_names();
    if (node == nullptr) {
      errors_.add(file_.origin, fmt::format("{} is missing; legal: {}", kType, fmt::join(names, ", ")));
      return RemoteMemoryKind::kNone;
    }
    const auto found = std::find(names.begin(), names.end(), node->scalar);
    if (node->kind == RawNode::Kind::kScalar && found != names.end())
      return static_cast<RemoteMemoryKind>(found - names.begin());
    errors_.add(node->origin, fmt::format("{}: unknown kind {}; known: {}{}", kType, written(*node),
                                          fmt::join(names, ", "), did_you_mean(node->scalar, names)));
    return RemoteMemoryKind::kNone;
  }

  /// A whole number from `low` on; `missing` stands for one that is not there.
  std::uint64_t number(std::string_view key, std::uint64_t low, std::uint64_t missing) {
    const RawNode* node = file_.find(key);
    if (node == nullptr) {
      if (missing != kNeeded) return missing;
      errors_.add(file_.origin, fmt::format("{} is missing; legal: {} to {}", key, low, kMost));
      return low;
    }
    const std::optional<std::uint64_t> value = whole_number(*node);
    if (!value || *value < low || *value > kMost) {
      errors_.add(node->origin, fmt::format("{}: {} cannot be used; legal: a whole number, {} to {}", key,
                                            written(*node), low, kMost));
      return low;
    }
    return *value;
  }

  static std::string written(const RawNode& node) {
    return node.kind == RawNode::Kind::kScalar ? in_quotes(node.scalar) : node.describe();
  }

  /// 512, also written as 512.0 or 5.12e2.
  static std::optional<std::uint64_t> whole_number(const RawNode& node) {
    if (node.kind != RawNode::Kind::kScalar || node.is_quoted) return std::nullopt;
    try {
      const Rational value = parse_rational(node.scalar);
      if (value.den == 1) return value.num;
    } catch (const InputError&) {
      // Answered with what is legal.
    }
    return std::nullopt;
  }

  const RawNode& file_;
  ConfigErrors& errors_;
};

}  // namespace

RemoteMemory parse_remote_memory(const std::string& text, const std::string& source) {
  check_json(text, source);
  ConfigErrors errors;
  const RawNode file = parse_yaml(text, source, false, errors);
  errors.throw_if_any();
  const RemoteMemory memory = Reader(file, errors).read();
  errors.throw_if_any();
  return memory;
}

RemoteMemory read_remote_memory(const std::string& path) {
  return parse_remote_memory(read_file(path, kMaxConfigBytes), path);
}

}  // namespace weft::mem
