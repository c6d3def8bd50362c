// SPDX-License-Identifier: Apache-2.0
// weft query: asks the log of a run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_cell.h"
#include "base/error.h"
#include "base/read_file.h"
#include "base/text_distance.h"
#include "cli/commands.h"
#include "cli/name_option.h"
#include "config/names.h"
#include "log/log_schema.h"
#include "log/named_queries.h"
#include "log/sqlite_file.h"
#include "log/timeline_check.h"
#include "report/csv_reader.h"

namespace weft::cli {
namespace {

using Path = std::filesystem::path;

/// More than a century; the clock's numbers hold no more than three.
constexpr double kMostSeconds = 4e9;

struct QueryRequest {
  std::string run;
  std::string query;
  bool csv = false;
  bool json = false;
  std::int64_t limit = 50;
  double seconds = 60;  ///< for the statement; 0 = no limit
};

/// A cell, and whether it is a number.
struct Cell {
  std::optional<std::string> text;
  bool number = false;
};
struct Answer {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  bool more = false;  ///< rows beyond the limit
};

std::string list_of_queries() {
  std::string text;
  for (const log::NamedQuery& query : log::named_queries()) {
    text += fmt::format("  {:15}{}{}\n", query.name, query.question,
                        query.needs == LogLevel::kRanks ? "" : fmt::format(" (log.level: {})", name_of(query.needs)));
  }
  return text +
         "  schema         The tables and views that can be asked\n"
         "  timeline-check Whether timeline.json is what viewers expect\n";
}

constexpr std::size_t kShownPoints = 12;

/// The points of a sweep that have a log, with what was set: one of them can be asked.
std::string points_of(const Path& sweep) {
  const report::CsvReader csv(sweep / "sweep.csv", {"runs", "results"});
  const auto runs = std::find(csv.names().begin(), csv.names().end(), "runs");
  const auto axes = static_cast<std::size_t>(runs - csv.names().begin());
  std::string text;
  std::size_t known = 0;
  for (std::size_t row = 0; row < csv.rows(); ++row) {
    const Path point = sweep / csv.text(row, 1);
    if (!std::filesystem::exists(point / "log.sqlite") || ++known > kShownPoints) continue;
    text += "\n  " + point.string();
    for (std::size_t axis = 1; axis < axes; ++axis) {
      text += fmt::format("{} {} = {}", axis == 1 ? "" : ",", csv.names()[axis], csv.cell(row, axis));
    }
  }
  if (known > kShownPoints) text += fmt::format("\n  and {} more", known - kShownPoints);
  return known == 0 ? "; none of its points has a log.sqlite (log.level is off, or they failed)"
                    : "; legal: one of its points" + text;
}

/// The log of a run, also where the run is given by its log.
Path log_of(const Path& run) {
  if (std::filesystem::is_regular_file(run)) return run;
  if (!std::filesystem::is_directory(run)) {
    throw InputError(fmt::format("{}: is no results directory; legal: one that `weft run` has written", run.string()));
  }
  if (std::filesystem::exists(run / "sweep.csv")) {
    throw InputError(fmt::format("{}: is a sweep, which has a log for each point{}", run.string(), points_of(run)));
  }
  const Path file = run / "log.sqlite";
  if (std::filesystem::exists(file)) {
    if (!std::filesystem::is_regular_file(file)) throw InputError(fmt::format("{}: is no regular file", file.string()));
    return file;
  }
  if (!std::filesystem::exists(run / "summary.json")) {
    throw InputError(fmt::format("{}: holds no results of a run (no summary.json)", run.string()));
  }
  throw InputError(
      fmt::format("{}: has no log.sqlite: runs of traces and collectives write it unless log.level is off, synthetic "
                  "traffic with log.level=packets",
                  run.string()));
}

std::string run_value(log::SqliteFile& file, const std::string& key) {
  log::SqliteStatement statement(file, fmt::format("SELECT value FROM run WHERE key = '{}'", key));
  return statement.step() ? statement.text(0).value_or("") : "";
}

/// Refuses logs of another version.
void check_version(log::SqliteFile& file, const Path& path) {
  std::string version;
  try {
    version = run_value(file, "log_version");
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}: is no log of a run: {}", path.string(), error.what()));
  }
  if (version == std::to_string(log::kLogVersion)) return;
  throw InputError(fmt::format("{}: has version {}, this program reads version {}; run it again", path.string(),
                               version.empty() ? "none" : version, log::kLogVersion));
}

void check_level(log::SqliteFile& file, const log::NamedQuery& query) {
  const std::string level = run_value(file, "level");
  if (enum_of("level", level, log_level_names()) >= query.needs) return;
  throw InputError(
      fmt::format("{}: needs a run with log.level {}, this one has {}; run it again with --set log.level={}",
                  query.name, name_of(query.needs), level, name_of(query.needs)));
}

/// What SQLite says, with the nearest name where one is wrong.
std::string explained(log::SqliteFile& file, const std::string& said) {
  const std::size_t at = said.find("no such table: ");
  if (at == std::string::npos) return said;
  std::vector<std::string> names;
  log::SqliteStatement tables(file, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name");
  while (tables.step()) names.push_back(tables.text(0).value_or(""));
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string hint = did_you_mean(said.substr(at + 15), known);
  return said + (hint.empty() ? ";" : hint) + " `weft query RUN schema` lists all";
}

/// One statement that only reads.
void check_statement(const log::SqliteStatement& statement) {
  if (statement.columns() == 0 || !statement.reads_only()) {
    throw InputError("the log can only be read; legal: SELECT, VALUES, and WITH ... SELECT");
  }
  if (statement.rest().empty()) return;
  const std::string rest = statement.rest().substr(0, 40);
  throw InputError(fmt::format("one statement at a time; a second one begins at '{}{}'", rest,
                               rest.size() < statement.rest().size() ? " ..." : ""));
}

Answer ask(log::SqliteFile& file, const std::string& sql, std::size_t limit) {
  Answer answer;
  try {
    log::SqliteStatement statement(file, sql);
    check_statement(statement);
    for (int i = 0; i < statement.columns(); ++i) answer.columns.push_back(statement.column_name(i));
    while (statement.step()) {
      if (limit > 0 && answer.rows.size() == limit) {
        answer.more = true;
        break;
      }
      std::vector<Cell> row;
      for (int i = 0; i < statement.columns(); ++i) row.push_back({statement.text(i), statement.is_number(i)});
      answer.rows.push_back(std::move(row));
    }
  } catch (const std::runtime_error& error) {
    if (dynamic_cast<const InputError*>(&error) != nullptr) throw;
    if (file.is_out_of_time()) throw InputError("the statement took longer than --seconds allows; 0 sets no limit");
    throw InputError(explained(file, error.what()));
  }
  return answer;
}

void print_csv(const Answer& answer) {
  for (std::size_t i = 0; i < answer.columns.size(); ++i) std::cout << (i ? "," : "") << csv_cell(answer.columns[i]);
  std::cout << "\n";
  for (const auto& row : answer.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) std::cout << (i ? "," : "") << csv_cell(row[i].text.value_or(""));
    std::cout << "\n";
  }
}

void print_json(const Answer& answer) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& row : answer.rows) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      auto& value = object[answer.columns[i]];
      if (!row[i].text) continue;
      if (row[i].number) value = nlohmann::ordered_json::parse(*row[i].text, nullptr, false);
      // JSON has no number for infinity.
      if (!row[i].number || value.is_discarded()) value = *row[i].text;
    }
    rows.push_back(std::move(object));
  }
  std::cout << rows.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
}

void print_table(const Answer& answer) {
  std::vector<std::size_t> width;
  for (const std::string& column : answer.columns) width.push_back(column.size());
  for (const auto& row : answer.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].text.value_or("").size());
  }
  const auto put = [&](std::size_t i, const std::string& text, bool right) {
    const bool last = i + 1 == width.size();
    std::cout << (right  ? fmt::format("{:>{}}", text, width[i])
                  : last ? text
                         : fmt::format("{:{}}", text, width[i]))
              << (last ? "\n" : "  ");
  };
  const auto is_number = [&](std::size_t i) {
    return !answer.rows.empty() && std::all_of(answer.rows.begin(), answer.rows.end(),
                                               [i](const auto& row) { return row[i].number || !row[i].text; });
  };
  for (std::size_t i = 0; i < width.size(); ++i) put(i, answer.columns[i], is_number(i));
  for (const auto& row : answer.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) put(i, row[i].text.value_or(""), is_number(i));
  }
}

int check_timeline_of(const Path& run) {
  const Path path = run / "timeline.json";
  if (!std::filesystem::exists(path)) {
    throw InputError(
        fmt::format("{}: there is none: runs of traces and collectives write it unless log.level is off, "
                    "synthetic traffic has no timeline",
                    path.string()));
  }
  std::ifstream file(path);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path.string()));
  const log::TimelineFindings findings = log::check_timeline(file);
  fmt::print("{}: {} spans on {} tracks, {} arrows, {}\n", path.string(), findings.spans, findings.tracks,
             findings.flows,
             findings.problems.empty()
                 ? "nothing wrong"
                 : fmt::format("{} problem{}", findings.problems.size(), findings.problems.size() == 1 ? "" : "s"));
  for (const std::string& problem : findings.problems) fmt::print("  {}\n", problem);
  return findings.problems.empty() ? kExitOk : kExitViolation;
}

/// Why a run did not finish, as its summary.json says; nothing where it did, or where there is none.
std::optional<std::string> stopped_by(const Path& run) {
  const Path file = run / "summary.json";
  if (!std::filesystem::exists(file)) return std::nullopt;
  const auto summary = nlohmann::json::parse(read_file(file.string(), kMostResultBytes), nullptr, false);
  const auto finished = summary.is_object() ? summary.find("finished") : summary.end();
  if (!summary.is_object() || finished == summary.end() || *finished != false) return std::nullopt;
  const auto stop = summary.find("stop");
  return stop != summary.end() && stop->is_string() ? stop->get<std::string>() : "it was stopped";
}

/// Why the answer to a named query is empty, where that is known.
std::string empty_answer(const std::string& query, bool traffic, const Path& run) {
  if (traffic) return "synthetic traffic has nothing but packets, messages and links";
  // What is under way when a run ends is in its log, but a path has no end then.
  if (query.find("path") == std::string::npos) return "";
  const auto stop = stopped_by(run);
  return stop ? fmt::format("the run did not finish ({}): only runs that finish have a critical path", *stop) : "";
}

/// What is asked of a run without a query: the most that its log can tell.
std::string usual_query(log::SqliteFile& file, bool traffic) {
  if (traffic) return "latency";
  const LogLevel level = enum_of("level", run_value(file, "level"), log_level_names());
  return level >= LogLevel::kSteps ? "critical-path" : "ranks";
}

int query(const QueryRequest& request) {
  if (request.limit < 0) {
    throw InputError(fmt::format("--limit {}: legal: a number of rows, or 0 for all", request.limit));
  }
  const Path path = log_of(request.run);
  if (request.query == "timeline-check") return check_timeline_of(path.parent_path());
  log::SqliteFile file(path, log::SqliteFile::Mode::kRead);
  check_version(file, path);
  const bool traffic = !run_value(file, "measured_from").empty();
  const std::string query = !request.query.empty() ? request.query : usual_query(file, traffic);
  std::string sql = query;
  const bool is_name = sql.find_first_of(" \t\n(;") == std::string::npos;
  if (sql == "schema") {
    sql = "SELECT sql FROM sqlite_master WHERE sql NOT NULL AND type IN ('table', 'view') ORDER BY type, name";
  } else if (const log::NamedQuery* named = log::find_query(sql)) {
    check_level(file, *named);
    sql = named->sql;
  } else if (is_name) {
    std::vector<std::string_view> known{"schema", "timeline-check"};
    for (const log::NamedQuery& each : log::named_queries()) known.push_back(each.name);
    throw InputError(fmt::format("query '{}': is neither SQL nor a named query{}\n{}", sql, did_you_mean(sql, known),
                                 list_of_queries()));
  }
  if (request.seconds > 0) file.limit_time(std::chrono::duration<double>(request.seconds));
  const Answer answer = ask(file, sql, query == "schema" ? 0 : static_cast<std::size_t>(request.limit));
  if (request.json) {
    print_json(answer);
  } else if (request.csv) {
    print_csv(answer);
  } else {
    print_table(answer);
  }
  if (answer.rows.empty() && log::find_query(query) != nullptr) {
    const std::string why = empty_answer(query, traffic, path.parent_path());
    if (!why.empty()) fmt::print(stderr, "weft: {}\n", why);
  }
  if (answer.more) fmt::print(stderr, "weft: only the first {} rows; --limit 0 shows all\n", request.limit);
  return kExitOk;
}

}  // namespace

void add_query_command(const Command& app, int& status) {
  const Command command = app.subcommand("query", "Ask the log of a run");
  auto request = std::make_shared<QueryRequest>();
  command.option("run", request->run, "results directory of a run, or its log.sqlite").required().type_name("RUN");
  command.option(
      "query", request->query,
      "a named query, or SQL; without it critical-path, ranks of a run with log.level ranks, latency of synthetic "
      "traffic");
  const Option csv = command.flag("--csv", request->csv, "print comma-separated values");
  command.flag("--json", request->json, "print JSON").excludes(csv);
  command.option("--limit", request->limit, "most rows to print; 0 = all").show_default();
  command.option("--seconds", request->seconds, "longest time for the statement; 0 = no limit")
      .show_default()
      .range(0.0, kMostSeconds);
  command.footer("Named queries:\n" + list_of_queries() +
                 R"(Examples:
  weft run configs/demo.yaml --set log.level=steps --out results/demo
  weft query results/demo critical-path
  weft query results/demo links --limit 10
  weft query results/demo "SELECT rank, sum(end_cycle - start_cycle) FROM activity WHERE kind = 'compute' GROUP BY rank"
docs/log.md explains the tables.)");
  command.action([request, &status] { status = query(*request); });
}

}  // namespace weft::cli
