// SPDX-License-Identifier: Apache-2.0
#include "cli/checked_config.h"

#include "kernel/config_load.h"
#include "npu/player/workload_check.h"
#include "wafer/colour_routes.h"
#include "wafer/memory/memory_check.h"
#include "wafer/multicast_trees.h"
#include "wafer/wafer_waves.h"

namespace weft::cli {
namespace {

std::vector<ConfigProblem> check(const Config& config) {
  std::vector<ConfigProblem> problems = npu::check_workload(config);
  if (problems.empty()) problems = wafer::check_colours(config);
  if (problems.empty()) problems = wafer::check_multicast(config);
  for (ConfigProblem& problem : wafer::check_memory(config)) problems.push_back(std::move(problem));
  for (ConfigProblem& problem : wafer::check_waves(config)) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace

Config load_checked(const std::string& path, const std::vector<std::string>& settings) {
  return load_config(path, settings, disk_files(), check);
}

}  // namespace weft::cli
