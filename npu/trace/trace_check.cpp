// SPDX-License-Identifier: Apache-2.0
// Reads rank after rank in the order in which a player would issue nodes that take no time, and compares afterwards.
// What is kept is one entry per collective, per load or store of a group, and per message that has not met its partner.
#include "npu/trace/trace_check.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "npu/trace/chakra_feeder.h"
#include "npu/trace/group_check.h"
#include "npu/trace/trace_files.h"
#include "npu/trace/trace_problems.h"

namespace weft::npu {

namespace {

struct MessageKey {
  std::uint32_t src;
  std::uint32_t dst;
  std::uint64_t tag;
  std::uint64_t bytes;

  auto tie() const { return std::tie(src, dst, tag, bytes); }
  bool operator<(const MessageKey& other) const { return tie() < other.tie(); }
};
struct MessageBalance {
  std::int64_t sends_over = 0;  ///< sends minus receives
  std::uint64_t last_send = 0;  ///< a node id of each side, for the message
  std::uint64_t last_recv = 0;
};

class TraceChecker {
 public:
  TraceChecker(std::vector<std::string> files, const std::string& groups_file, std::ostream& out)
      : files_(std::move(files)), groups_given_(!groups_file.empty()), out_(out), problems_(out) {
    if (groups_given_) groups_ = ProcessGroups::from_json_file(groups_file);
  }

  std::size_t run() {
    for (std::uint32_t rank = 0; rank < files_.size(); ++rank) read_rank(rank);
    check_group_definitions();
    if (all_read_) {
      in_groups_.check(groups_, world(), problems_);
      check_messages();
    } else {
      out_ << "note: collectives and messages were not compared, because not all ranks could be read\n";
    }
    const std::size_t count = problems_.close();
    if (count == 0) {
      fmt::print(out_, "sound: {} ranks, {} nodes, {} collectives in {} groups, {} messages", files_.size(), nodes_,
                 in_groups_.collectives(), in_groups_.collective_groups(), message_count_);
      const std::uint64_t shared = in_groups_.shared_memory_nodes();
      out_ << (shared == 0 ? "\n" : fmt::format(", {} loads and stores in groups\n", shared));
    } else {
      fmt::print(out_, "{} problem{}\n", count, count == 1 ? "" : "s");
    }
    return count;
  }

 private:
  std::size_t world() const { return files_.size(); }
  static std::string subject(std::uint32_t rank, const TraceNode& node) {
    return fmt::format("rank {}, node {} (\"{}\")", rank, node.id, node.name);
  }

  // Absent ids are legal and only noted; control cycles can be played but are a problem.
  void read_rank(std::uint32_t rank) {
    FeederOptions options;
    options.warn = [](const std::string&) {};
    try {
      ChakraFeeder feeder(files_[rank], options);
      while (auto node = feeder.pop_ready()) {
        note(rank, *node);
        feeder.finish(node->id);
      }
      nodes_ += feeder.nodes_read();
      if (!groups_given_) groups_.merge(feeder.groups(), files_[rank]);
      if (feeder.absent_references() > 0) {
        fmt::print(out_, "note: rank {}: {} dependencies on nodes that are not in the file count as finished\n", rank,
                   feeder.absent_references());
      }
      if (feeder.ignored_control_edges() > 0) {
        problems_.add("dependencies", fmt::format("rank {}: control and data dependencies form cycles; {} control "
                                                  "dependencies would be ignored when the trace is played",
                                                  rank, feeder.ignored_control_edges()));
      }
    } catch (const InputError& error) {
      problems_.add("file", error.what());
      all_read_ = false;
    }
  }

  void note(std::uint32_t rank, const TraceNode& node) {
    switch (node.type) {
      case TraceNodeType::kMemLoad:
      case TraceNodeType::kMemStore:
        if (!node.group.empty() && !node.tensor_bytes) {
          problems_.add("memory",
                        fmt::format("{}: names group \"{}\" but has no tensor_size", subject(rank, node), node.group));
        }
        in_groups_.note(rank, node);
        break;
      case TraceNodeType::kCollective:
        in_groups_.note(rank, node);
        break;
      case TraceNodeType::kSend:
        note_message(rank, node, "comm_dst", node.dst, "comm_src", node.src, +1);
        break;
      case TraceNodeType::kRecv:
        note_message(rank, node, "comm_src", node.src, "comm_dst", node.dst, -1);
        break;
      default:
        break;
    }
  }

  void note_message(std::uint32_t rank, const TraceNode& node, const char* peer_name, std::optional<RankId> peer,
                    const char* own_name, std::optional<RankId> own, int direction) {
    if (direction > 0) ++message_count_;
    if (own && index(*own) != rank) {
      problems_.add("message",
                    fmt::format("{}: {} is {}, not the rank itself", subject(rank, node), own_name, index(*own)));
    }
    if (!peer) {
      problems_.add("message", fmt::format("{}: has no {}", subject(rank, node), peer_name));
      return;
    }
    if (index(*peer) >= world()) {
      problems_.add("message", fmt::format("{}: {} is {}, the trace has ranks 0 to {}", subject(rank, node), peer_name,
                                           index(*peer), world() - 1));
      return;
    }
    if (!names_all_ranks(node.group)) message_groups_.emplace(node.group, rank);
    const std::uint32_t src = direction > 0 ? rank : index(*peer);
    const std::uint32_t dst = direction > 0 ? index(*peer) : rank;
    const auto found = messages_.try_emplace({src, dst, node.tag, node.comm_bytes}).first;
    found->second.sends_over += direction;
    (direction > 0 ? found->second.last_send : found->second.last_recv) = node.id;
    if (found->second.sends_over == 0) messages_.erase(found);
  }

  void check_group_definitions() {
    for (const auto& [name, ranks] : groups_.all()) {
      for (const RankId rank : ranks) {
        if (index(rank) >= world()) {
          problems_.add("group", fmt::format("group \"{}\" names rank {}, the trace has ranks 0 to {}", name,
                                             index(rank), world() - 1));
        }
      }
    }
    for (const auto& [name, rank] : message_groups_) {
      if (!groups_.contains(name)) report_unknown(name, fmt::format("rank {} sends or receives in it", rank));
    }
  }

  void report_unknown(const std::string& group, const std::string& who) {
    try {
      groups_.members(group, world());
    } catch (const InputError& error) {
      problems_.add("group", fmt::format("{} ({})", error.what(), who));
    }
  }

  void check_messages() {
    for (const auto& [key, balance] : messages_) {
      const bool send = balance.sends_over > 0;
      const auto count = send ? balance.sends_over : -balance.sends_over;
      problems_.add(
          "message",
          fmt::format("{} {}{} of {} bytes, tag {}, from rank {} to rank {} (last: node {} of rank {}) {} no {}{}",
                      count, send ? "send" : "receive", count == 1 ? "" : "s", key.bytes, key.tag, key.src, key.dst,
                      send ? balance.last_send : balance.last_recv, send ? key.src : key.dst,
                      count == 1 ? "has" : "have", send ? "receive" : "send", partner_of_other_size(key, send)));
    }
  }

  // The usual reason: both sides are there but do not agree on the size.
  std::string partner_of_other_size(const MessageKey& key, bool send) const {
    for (auto it = messages_.lower_bound({key.src, key.dst, key.tag, 0}); it != messages_.end(); ++it) {
      const MessageKey& other = it->first;
      if (std::tie(other.src, other.dst, other.tag) != std::tie(key.src, key.dst, key.tag)) break;
      if ((it->second.sends_over > 0) != send) {
        return fmt::format("; the {} that is left over is of {} bytes", send ? "receive" : "send", other.bytes);
      }
    }
    return "";
  }

  std::vector<std::string> files_;
  bool groups_given_;
  std::ostream& out_;
  TraceProblems problems_;
  ProcessGroups groups_;
  bool all_read_ = true;
  std::uint64_t nodes_ = 0;
  std::uint64_t message_count_ = 0;
  GroupCheck in_groups_;
  std::map<MessageKey, MessageBalance> messages_;        ///< those without partner yet
  std::map<std::string, std::uint32_t> message_groups_;  ///< group -> a rank that names it
};

}  // namespace

std::size_t trace_check(const std::string& prefix, const std::string& groups_file, std::ostream& out) {
  return TraceChecker(find_trace_files(prefix), groups_file, out).run();
}

}  // namespace weft::npu
