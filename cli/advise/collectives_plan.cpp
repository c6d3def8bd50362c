// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "cli/advise/collectives_advice.h"
#include "cli/checked_config.h"
#include "cli/name_option.h"
#include "cli/stop_signal.h"
#include "config/load.h"
#include "config/names.h"
#include "npu/collective/algorithms/registry.h"

namespace weft::cli {
namespace {

/// The words between the commas of an option, each once.
std::vector<std::string> words_of(const std::string& option, const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    const std::size_t first = word.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    word = word.substr(first, word.find_last_not_of(' ') - first + 1);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  if (words.empty()) throw InputError(fmt::format("{} {}: an empty list", option, in_quotes(text)));
  return words;
}

template <typename Value>
void add_once(std::vector<Value>& list, Value value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::vector<std::string> with(std::vector<std::string> settings, const std::vector<std::string>& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

void check_settings(const CollectivesRequest& request) {
  for (const std::string& setting : request.settings) {
    const std::string path = setting.substr(0, setting.find('='));
    for (const char* key : {"kind", "algorithm", "algorithm_table", "size", "group", "root", "parallelism", "phase"}) {
      if (path != std::string("workload.collective.") + key) continue;
      throw InputError(fmt::format("--set {}: `weft advise collectives` sets {} itself", setting, path));
    }
  }
}

CollectiveSpec method_of(const Config& config) {
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload)) return trace->collective;
  if (const auto* single = std::get_if<CollectiveWorkload>(&config.workload)) return single->collective;
  return {};
}

/// Turns any configuration into one of a single collective, that is cut into chunks as its collectives are.
class PointSettings {
 public:
  PointSettings(const CollectivesRequest& request, const Config& config)
      : common_(with(request.settings, {"workload="})), method_(method_of(config)), all_(config.npu.placement.size()) {
    // Loads and stores over I/O controllers are refused where there is no trace.
    if (config.memory.tensors != TensorMemory::kLocal) common_.emplace_back("memory=");
  }

  std::vector<std::string> of(const Ranking& collective, const std::string& algorithm) const {
    std::string text = fmt::format(
        "workload.collective={{kind: {}, algorithm: {}, chunks: {}, chunk_bytes: {} B, active_chunks: {}, dtype: {}",
        name_of(collective.kind), algorithm, method_.chunks, method_.chunk_bytes, method_.active_chunks,
        name_of(method_.dtype));
    if (collective.kind != CollectiveKind::kBarrier) text += fmt::format(", size: {} B", collective.bytes);
    if (collective.ranks != all_) {
      text += ", group: [";
      for (std::uint64_t rank = 0; rank < collective.ranks; ++rank) text += fmt::format("{}{}", rank ? ", " : "", rank);
      text += "]";
    }
    return with(common_, {text + "}"});
  }

 private:
  std::vector<std::string> common_;
  CollectiveSpec method_;
  std::size_t all_;  ///< ranks
};

/// What is wrong with a point, without the setting that it was given by.
std::string reason_of(const std::string& error) {
  std::string reason = error.substr(0, error.find('\n'));
  for (const std::string_view mark : {"}: ", "workload.collective.algorithm: "}) {
    const std::size_t at = reason.find(mark);
    if (at != std::string::npos) reason.erase(0, at + mark.size());
  }
  return reason;
}

bool does(const npu::Algorithm& algorithm, CollectiveKind kind) {
  const std::vector<CollectiveKind> kinds = algorithm.kinds();
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

/// A barrier has no bytes.
std::vector<std::uint64_t> sizes_of(const CollectivesRequest& request, CollectiveKind kind) {
  return kind == CollectiveKind::kBarrier ? std::vector<std::uint64_t>{0} : request.sizes;
}

/// Sizes of groups, in order.
std::vector<std::uint64_t> groups_of(const CollectivesRequest& request, std::size_t all) {
  std::vector<std::uint64_t> groups;
  for (const std::uint32_t ranks : request.groups) {
    if (ranks > all) throw InputError(fmt::format("--groups {}: there are {} ranks", ranks, all));
    add_once<std::uint64_t>(groups, ranks == 0 ? all : ranks);
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

/// Fills the last ranking with all that do its kind on this fabric.
void add_algorithms(const CollectivesRequest& request, const PointSettings& settings, CollectivesAdvice& advice) {
  Ranking& ranking = advice.rankings.back();
  for (const npu::Algorithm* algorithm : npu::algorithms()) {
    if (StopSignal::requested()) throw Interrupted();
    if (!does(*algorithm, ranking.kind)) continue;
    AlgorithmTime time;
    time.algorithm = algorithm->name;
    time.settings = settings.of(ranking, time.algorithm);
    try {
      load_checked(request.config, time.settings);
      ranking.algorithms.push_back(std::move(time));
    } catch (const InputError& error) {
      advice.leave_out(time.algorithm, error.what());
    }
  }
}

}  // namespace

Config load_as_it_stands(const CollectivesRequest& request) {
  try {
    return load_config(request.config, request.settings);
  } catch (const InputError&) {
    for (const std::string section : {"workload.collective.", "workload.trace."}) {
      try {
        return load_config(request.config,
                           with(request.settings, {section + "algorithm=ring",
                                                   section + "algorithm_table=", section + "algorithm_file="}));
      } catch (const InputError&) {  // another kind of workload, or something else is wrong
      }
    }
    throw;
  }
}

void CollectivesAdvice::leave_out(const std::string& algorithm, const std::string& error) {
  const std::string reason = reason_of(error);
  for (LeftOutRuns& left : left_out) {
    if (left.algorithm != algorithm || left.reason != reason) continue;
    ++left.runs;
    return;
  }
  left_out.push_back({algorithm, reason, 1});
}

std::vector<CollectiveKind> parse_kinds(const std::string& text) {
  std::vector<CollectiveKind> kinds;
  for (const std::string& word : words_of("--kinds", text)) {
    if (word == "all") {
      for (const auto& [name, kind] : collective_kind_names()) add_once(kinds, kind);
    } else {
      add_once(kinds, enum_of("--kinds", word, collective_kind_names()));
    }
  }
  return kinds;
}

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& word : words_of("--sizes", text)) {
    try {
      const std::uint64_t bytes = parse_quantity(word, Dimension::kBytes).num;
      if (bytes == 0 || bytes > std::uint64_t{1} << 50) throw InputError("legal: 1 B to 1024 TiB");
      add_once(sizes, bytes);
    } catch (const InputError& error) {
      throw InputError(fmt::format("--sizes {}: {}", word, error.what()));
    }
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

std::vector<std::uint32_t> parse_groups(const std::string& text) {
  std::vector<std::uint32_t> groups;
  for (const std::string& word : words_of("--groups", text)) {
    std::uint32_t ranks = 0;
    const char* end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, ranks);
    if (word != "all" && (error != std::errc() || at != end || ranks < 2)) {
      throw InputError(fmt::format("--groups {}: legal are 'all' and numbers of ranks, at least 2", word));
    }
    add_once(groups, ranks);
  }
  return groups;
}

CollectivesAdvice advice_for(const Config& config) {
  CollectivesAdvice advice;
  advice.name = config.name;
  advice.fabric_kind = name_of(config.fabric.kind);
  advice.npus = static_cast<std::uint64_t>(config.fabric.nodes());
  return advice;
}

CollectivesAdvice plan_collectives(const CollectivesRequest& request) {
  check_settings(request);
  const Config config = load_as_it_stands(request);
  const std::size_t all = config.npu.placement.size();
  if (all < 2) throw InputError(fmt::format("{}: one NPU has nobody to do a collective with", request.config));
  CollectivesAdvice advice = advice_for(config);
  const PointSettings settings(request, config);
  const std::vector<std::uint64_t> groups = groups_of(request, all);
  for (const CollectiveKind kind : request.kinds) {
    for (const std::uint64_t ranks : groups) {
      for (const std::uint64_t bytes : sizes_of(request, kind)) {
        advice.rankings.push_back({kind, ranks, bytes, {}});
        add_algorithms(request, settings, advice);
      }
    }
  }
  return advice;
}

}  // namespace weft::cli
