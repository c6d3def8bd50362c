// SPDX-License-Identifier: Apache-2.0
// The command line of `weft check`: everything that can be said about a configuration without running it.
#include <iostream>
#include <memory>
#include <optional>

#include "cli/checked_config.h"
#include "cli/commands.h"
#include "cli/trace_volume.h"
#include "config/machine_memory.h"
#include "mem/pool/pool_config.h"
#include "runs/estimate/check_text.h"
#include "sc_models/fabric_kinds.h"
#include "sc_models/memory/pool_need.h"

namespace weft::cli {
namespace {

/// What the trace of `config` holds; none for other workloads. Throws InputError where a pool is too small for it; what
/// is strange goes to `warnings`.
std::optional<runs::TraceVolume> volume_of(const Config& config, sc_models::FabricSketch& sketch,
                                           std::vector<std::string>& warnings) {
  if (!std::holds_alternative<TraceWorkload>(config.workload)) return std::nullopt;
  if (config.memory.pool.empty()) return trace_volume(config, sketch);
  sc_models::PoolNeed need(config);
  const runs::TraceVolume volume =
      trace_volume(config, sketch, [&need](RankId rank, const npu::TraceNode& node, const npu::ProcessGroup* group) {
        need.add(rank, node, group);
      });
  need.check();
  warnings = need.warnings();
  return volume;
}

}  // namespace

void add_check_command(const Command& app, int& /*status*/) {
  struct Options {
    std::string config;
    std::vector<std::string> settings;
  };
  const Command command = app.subcommand("check", "Check a configuration and estimate its run, without running it");
  auto options = std::make_shared<Options>();
  add_config_argument(command, options->config);
  add_set_option(command, options->settings, "override one key of the configuration; may be repeated");
  command.footer(R"(Examples:
  weft check configs/demo.yaml
  weft check configs/demo.yaml --set fabric.router.buffer_flits=4
Reports all errors at once (exit status 2); warns where links are credit-starved or memory is short;
estimates flit-hops, time and memory.)");
  command.action([options] {
    const Config config = load_checked(options->config, options->settings);
    std::vector<std::string> warnings;
    const auto sketch = sc_models::make_sketch(config);
    const runs::RunEstimate estimate = runs::estimate_run(config, *sketch, volume_of(config, *sketch, warnings));
    runs::check_config(config, *sketch, estimate, std::cout);
    const std::string memory = memory_warning(estimate.memory.bytes, memory_bound());
    if (!memory.empty()) warnings.insert(warnings.begin(), memory);
    for (const std::string& warning : warnings) std::cout << "warning: " << warning << "\n";
    if (config.memory.pool.empty()) return;
    for (const std::string& line : mem::describe_pool(config)) std::cout << line << "\n";
  });
}

}  // namespace weft::cli
