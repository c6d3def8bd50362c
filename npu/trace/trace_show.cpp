// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/trace_show.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <set>

#include "base/error.h"
#include "npu/trace/chakra_names.h"
#include "npu/trace/id_set.h"
#include "npu/trace/text_format.h"
#include "npu/trace/trace_files.h"
#include "npu/trace/trace_reader.h"

namespace weft::npu {

namespace {

constexpr std::size_t kLongestName = 48;

const char* style_of(TraceNodeType type) {
  switch (type) {
    case TraceNodeType::kMetadata:
      return "shape=note";
    case TraceNodeType::kMemLoad:
    case TraceNodeType::kMemStore:
      return "shape=cylinder, fillcolor=\"#e6e0f0\"";
    case TraceNodeType::kCompute:
      return "shape=box, fillcolor=\"#dce9f7\"";
    case TraceNodeType::kSend:
      return "shape=rarrow, fillcolor=\"#fde8cf\"";
    case TraceNodeType::kRecv:
      return "shape=larrow, fillcolor=\"#fde8cf\"";
    case TraceNodeType::kCollective:
      return "shape=octagon, fillcolor=\"#dff0d8\"";
  }
  return "";
}

std::string quoted_for_dot(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(static_cast<unsigned char>(c) < ' ' ? ' ' : c);
  }
  return out;
}

std::string memory_group(const TraceNode& node) {
  if (node.group.empty()) return "";
  const std::string who = names_all_ranks(node.group) ? "all ranks" : "group " + node.group;
  return (node.type == TraceNodeType::kMemLoad ? ", copied to " : ", summed over ") + who;
}

// What a node does, in one line.
std::string work_of(const TraceNode& node) {
  switch (node.type) {
    case TraceNodeType::kCollective:
      return fmt::format("{} {}{}", chakra_name(*node.collective), bytes_text(node.comm_bytes),
                         names_all_ranks(node.group) ? "" : ", group " + node.group);
    case TraceNodeType::kSend:
      return fmt::format("to {}, tag {}, {}", node.dst ? std::to_string(index(*node.dst)) : "?", node.tag,
                         bytes_text(node.comm_bytes));
    case TraceNodeType::kRecv:
      return fmt::format("from {}, tag {}, {}", node.src ? std::to_string(index(*node.src)) : "?", node.tag,
                         bytes_text(node.comm_bytes));
    case TraceNodeType::kCompute:
      if (node.duration_us == 0 && node.num_ops) return fmt::format("{} ops", *node.num_ops);
      return fmt::format("{} us", node.duration_us);
    default:
      return (node.tensor_bytes ? bytes_text(*node.tensor_bytes) : "") +
             (is_memory(node.type) ? memory_group(node) : "");
  }
}

void print_node(const TraceNode& node, std::ostream& out) {
  const std::string work = work_of(node);
  fmt::print(out, "  n{} [label=\"{} {}\\n{}{}{}\", {}];\n", node.id, node.id, chakra_name(node.type),
             quoted_for_dot(shorten(node.name, kLongestName)), work.empty() ? "" : "\\n", quoted_for_dot(work),
             style_of(node.type));
}

}  // namespace

void trace_show(const std::string& prefix, RankId rank, std::ostream& out) {
  const auto files = find_trace_files(prefix);
  if (index(rank) >= files.size()) {
    throw InputError(
        fmt::format("{}: there is no rank {}, the trace has ranks 0 to {}", prefix, index(rank), files.size() - 1));
  }
  const auto reader = open_trace(files[index(rank)]);
  fmt::print(out, "digraph \"{}\" {{\n  rankdir=TB;\n  node [style=filled, fillcolor=white, fontname=Helvetica];\n",
             quoted_for_dot(files[index(rank)]));
  IdSet seen;
  std::set<std::uint64_t> unseen;
  const auto edges = [&](const std::vector<std::uint64_t>& deps, std::uint64_t to, const char* style) {
    for (const std::uint64_t dep : deps) {
      if (!seen.contains(dep)) unseen.insert(dep);
      fmt::print(out, "  n{} -> n{}{};\n", dep, to, style);
    }
  };
  while (const auto record = reader->next()) {
    const TraceNode& node = record->node;
    seen.insert(node.id);
    unseen.erase(node.id);
    print_node(node, out);
    edges(record->data_deps, node.id, "");
    edges(record->control_deps, node.id, " [style=dashed]");
  }
  for (const std::uint64_t id : unseen) {
    fmt::print(out, "  n{} [label=\"{}\\nabsent\", shape=plaintext, fontcolor=gray];\n", id, id);
  }
  out << "}\n";
}

}  // namespace weft::npu
