// SPDX-License-Identifier: Apache-2.0
#include "log/log_schema.h"

#include <string_view>

#include "base/link_quantities.h"

namespace weft::log {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE run (key TEXT PRIMARY KEY, value);
CREATE TABLE node (node INTEGER PRIMARY KEY, name TEXT NOT NULL, rank INTEGER);
CREATE TABLE comm_group (name TEXT PRIMARY KEY, phase TEXT);
CREATE TABLE collective (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, comm_group TEXT NOT NULL, instance INTEGER NOT NULL,
  bytes INTEGER NOT NULL, ranks INTEGER NOT NULL, start_cycle INTEGER NOT NULL, end_cycle INTEGER NOT NULL);
CREATE TABLE activity (
  id INTEGER PRIMARY KEY, node INTEGER NOT NULL, rank INTEGER, kind TEXT NOT NULL, name TEXT NOT NULL,
  start_cycle INTEGER NOT NULL, end_cycle INTEGER NOT NULL, bytes INTEGER, collective INTEGER, chunk INTEGER);
CREATE TABLE message (
  id INTEGER PRIMARY KEY, node INTEGER NOT NULL, sequence INTEGER NOT NULL, dst INTEGER NOT NULL, what TEXT NOT NULL,
  collective INTEGER, chunk INTEGER, step INTEGER, bytes INTEGER NOT NULL, reduced INTEGER NOT NULL,
  copied INTEGER NOT NULL, queued_cycle INTEGER NOT NULL, left_cycle INTEGER);
CREATE TABLE receipt (
  message INTEGER NOT NULL, node INTEGER NOT NULL, bytes INTEGER NOT NULL, first_cycle INTEGER NOT NULL,
  last_cycle INTEGER NOT NULL);
CREATE TABLE packet (
  message INTEGER NOT NULL, sequence INTEGER NOT NULL, node INTEGER NOT NULL, byte_offset INTEGER NOT NULL,
  bytes INTEGER NOT NULL, flits INTEGER NOT NULL, hops INTEGER NOT NULL, created_cycle INTEGER NOT NULL,
  injected_cycle INTEGER NOT NULL, received_cycle INTEGER NOT NULL);
CREATE TABLE access (
  id INTEGER PRIMARY KEY, place TEXT NOT NULL, who TEXT NOT NULL, command TEXT NOT NULL, address INTEGER NOT NULL,
  bytes INTEGER NOT NULL, asked_cycle INTEGER NOT NULL, done_cycle INTEGER NOT NULL, refused TEXT);
CREATE TABLE link (
  name TEXT PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, flits INTEGER NOT NULL, utilisation REAL NOT NULL,
  QUANTITIES);
CREATE TABLE switch_phase (
  node INTEGER NOT NULL, name TEXT NOT NULL, phase TEXT NOT NULL, start_cycle INTEGER NOT NULL,
  end_cycle INTEGER NOT NULL);
CREATE TABLE path (
  step INTEGER PRIMARY KEY, start_cycle INTEGER NOT NULL, end_cycle INTEGER NOT NULL, kind TEXT NOT NULL,
  node INTEGER NOT NULL, towards INTEGER, what TEXT NOT NULL);
)";

constexpr const char* kViews = R"(
CREATE INDEX activity_by_node ON activity (node, start_cycle);
CREATE INDEX activity_by_collective ON activity (collective, chunk);
CREATE INDEX message_by_collective ON message (collective, chunk, step);
CREATE INDEX message_by_node ON message (node, sequence);
CREATE INDEX receipt_by_message ON receipt (message);
CREATE INDEX packet_by_message ON packet (message, byte_offset);

CREATE VIEW slowest_link AS
  SELECT name, source, target, flits, round(100 * utilisation, 2) AS percent, QUANTITIES
  FROM link ORDER BY utilisation DESC, stall_cycles DESC, name;

CREATE VIEW critical_path AS
  SELECT path.kind, count(*) AS steps, sum(end_cycle - start_cycle) AS cycles,
    round(100.0 * sum(end_cycle - start_cycle) / (SELECT value FROM run WHERE key = 'path_cycles'), 2) AS percent
  FROM path GROUP BY path.kind ORDER BY cycles DESC, path.kind;

CREATE VIEW path_by_place AS
  SELECT path.kind, a.name AS node, b.name AS towards, count(*) AS steps, sum(end_cycle - start_cycle) AS cycles
  FROM path JOIN node AS a ON a.node = path.node LEFT JOIN node AS b ON b.node = path.towards
  GROUP BY path.kind, path.node, path.towards ORDER BY cycles DESC, path.kind, path.node, path.towards;

CREATE VIEW path_by_work AS
  SELECT path.kind, path.what, count(*) AS steps, sum(end_cycle - start_cycle) AS cycles
  FROM path GROUP BY path.kind, path.what ORDER BY cycles DESC, path.kind, path.what;

-- A collective can end on nobody before its last rank has begun: the others wait for that one.
CREATE VIEW waited AS
  WITH start AS (
    SELECT collective, rank, start_cycle,
      max(start_cycle) OVER (PARTITION BY collective) AS last_start,
      first_value(rank) OVER (PARTITION BY collective ORDER BY start_cycle DESC, rank) AS last_rank
    FROM activity WHERE kind = 'collective')
  SELECT c.name AS collective, c.comm_group, c.instance, start.rank, last_rank AS for_rank,
    last_start - start.start_cycle AS cycles
  FROM start JOIN collective AS c ON c.id = start.collective
  WHERE last_start > start.start_cycle ORDER BY cycles DESC, c.id, start.rank;

CREATE VIEW waited_for AS
  SELECT for_rank, count(*) AS times, sum(cycles) AS cycles FROM waited
  GROUP BY for_rank ORDER BY cycles DESC, for_rank;

CREATE VIEW rank_time AS
  SELECT rank, sum(CASE WHEN kind = 'compute' THEN end_cycle - start_cycle ELSE 0 END) AS compute,
    sum(CASE WHEN kind = 'host' THEN end_cycle - start_cycle ELSE 0 END) AS host,
    sum(CASE WHEN kind IN ('load', 'store') THEN end_cycle - start_cycle ELSE 0 END) AS memory,
    sum(CASE WHEN kind = 'collective' THEN end_cycle - start_cycle ELSE 0 END) AS collectives,
    max(end_cycle) AS end_cycle
  FROM activity WHERE rank IS NOT NULL GROUP BY rank ORDER BY rank;

CREATE VIEW slow_message AS
  SELECT m.id, a.name AS node, b.name AS receiver, m.what, c.name AS collective, m.chunk, m.step, m.bytes,
    m.queued_cycle, m.left_cycle, r.last_cycle AS received_cycle, r.last_cycle - m.queued_cycle AS cycles
  FROM message AS m JOIN receipt AS r ON r.message = m.id JOIN node AS a ON a.node = m.node
    JOIN node AS b ON b.node = r.node LEFT JOIN collective AS c ON c.id = m.collective
  ORDER BY cycles DESC, m.id;

CREATE VIEW slow_packet AS
  SELECT a.name AS node, p.sequence, b.name AS receiver, m.what, p.bytes, p.flits, p.hops, p.created_cycle,
    p.injected_cycle, p.received_cycle, p.received_cycle - p.created_cycle AS cycles,
    p.received_cycle - p.injected_cycle AS network_cycles
  FROM packet AS p JOIN message AS m ON m.id = p.message JOIN node AS a ON a.node = m.node
    JOIN node AS b ON b.node = p.node
  ORDER BY cycles DESC, p.message, p.byte_offset, p.node;

CREATE VIEW slow_access AS
  SELECT place, who, command, address, bytes, asked_cycle, done_cycle, done_cycle - asked_cycle AS cycles, refused
  FROM access ORDER BY cycles DESC, id;

CREATE VIEW access_by_place AS
  SELECT place, command, count(*) AS accesses, sum(bytes) AS bytes, min(done_cycle - asked_cycle) AS least,
    round(avg(done_cycle - asked_cycle), 2) AS mean, max(done_cycle - asked_cycle) AS most, count(refused) AS refused
  FROM access GROUP BY place, command ORDER BY bytes DESC, place, command;

-- Of synthetic traffic the packets that were created in its measured phase, otherwise all.
CREATE VIEW packet_latency AS
  SELECT count(*) AS packets, avg(received_cycle - created_cycle) AS latency,
    avg(received_cycle - injected_cycle) AS network_latency, max(received_cycle - created_cycle) AS longest,
    avg(hops) AS hops
  FROM packet
  WHERE created_cycle >= ifnull((SELECT CAST(value AS INTEGER) FROM run WHERE key = 'measured_from'), 0)
    AND created_cycle < ifnull((SELECT CAST(value AS INTEGER) FROM run WHERE key = 'measured_to'), 1 << 62);
)";

/// The columns of what is measured at links, in the place of the word QUANTITIES.
std::string with_quantities(std::string sql, const char* type) {
  std::string columns;
  for (const LinkQuantityText& quantity : kLinkQuantities) {
    columns += std::string(columns.empty() ? "" : ", ") + quantity.column + type;
  }
  constexpr std::string_view kWord = "QUANTITIES";
  return sql.replace(sql.find(kWord), kWord.size(), columns);
}

}  // namespace

std::string log_tables() { return with_quantities(kTables, " INTEGER"); }

std::string log_views() { return with_quantities(kViews, ""); }

}  // namespace weft::log
