// SPDX-License-Identifier: Apache-2.0
// memory.csv, io_controllers.csv and io.csv as data of the page: what each part carried, and its share of what it
// could.
#include <string>
#include <utility>
#include <vector>

#include "report/csv_reader.h"
#include "report/run_folder.h"

namespace weft::report {
namespace {

/// Parts of one sort as columns; `gbps` is what one of them carries at most, 0 = not known.
class Parts {
 public:
  Parts(const RunFacts& facts, double ns, double gbps) : most_(facts.cycles > 0 ? ns * gbps : 0), gbps_(gbps) {}

  /// `of` parts alike that are shown as one.
  void add(const std::string& name, double bytes, double of, double queue) {
    names_.push_back(name);
    bytes_.push_back(bytes);
    shares_.push_back(most_ > 0 ? Json(rounded(bytes / (most_ * of), 1e6)) : Json(nullptr));
    queues_.push_back(rounded(queue / of, 1e4));
  }
  Json json(const char* key) const {
    if (names_.empty()) return nullptr;
    return {{"key", key}, {"gbps", gbps_}, {"name", names_}, {"bytes", bytes_}, {"share", shares_}, {"queue", queues_}};
  }

 private:
  double most_;
  double gbps_;
  Json names_ = Json::array();
  Json bytes_ = Json::array();
  Json shares_ = Json::array();
  Json queues_ = Json::array();
};

double gbps_of(const Json& summary, const char* part, const char* key) {
  const auto found = summary.find(part);
  if (found == summary.end() || !found->is_object()) return 0;
  const auto value = found->find(key);
  return value != found->end() && value->is_number() ? value->get<double>() : 0;
}

/// Sums over the channels of one memory.
struct Memory {
  std::string name;
  double bytes = 0;
  double channels = 0;
  double queue = 0;
};

/// DRAM: each NPU, or where there is one only each of its channels. Modules of the pool.
void add_memories(const RunFacts& facts, const Json& summary, double ns, Json* groups) {
  if (!std::filesystem::exists(facts.folder / "memory.csv")) return;
  const CsvReader csv(facts.folder / "memory.csv", {"memory", "channel", "bytes", "queue_mean"});
  const Json memory = summary.value("memory", Json());
  Parts modules(facts, ns, gbps_of(memory, "pool_modules", "gbps"));
  Parts dram(facts, ns, gbps_of(memory, "dram_channels", "gbps"));
  std::vector<Memory> npus;
  std::vector<Memory> channels;
  for (std::size_t i = 0; i < csv.rows(); ++i) {
    const std::string& name = csv.text(i, 0);
    const Memory part{"channel " + csv.text(i, 1), csv.number(i, 2), 1, csv.number(i, 3)};
    if (name == "pool.module") modules.add("module " + csv.text(i, 1), part.bytes, 1, part.queue);
    if (name.rfind("pool.", 0) == 0) continue;
    if (npus.empty() || npus.back().name != name) npus.push_back({name});
    npus.back().bytes += part.bytes;
    npus.back().channels += 1;
    npus.back().queue += part.queue;
    if (npus.size() == 1) channels.push_back(part);
  }
  for (const Memory& part : npus.size() == 1 ? channels : npus) {
    dram.add(part.name, part.bytes, part.channels, part.queue);
  }
  groups->push_back(dram.json(npus.size() == 1 ? "dram-channels" : "dram"));
  groups->push_back(modules.json("modules"));
}

void add_controllers(const RunFacts& facts, const Json& summary, double ns, Json* groups) {
  if (std::filesystem::exists(facts.folder / "io_controllers.csv")) {
    const CsvReader csv(facts.folder / "io_controllers.csv", {"place", "bytes_in", "bytes_out"});
    const double gbps = gbps_of(summary, "io_memory", "line_gbps");
    Parts in(facts, ns, gbps);
    Parts out(facts, ns, gbps);
    for (std::size_t i = 0; i < csv.rows(); ++i) {
      in.add(csv.text(i, 0), csv.number(i, 1), 1, 0);
      out.add(csv.text(i, 0), csv.number(i, 2), 1, 0);
    }
    groups->push_back(in.json("io-in"));
    groups->push_back(out.json("io-out"));
  }
  if (std::filesystem::exists(facts.folder / "io.csv")) {
    const CsvReader csv(facts.folder / "io.csv", {"place", "bytes"});
    Parts streams(facts, ns, gbps_of(summary, "io", "line_gbps"));
    for (std::size_t i = 0; i < csv.rows(); ++i) streams.add(csv.text(i, 0), csv.number(i, 1), 1, 0);
    groups->push_back(streams.json("streams"));
  }
}

}  // namespace

Json read_memory(const RunFacts& facts, const Json& summary) {
  const double ns = summary.value("time_ns", 0.0);
  Json groups = Json::array();
  add_memories(facts, summary, ns, &groups);
  add_controllers(facts, summary, ns, &groups);
  Json known = Json::array();
  for (Json& group : groups) {
    if (!group.is_null()) known.push_back(std::move(group));
  }
  return known;
}

}  // namespace weft::report
