// SPDX-License-Identifier: Apache-2.0
#include "report/run_folder.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <system_error>

#include "base/error.h"
#include "base/json_fault.h"
#include "base/text_distance.h"
#include "config/fabric_facts.h"
#include "report/csv_reader.h"
#include "report/timeline.h"
#include "runs/results_folder.h"
#include "runs/run_quantities.h"
#include "runs/summary.h"
#include "runs/time_parts.h"

namespace weft::report {
namespace {

using Path = std::filesystem::path;

/// Figures of summary.json that a run cannot be without.
constexpr const char* kNeeded[] = {"name", "cycles", "time_ns", "finished", "nodes", "packets", "latency_cycles"};

Json read_summary(const Path& folder) {
  const Path file = folder / "summary.json";
  Json summary = read_json_object(file);
  require_version(file, summary);
  for (const char* key : kNeeded) {
    if (!summary.contains(key)) {
      throw InputError(fmt::format("{}: there is no {}; the file is damaged: run the configuration again",
                                   file.string(), in_quotes(key)));
    }
  }
  return summary;
}

YAML::Node read_config(const Path& file, const std::string& text) {
  try {
    YAML::Node config = YAML::Load(text);
    if (config.IsMap() && config["fabric"].IsMap() && config["workload"].IsMap()) return config;
  } catch (const YAML::Exception&) {
  }
  throw InputError(
      fmt::format("{}: is not a complete configuration; the folder is damaged: run it again", file.string()));
}

RunFacts facts_of(const Path& folder, const YAML::Node& config, const Json& summary) {
  RunFacts facts;
  facts.folder = folder;
  try {
    facts.fabric = fabric_words(config["fabric"]["kind"].as<std::string>());
    const YAML::Node size = config["fabric"]["size"];
    if (size && size.IsSequence()) {
      facts.size_x = size[0].as<int>();
      facts.size_y = size[1].as<int>();
    }
    if (config["fabric"]["statistics"]) facts.statistics = config["fabric"]["statistics"].as<bool>();
    if (config["io"] && config["io"]["controllers"]) facts.io_controllers = config["io"]["controllers"].as<int>();
    facts.cycles = summary.at("cycles").get<std::uint64_t>();
    facts.nodes = summary.at("nodes").get<std::uint64_t>();
    facts.packets = summary.at("packets").get<std::uint64_t>();
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("{}: {}; the folder is damaged: run it again",
                                 (folder / "config.resolved.yaml").string(), error.what()));
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: {}; the folder is damaged: run it again", (folder / "summary.json").string(),
                                 json_fault(error.what())));
  }
  return facts;
}

/// Times of ranks as columns; the ranks that end last where there are too many.
Json rank_columns(const Json& ranks, const Limits& limits) {
  if (!ranks.is_array() || ranks.empty()) return nullptr;
  Json columns;
  const std::size_t shown = std::min(ranks.size(), limits.ranks);
  std::vector<std::size_t> order(ranks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto number = [&](std::size_t i, const char* key) {
    const auto found = ranks[i].find(key);
    return found != ranks[i].end() && found->is_number() ? *found : Json(nullptr);
  };
  // Runs that have not finished are the last.
  const auto end_of = [&](std::size_t i) {
    const Json finish = number(i, "finish_ns");
    return finish.is_null() ? std::numeric_limits<double>::infinity() : finish.get<double>();
  };
  if (shown < order.size()) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return end_of(a) > end_of(b); });
    order.resize(shown);
    std::sort(order.begin(), order.end());
  }
  for (const char* key : {"finish_ns", "compute_ns", "exposed_comm_ns"}) {
    Json column = Json::array();
    for (const std::size_t i : order) column.push_back(number(i, key));
    columns[key] = std::move(column);
  }
  columns["rank"] = order;
  columns["all"] = ranks.size();
  return columns;
}

/// How the work is done, not what it is.
constexpr const char* kPolicies[] = {"algorithm",     "algorithm_file", "algorithm_table", "chunks", "chunk_bytes",
                                     "active_chunks", "data",           "strict"};

std::string text_of(const YAML::Node& node) {
  if (node.IsScalar()) return node.as<std::string>();
  YAML::Emitter out;
  out << YAML::Flow << node;
  return out.c_str();
}

/// What was run, as key and value: runs of unlike work are not better or worse than each other.
Json work_of(const YAML::Node& config, const RunFacts& facts) {
  Json work = {{"nodes", std::to_string(facts.nodes)}};
  const auto kind = *config["workload"].begin();
  const auto name = kind.first.as<std::string>();
  work["workload"] = name;
  if (!kind.second.IsMap()) return work;
  for (const auto& entry : kind.second) {
    const auto key = entry.first.as<std::string>();
    if (std::find(std::begin(kPolicies), std::end(kPolicies), key) != std::end(kPolicies)) continue;
    work[fmt::format("workload.{}.{}", name, key)] = text_of(entry.second);
  }
  return work;
}

/// Keys of `workload` that name files.
constexpr const char* kFileKeys[] = {"chakra", "groups", "file"};

/// Where the files of the work lie, for those whose folder is still there: one folder may be spelt in several ways.
/// Paths are relative to where the run was started, which this one is taken for.
Json input_folders(const YAML::Node& config) {
  Json folders = Json::object();
  const auto kind = *config["workload"].begin();
  if (!kind.second.IsMap()) return folders;
  for (const char* key : kFileKeys) {
    const YAML::Node value = kind.second[key];
    if (!value || !value.IsScalar() || value.Scalar().empty()) continue;
    const Path path = value.Scalar();
    std::error_code error;
    const Path folder = std::filesystem::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
    folders[fmt::format("workload.{}.{}", kind.first.as<std::string>(), key)] =
        error ? Json(nullptr) : Json((folder / path.filename()).string());
  }
  return folders;
}

/// The last parts of a path of keys, as many as tell it from the others.
std::string short_key(const std::string& key, const Json& keys) {
  for (std::size_t at = key.rfind('.'); at != std::string::npos && at > 0; at = key.rfind('.', at - 1)) {
    const std::string end = key.substr(at);
    std::size_t alike = 0;
    for (const auto& [other, value] : keys.items()) {
      alike += other.size() >= end.size() && other.compare(other.size() - end.size(), end.size(), end) == 0 ? 1 : 0;
    }
    if (alike == 1) return end.substr(1);
  }
  return key;
}

/// "name: size = 1 MiB, rate = 0.1" for a point of a sweep, whose folder says what was set; else the name.
std::string run_name(const Path& folder, std::string name) {
  if (name.empty()) name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  if (!std::filesystem::exists(folder / "point.json")) return name;
  const Json point = read_json_object(folder / "point.json");
  const auto set = point.find("set");
  if (set == point.end() || !set->is_object()) return name;
  std::string text;
  for (const auto& [key, value] : set->items()) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", short_key(key, *set),
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text.empty() ? name : name + ": " + text;
}

/// Null where the log says nothing of ranks.
Json time_parts(const Path& folder) {
  const std::optional<runs::TimeParts> found = runs::read_time_parts(folder);
  if (!found) return nullptr;
  Json parts = Json::object();
  for (const auto& [name, cycles] : found->parts) parts[name] = cycles;
  return {{"rank", found->rank}, {"cycles", found->cycles}, {"parts", parts}};
}

}  // namespace

double rounded(double value, double parts) { return std::round(value * parts) / parts; }

Json run_quantity_texts() {
  Json texts = Json::array();
  for (const runs::RunQuantity& quantity : runs::run_quantities()) {
    texts.push_back(
        {{"key", quantity.key}, {"words", quantity.words}, {"unit", quantity.unit}, {"drawn", quantity.drawn}});
  }
  return texts;
}

Json read_json_object(const Path& file) {
  Json json = Json::parse(read_result(file), nullptr, false);
  if (!json.is_object()) {
    throw InputError(
        fmt::format("{}: is not a JSON object; the file is damaged: run the configuration again", file.string()));
  }
  return json;
}

void require_version(const Path& file, const Json& summary) {
  const auto found = summary.find("version");
  const std::string version = found != summary.end() && found->is_string() ? found->get<std::string>() : "";
  if (version == runs::version()) return;
  throw InputError(fmt::format("{}: written by weft {}, this is weft {}: run {} again with this one", file.string(),
                               version.empty() ? "of an unknown version" : version, runs::version(),
                               (file.parent_path() / "config.resolved.yaml").string()));
}

bool table_is_there(const RunFacts& facts, const char* file, std::uint64_t rows) {
  const Path path = facts.folder / file;
  if (std::filesystem::exists(path)) return true;
  if (rows > runs::kTableRowLimit) return false;
  throw InputError(
      fmt::format("{}: there is none; the folder is not complete: run the configuration again", path.string()));
}

Json read_run(const Path& folder, const Limits& limits, double share) {
  Json summary = read_summary(folder);
  const Path config_file = folder / "config.resolved.yaml";
  const std::string text = read_result(config_file);
  const YAML::Node config = read_config(config_file, text);
  const RunFacts facts = facts_of(folder, config, summary);
  Json run;
  run["folder"] = folder.string();
  run["place"] = std::filesystem::weakly_canonical(folder).string();
  run["name"] = run_name(folder, summary["name"].get<std::string>());
  run["fabric"] = facts.fabric;
  run["statistics"] = facts.statistics;
  run["clock"] = config["clock"] ? config["clock"].as<std::string>() : "";
  run["workload"] = config["workload"].begin()->first.as<std::string>();
  run["memory"] = read_memory(facts, summary);
  run["work"] = work_of(config, facts);
  run["places"] = input_folders(config);
  run["config"] = text;
  run["ranks"] = rank_columns(summary.value("ranks", Json()), limits);
  summary.erase("ranks");
  summary.erase("rank_memory");
  if (summary.contains("switches")) summary["switches"].erase("each");
  run["summary"] = std::move(summary);
  run["wafer"] = read_wafer(facts, limits, share);
  run["latency"] = read_latency(facts, limits);
  run["collectives"] = read_collectives(facts, limits, share);
  run["timeline"] = read_timeline(facts, limits, share);
  run["time_parts"] = time_parts(folder);
  return run;
}

}  // namespace weft::report
