// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/trace_info.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/checked.h"
#include "base/error.h"
#include "npu/trace/chakra_names.h"
#include "npu/trace/id_set.h"
#include "npu/trace/text_format.h"
#include "npu/trace/trace_files.h"

namespace weft::npu {

namespace {

using OrderedJson = nlohmann::ordered_json;

// Edges to ids that have not been seen yet; what is left at the end leads nowhere.
class EdgeCounter {
 public:
  bool node(std::uint64_t id) {
    pending_.erase(id);
    return seen_.insert(id);
  }
  void edge(std::uint64_t to) {
    if (!seen_.contains(to)) ++pending_[to];
  }
  std::uint64_t absent() const {
    std::uint64_t sum = 0;
    for (const auto& [id, edges] : pending_) sum += edges;
    return sum;
  }

 private:
  IdSet seen_;
  std::unordered_map<std::uint64_t, std::uint64_t> pending_;
};

void count_communication(const TraceNode& node, TraceSummary& summary) {
  const bool collective = node.type == TraceNodeType::kCollective;
  if (!is_communication(node.type)) return;
  NodesAndBytes& entry =
      collective ? summary.collectives[chakra_name(*node.collective)] : summary.messages[chakra_name(node.type)];
  ++entry.nodes;
  entry.bytes = checked_add(entry.bytes, node.comm_bytes, "sum of comm_size over the nodes");
  if (node.assumed_kind) ++summary.assumed_kinds;
  if (!names_all_ranks(node.group)) ++summary.nodes_by_group[node.group];
}

void count_memory(const TraceNode& node, TraceSummary& summary) {
  if (!is_memory(node.type)) return;
  NodesAndBytes& entry = summary.memory[chakra_name(node.type)];
  ++entry.nodes;
  entry.bytes = checked_add(entry.bytes, node.tensor_bytes.value_or(0), "sum of tensor_size over the nodes");
  if (node.group.empty()) return;
  ++summary.shared_memory_nodes;
  if (!names_all_ranks(node.group)) ++summary.nodes_by_group[node.group];
}

/// Adds what a node takes to the sums of its trace. Throws InputError where a sum does not fit.
void count_sums(const TraceNode& node, TraceSummary& summary) {
  summary.duration_us = checked_add(summary.duration_us, node.duration_us, "sum of recorded durations");
  summary.num_ops += static_cast<double>(node.num_ops.value_or(0));
  count_communication(node, summary);
  count_memory(node, summary);
}

void count_rank(TraceReader& reader, TraceSummary& summary) {
  EdgeCounter edges;
  std::uint64_t nodes = 0;
  while (const auto record = reader.next()) {
    const TraceNode& node = record->node;
    ++nodes;
    ++summary.nodes_by_type[chakra_name(node.type)];
    if (!edges.node(node.id)) ++summary.duplicate_ids;
    for (const std::uint64_t dep : record->data_deps) edges.edge(dep);
    for (const std::uint64_t dep : record->control_deps) edges.edge(dep);
    summary.data_edges += record->data_deps.size();
    summary.control_edges += record->control_deps.size();
    try {
      count_sums(node, summary);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: node {}: {}", reader.name(), node.id, error.what()));
    }
  }
  summary.absent_edges += edges.absent();
  summary.nodes += nodes;
  summary.fewest_nodes = std::min(summary.fewest_nodes, nodes);
  summary.most_nodes = std::max(summary.most_nodes, nodes);
}

template <typename Map>
void print_counts(std::ostream& out, const char* title, const Map& counts) {
  if (counts.empty()) return;
  fmt::print(out, "{}\n", title);
  for (const auto& [name, entry] : counts) {
    fmt::print(out, "  {:<16} {:>10}  {}\n", name, entry.nodes, bytes_text(entry.bytes));
  }
}

void print_groups(std::ostream& out, const TraceSummary& summary) {
  constexpr std::size_t kShown = 20;
  if (!summary.groups.empty()) fmt::print(out, "groups       {} defined by metadata nodes\n", summary.groups.size());
  if (summary.nodes_by_group.empty()) {
    fmt::print(out, "groups used  all ranks only\n");
    return;
  }
  fmt::print(out, "groups used  {} besides all ranks\n", summary.nodes_by_group.size());
  std::size_t shown = 0;
  for (const auto& [name, nodes] : summary.nodes_by_group) {
    if (shown++ == kShown) {
      fmt::print(out, "  ... {} more\n", summary.nodes_by_group.size() - kShown);
      break;
    }
    fmt::print(out, "  {:<16} {:>10} nodes\n", name, nodes);
  }
}

void print_text(std::ostream& out, const TraceSummary& summary) {
  fmt::print(out, "trace        {}\n", summary.prefix);
  fmt::print(out, "ranks        {}, {} in files\n", summary.ranks, bytes_text(summary.file_bytes));
  if (!summary.metadata.version.empty()) fmt::print(out, "version      {}\n", summary.metadata.version);
  for (const auto& [name, text] : summary.metadata.attributes) {
    fmt::print(out, "metadata     {}: {}\n", name, shorten(text.substr(0, text.find('\n')), 80));
  }
  fmt::print(out, "nodes        {} ({}..{} a rank)\n", summary.nodes, summary.fewest_nodes, summary.most_nodes);
  for (const auto& [name, count] : summary.nodes_by_type) fmt::print(out, "  {:<16} {:>10}\n", name, count);
  print_counts(out, "collectives  nodes and bytes over all ranks", summary.collectives);
  if (summary.assumed_kinds > 0) {
    fmt::print(out, "  ({} of them name no comm_type and count as ALL_REDUCE)\n", summary.assumed_kinds);
  }
  print_counts(out, "messages     nodes and bytes over all ranks", summary.messages);
  print_counts(out, "memory       nodes and bytes over all ranks", summary.memory);
  if (summary.shared_memory_nodes > 0) {
    fmt::print(out, "  ({} of them are one load or one sum of a group)\n", summary.shared_memory_nodes);
  }
  fmt::print(out, "edges        data {}, control {}; to absent nodes: {}; duplicate ids: {}\n", summary.data_edges,
             summary.control_edges, summary.absent_edges, summary.duplicate_ids);
  fmt::print(out, "recorded     {} us in all nodes together\n", summary.duration_us);
  fmt::print(out, "computation  {:.6g} floating-point operations\n", summary.num_ops);
  print_groups(out, summary);
}

OrderedJson json_of(const std::map<std::string_view, NodesAndBytes>& counts) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, entry] : counts) json[std::string(name)] = {{"nodes", entry.nodes}, {"bytes", entry.bytes}};
  return json;
}

OrderedJson json_of(const TraceSummary& summary) {
  OrderedJson json = {{"prefix", summary.prefix}, {"ranks", summary.ranks}, {"file_bytes", summary.file_bytes}};
  json["version"] = summary.metadata.version;
  json["metadata"] = OrderedJson::object();
  for (const auto& [name, text] : summary.metadata.attributes) json["metadata"][name] = text;
  json["nodes"] = summary.nodes;
  json["nodes_per_rank"] = {{"min", summary.fewest_nodes}, {"max", summary.most_nodes}};
  json["nodes_by_type"] = OrderedJson::object();
  for (const auto& [name, count] : summary.nodes_by_type) json["nodes_by_type"][std::string(name)] = count;
  json["collectives"] = json_of(summary.collectives);
  json["collectives_without_kind"] = summary.assumed_kinds;
  json["messages"] = json_of(summary.messages);
  json["memory"] = json_of(summary.memory);
  json["memory_in_groups"] = summary.shared_memory_nodes;
  json["edges"] = {
      {"data", summary.data_edges}, {"control", summary.control_edges}, {"to_absent_nodes", summary.absent_edges}};
  json["duplicate_ids"] = summary.duplicate_ids;
  json["duration_us"] = summary.duration_us;
  json["num_ops"] = summary.num_ops;
  json["nodes_by_group"] = summary.nodes_by_group;
  json["groups"] = OrderedJson::object();
  for (const auto& [name, ranks] : summary.groups.all()) {
    json["groups"][name] = OrderedJson::array();
    for (const RankId rank : ranks) json["groups"][name].push_back(index(rank));
  }
  return json;
}

}  // namespace

TraceSummary summarize_trace(const std::string& prefix) {
  TraceSummary summary;
  summary.prefix = prefix;
  for (const std::string& file : find_trace_files(prefix)) {
    const auto reader = open_trace(file);
    if (summary.ranks++ == 0) summary.metadata = reader->metadata();
    std::error_code ignored;
    const auto size = std::filesystem::file_size(file, ignored);
    if (!ignored) summary.file_bytes += size;
    count_rank(*reader, summary);
    summary.groups.merge(reader->groups(), file);
  }
  return summary;
}

void trace_info(const std::string& prefix, std::ostream& out, bool json) {
  const TraceSummary summary = summarize_trace(prefix);
  if (json) {
    out << json_of(summary).dump(2) << "\n";
  } else {
    print_text(out, summary);
  }
}

}  // namespace weft::npu
