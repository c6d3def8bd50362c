// SPDX-License-Identifier: Apache-2.0
#include "cli/checked_config.h"

#include <filesystem>
#include <system_error>

#include "config/load.h"
#include "mem/memory_check.h"
#include "npu/player/workload_check.h"
#include "npu/trace/trace_files.h"
#include "runs/recording.h"
#include "sc_models/colour_routes.h"
#include "sc_models/fabric_kinds.h"
#include "sc_models/multicast_trees.h"
#include "sc_models/wormhole_check.h"

namespace weft::cli {
namespace {

/// Traces of at most so many bytes are read before a run, too: that takes a tenth of a second.
constexpr std::uintmax_t kReadTwice = std::uintmax_t{4} << 20;

std::vector<ConfigProblem> check(const Config& config) {
  std::vector<ConfigProblem> problems = sc_models::check_network(config);
  if (problems.empty()) problems = npu::check_workload(config);
  if (problems.empty()) problems = sc_models::check_colours(config);
  if (problems.empty()) problems = sc_models::check_multicast(config);
  if (problems.empty()) problems = sc_models::check_wormhole(config);
  for (ConfigProblem& problem : mem::check_memory(config)) problems.push_back(std::move(problem));
  for (ConfigProblem& problem : runs::check_waves(config)) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace

Config load_checked(const std::string& path, const std::vector<std::string>& settings) {
  return load_config(path, settings, disk_files(), check);
}

void refuse_bad_nodes(const Config& config) {
  const auto* trace = std::get_if<TraceWorkload>(&config.workload);
  if (trace == nullptr) return;
  std::uintmax_t bytes = 0;
  for (const std::string& file : npu::find_trace_files(trace->chakra)) {
    std::error_code no_file;  // the reader says what it is instead
    const std::uintmax_t size = std::filesystem::file_size(file, no_file);
    if (!no_file) bytes += size;
  }
  if (bytes <= kReadTwice)
    npu::require_playable(config, [](RankId, const npu::TraceNode&, const npu::ProcessGroup*) {});
}

}  // namespace weft::cli
