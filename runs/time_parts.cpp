// SPDX-License-Identifier: Apache-2.0
#include "runs/time_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.h"
#include "log/sqlite_file.h"

namespace weft::runs {
namespace {

/// In the order in which they count.
constexpr std::array<const char*, 7> kParts = {"compute", "load", "mp", "dp", "pp", "collective", "other"};
constexpr std::size_t kOther = kParts.size() - 1;

/// Something begins or ends.
struct Change {
  std::uint64_t at = 0;
  std::size_t part = 0;
  int by = 0;
};

std::size_t part_number(const std::string& name) {
  return static_cast<std::size_t>(std::find(kParts.begin(), kParts.end(), name) - kParts.begin());
}

/// `phase` is that of a collective's group, "" = none.
std::size_t part_of(const std::string& kind, const std::string& phase) {
  if (kind == "compute" || kind == "host") return part_number("compute");
  if (kind == "load" || kind == "store") return part_number("load");
  if (kind == "send" || kind == "receive") return part_number("pp");
  return std::min(part_number(phase.empty() ? "collective" : phase), kOther);
}

std::uint64_t number(const log::SqliteStatement& row, int column) {
  return std::strtoull(row.text(column).value_or("0").c_str(), nullptr, 10);
}

/// Cycles of each part from 0 to `end`.
std::array<std::uint64_t, kParts.size()> split(std::vector<Change> changes, std::uint64_t end) {
  changes.push_back({end, kOther, 0});
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
  std::array<std::uint64_t, kParts.size()> cycles{};
  std::array<int, kParts.size()> open{};
  std::uint64_t from = 0;
  for (const Change& change : changes) {
    const auto first = std::find_if(open.begin(), open.end(), [](int count) { return count > 0; });
    const std::size_t running = first == open.end() ? kOther : static_cast<std::size_t>(first - open.begin());
    cycles[running] += change.at - from;
    from = change.at;
    open[change.part] += change.by;
  }
  return cycles;
}

std::optional<TimeParts> parts_of_log(const std::filesystem::path& file) {
  log::SqliteFile log(file, log::SqliteFile::Mode::kRead);
  log::SqliteStatement last(log,
                            "SELECT rank, max(end_cycle) FROM activity WHERE rank IS NOT NULL GROUP BY rank "
                            "ORDER BY 2 DESC, 1 LIMIT 1");
  if (!last.step()) return std::nullopt;
  const std::uint64_t rank = number(last, 0);
  const std::uint64_t end = number(last, 1);
  log::SqliteStatement rows(log,
                            fmt::format("SELECT activity.kind, start_cycle, end_cycle, "
                                        "(SELECT phase FROM comm_group JOIN collective ON comm_group = comm_group.name "
                                        "WHERE collective.id = activity.collective) "
                                        "FROM activity WHERE rank = {} AND kind <> 'chunk'",
                                        rank));
  std::vector<Change> changes;
  while (rows.step()) {
    const std::size_t part = part_of(rows.text(0).value_or(""), rows.text(3).value_or(""));
    changes.push_back({number(rows, 1), part, 1});
    changes.push_back({number(rows, 2), part, -1});
  }
  const auto cycles = split(std::move(changes), end);
  TimeParts found{rank, end, {}};
  for (std::size_t part = 0; part < kParts.size(); ++part) found.parts.emplace_back(kParts[part], cycles[part]);
  return found;
}

}  // namespace

std::optional<TimeParts> read_time_parts(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "log.sqlite";
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    return parts_of_log(file);
  } catch (const std::runtime_error& error) {
    throw InputError(fmt::format("{}; the log is damaged: run the configuration again", error.what()));
  }
}

}  // namespace weft::runs
