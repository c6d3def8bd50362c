// SPDX-License-Identifier: Apache-2.0
#include "log/log_file.h"

#include <fmt/format.h>

#include <stdexcept>
#include <unordered_map>

#include "base/output_file.h"
#include "log/log_schema.h"
#include "log/sqlite_file.h"

namespace weft::log {
namespace {

using Number = std::optional<std::uint32_t>;

Number rank_of(const LogNames& names, NodeId node) {
  const auto rank = names.ranks.at(index(node));
  return rank ? Number(index(*rank)) : std::nullopt;
}

void write_run(SqliteFile& file, const LogContents& contents) {
  SqliteStatement insert(file, "INSERT INTO run VALUES (?, ?)");
  insert.run("log_version", std::uint64_t{kLogVersion});
  for (const auto& [key, value] : contents.run) insert.run(key, value);
  if (contents.path->steps.empty()) return;
  insert.run("path_cycles", contents.path->cycles);
  insert.run("path_ends_on", contents.names->nodes.at(index(contents.path->last)));
}

void write_nodes(SqliteFile& file, const LogNames& names) {
  SqliteStatement insert(file, "INSERT INTO node VALUES (?, ?, ?)");
  for (std::size_t n = 0; n < names.nodes.size(); ++n) {
    insert.run(std::uint64_t{n}, names.nodes[n], rank_of(names, NodeId{static_cast<std::uint32_t>(n)}));
  }
}

void write_groups(SqliteFile& file, const LogNames& names) {
  SqliteStatement insert(file, "INSERT INTO comm_group VALUES (?, ?)");
  for (std::size_t group = 0; group < names.phases.size(); ++group) {
    const std::string& phase = names.phases[group];
    insert.run(names.groups.at(group), phase.empty() ? std::nullopt : std::optional(phase));
  }
}

void write_collectives(SqliteFile& file, const LogNames& names, const CollectiveIndex& collectives) {
  SqliteStatement insert(file, "INSERT INTO collective VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  std::uint64_t id = 0;
  for (const CollectiveEntry& entry : collectives.entries()) {
    insert.run(id++, entry.name, names.groups.at(entry.group), entry.instance, entry.bytes, entry.ranks, entry.start,
               entry.end);
  }
}

void write_activities(SqliteFile& file, const LogContents& contents, const CollectiveIndex& collectives) {
  SqliteStatement insert(file, "INSERT INTO activity VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  std::uint64_t id = 0;
  for (std::size_t n = 0; n < contents.log->nodes(); ++n) {
    const NodeId node{static_cast<std::uint32_t>(n)};
    for (const Activity& activity : contents.log->node(node).activities) {
      const bool is_chunk = activity.kind == ActivityKind::kChunk;
      Number chunk;
      std::optional<std::uint64_t> bytes;
      if (is_chunk) {
        chunk = activity.chunk;
      } else {
        bytes = activity.bytes;
      }
      insert.run(id++, index(node), rank_of(*contents.names, node), activity_name(activity.kind), activity.name,
                 activity.start, activity.end, bytes, collectives.of(activity), chunk);
    }
  }
}

/// Messages, numbered node by node; who received them when; with `packets` each of their packets.
class MessageTables {
 public:
  MessageTables(SqliteFile& file, const LogContents& contents, const CollectiveIndex& collectives)
      : file_(file), contents_(contents), collectives_(collectives), first_(contents.log->nodes() + 1) {
    for (std::size_t n = 0; n < contents.log->nodes(); ++n) {
      first_[n + 1] = first_[n] + contents.log->node(NodeId{static_cast<std::uint32_t>(n)}).messages.size();
    }
  }

  void write_messages() {
    SqliteStatement insert(file_, "INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    for (std::size_t n = 0; n < contents_.log->nodes(); ++n) {
      for (const MessageRecord& message : contents_.log->node(NodeId{static_cast<std::uint32_t>(n)}).messages) {
        const MessageMeaning meaning = contents_.names->message(message.note.tag);
        const Number collective = collectives_.of(meaning, message.queued);
        const bool known = collective.has_value();
        insert.run(first_[n] + message.note.sequence, std::uint64_t{n}, message.note.sequence, index(message.note.dst),
                   meaning.what, collective, known ? Number(meaning.chunk) : std::nullopt,
                   known ? Number(meaning.step) : std::nullopt, message.note.bytes, message.note.flow,
                   message.note.multicast, message.queued,
                   message.left == kNever ? std::nullopt : std::optional(message.left));
      }
    }
  }

  void write_packets(bool all) {
    SqliteStatement receipt(file_, "INSERT INTO receipt VALUES (?, ?, ?, ?, ?)");
    SqliteStatement insert(file_, "INSERT INTO packet VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    struct Received {
      std::uint64_t bytes = 0;
      Cycle first = 0;
      Cycle last = 0;
    };
    for (std::size_t n = 0; n < contents_.log->nodes(); ++n) {
      std::map<std::uint64_t, Received> messages;
      for (const PacketRecord& packet : contents_.log->node(NodeId{static_cast<std::uint32_t>(n)}).packets) {
        const std::uint64_t id = first_[index(packet.src)] + packet.message;
        const auto [received, fresh] = messages.try_emplace(id);
        if (fresh) received->second.first = packet.received;
        received->second.last = packet.received;
        received->second.bytes += packet.bytes;
        if (!all) continue;
        insert.run(id, packet.sequence, std::uint64_t{n}, packet.offset, packet.bytes, packet.flits, packet.hops,
                   packet.created, packet.injected, packet.received);
      }
      for (const auto& [id, received] : messages) {
        receipt.run(id, std::uint64_t{n}, received.bytes, received.first, received.last);
      }
    }
  }

 private:
  SqliteFile& file_;
  const LogContents& contents_;
  const CollectiveIndex& collectives_;
  std::vector<std::uint64_t> first_;  ///< number of a node's first message
};

/// Writes the accesses of the nodes' own memories node by node, then those of the pool, each in order of their ends.
class AccessTable {
 public:
  AccessTable(SqliteFile& file, const LogNames& names)
      : names_(names), insert_(file, "INSERT INTO access VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)") {}
  void write(const std::vector<MemoryAccess>& accesses) {
    for (const MemoryAccess& access : accesses) {
      insert_.run(number_++, access.component, who(access), access.write ? "write" : "read", access.address,
                  access.bytes, access.asked, access.done,
                  access.refused.empty() ? std::nullopt : std::optional(access.refused));
    }
  }

 private:
  std::string who(const MemoryAccess& access) const {
    if (access.group != kNoGroup) return fmt::format("group {}", names_.groups.at(access.group));
    const Number rank = rank_of(names_, access.node);
    return rank ? fmt::format("rank {}", *rank) : names_.nodes.at(index(access.node));
  }

  const LogNames& names_;
  SqliteStatement insert_;
  std::uint64_t number_ = 0;
};

void write_accesses(SqliteFile& file, const LogContents& contents) {
  AccessTable table(file, *contents.names);
  for (std::size_t n = 0; n < contents.log->nodes(); ++n)
    table.write(contents.log->node(NodeId{static_cast<std::uint32_t>(n)}).accesses);
  table.write(contents.log->pool_accesses());
}

void write_links(SqliteFile& file, const LogContents& contents) {
  std::string values = "?, ?, ?, ?, ?";
  for (std::size_t i = 0; i < kLinkQuantities.size(); ++i) values += ", ?";
  SqliteStatement insert(file, "INSERT INTO link VALUES (" + values + ")");
  for (std::size_t i = 0; i < contents.links; ++i) {
    const LinkRow row = contents.link(i);
    insert.run(row.name, row.from, row.to, row.flits, row.utilisation, row.values.all());
  }
}

void write_phases(SqliteFile& file, const LogContents& contents) {
  SqliteStatement insert(file, "INSERT INTO switch_phase VALUES (?, ?, ?, ?, ?)");
  for (const SwitchPhase& phase : contents.phases) {
    insert.run(index(phase.node), phase.name, phase.phase, phase.start, phase.end);
  }
}

void write_path(SqliteFile& file, const LogContents& contents, const CollectiveIndex& collectives) {
  SqliteStatement insert(file, "INSERT INTO path VALUES (?, ?, ?, ?, ?, ?, ?)");
  std::uint64_t number = 0;
  for (const PathStep& step : contents.path->steps) {
    const bool sends = step.towards != kNoPeer;
    const std::string what = sends ? message_text(*contents.names, collectives, step.tag, step.to) : step.what;
    insert.run(number++, step.from, step.to, path_kind_name(step.kind), index(step.node),
               sends ? Number(index(step.towards)) : std::nullopt, what);
  }
}

void fill(SqliteFile& file, const LogContents& contents) {
  const CollectiveIndex collectives(*contents.log, contents.names->instances);
  write_run(file, contents);
  write_nodes(file, *contents.names);
  write_groups(file, *contents.names);
  write_collectives(file, *contents.names, collectives);
  write_activities(file, contents, collectives);
  if (contents.level >= LogLevel::kSteps) {
    MessageTables messages(file, contents, collectives);
    messages.write_messages();
    messages.write_packets(contents.level >= LogLevel::kPackets);
  }
  write_accesses(file, contents);
  write_links(file, contents);
  write_phases(file, contents);
  write_path(file, contents, collectives);
}

}  // namespace

const char* activity_name(ActivityKind kind) {
  constexpr const char* kNames[] = {"compute", "host", "load", "store", "send", "receive", "collective", "chunk"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string message_text(const LogNames& names, const CollectiveIndex& collectives, std::uint64_t tag, Cycle queued) {
  const MessageMeaning meaning = names.message(tag);
  const auto number = collectives.of(meaning, queued);
  if (!number) return meaning.what;
  const CollectiveEntry& collective = collectives.entries()[*number];
  return fmt::format("{} of {} chunk {} step {}", collective.name, names.groups.at(collective.group), meaning.chunk,
                     meaning.step);
}

void write_log_file(const std::filesystem::path& file, const LogContents& contents) {
  OutputFile output(file, OutputLinks::kReplace);
  {
    SqliteFile database(output.path(), SqliteFile::Mode::kCreate);
    // A file that is not complete is thrown away: no journal is needed.
    database.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN");
    database.run(log_tables());
    fill(database, contents);
    database.run(log_views());
    database.run("COMMIT");
    database.close();
  }
  output.complete();
}

}  // namespace weft::log
