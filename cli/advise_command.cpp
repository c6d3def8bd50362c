// SPDX-License-Identifier: Apache-2.0
// The command line of `weft advise`.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include "base/error.h"
#include "base/output_file.h"
#include "cli/advise/collectives_advice.h"
#include "cli/advise/reduce_advice.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/name_option.h"
#include "cli/progress_line.h"
#include "cli/stop_signal.h"
#include "runs/summary.h"

namespace weft::cli {
namespace {

/// The words of the command line.
struct AdviseOptions {
  AdviceRequest request;
  std::string cores;
  std::string kind = "reduce";
  bool as_json = false;
};

int advise(AdviseOptions options) {
  AdviceRequest& request = options.request;
  const NameTable<CollectiveKind> kinds{{"reduce", CollectiveKind::kReduce},
                                        {"all_reduce", CollectiveKind::kAllReduce}};
  request.kind = enum_of("--kind", options.kind, kinds);
  parse_cores(options.cores, request);
  if (request.program.empty()) request.program = own_program();
  const StopSignal stop;
  ProgressLine line;
  const Advice advice = advise_reduce(request, [&](const std::string& text) { line.show(text); });
  line.clear();
  if (!options.as_json) {
    print_advice(request, advice, std::cout);
    return kExitOk;
  }
  nlohmann::ordered_json report{{"version", runs::version()}};
  report.update(advice_json(request, advice));
  std::cout << report.dump(2) << "\n";
  return kExitOk;
}

/// The words of the command line.
struct CollectivesOptions {
  CollectivesRequest request;
  std::string kinds = "all";
  std::string sizes = "4KiB,64KiB,1MiB,16MiB";
  std::string groups = "all";
  std::string out;
  bool played = false;
  bool as_json = false;
};

int advise(CollectivesOptions options) {
  CollectivesRequest& request = options.request;
  request.kinds = parse_kinds(options.kinds);
  request.sizes = parse_sizes(options.sizes);
  request.groups = parse_groups(options.groups);
  if (request.program.empty()) request.program = own_program();
  std::optional<OutputFile> table;  // a name that cannot be written is found before the runs
  if (!options.out.empty()) table.emplace(options.out);
  const StopSignal stop;
  ProgressLine line;
  const auto watch = [&](const std::string& text) { line.show(text); };
  const CollectivesAdvice advice = options.played ? advise_played(request, watch) : advise_collectives(request, watch);
  line.clear();
  if (table) {
    std::ofstream file(table->path());
    file << collectives_table(request, advice) << std::flush;
    if (!file) throw std::runtime_error(fmt::format("cannot write '{}'", options.out));
    table->complete();
  }
  if (!options.as_json) {
    print_collectives(advice, std::cout);
    if (table) {
      std::cout << fmt::format("\nwritten: {}; `algorithm: auto` with `algorithm_table: {}` uses it\n", options.out,
                               options.out);
    }
    return kExitOk;
  }
  nlohmann::ordered_json report{{"version", runs::version()}};
  report.update(collectives_json(request, advice));
  std::cout << report.dump(2) << "\n";
  return kExitOk;
}

/// The options that both commands have.
template <typename Options>
void add_run_options(const Command& command, Options& options) {
  auto& request = options.request;
  add_set_option(command, request.settings, "override one key of the configuration; may be repeated");
  request.jobs = std::max(1U, std::thread::hardware_concurrency());
  command.option("--jobs,-j", request.jobs, "runs at the same time")
      .show_default()
      .range(std::size_t{1}, std::size_t{1024});
  command.flag("--json", options.as_json, "print JSON instead of a table");
  command.option("--runner", request.program, "program that runs a point, called like this one (default: this one)")
      .type_name("PROGRAM");
}

template <typename Options>
void set_action(const Command& command, const std::shared_ptr<Options>& options, int& status) {
  command.action([options, &status] {
    try {
      status = advise(*options);
    } catch (const RunFailed& failed) {
      fmt::print(stderr, "weft: error: {}\n", failed.what());
      status = failed.status();
    }
  });
}

void add_collectives_command(const Command& parent, int& status) {
  const Command command =
      parent.subcommand("collectives", "Compare the algorithms of all collectives on a fabric, for `algorithm: auto`");
  auto options = std::make_shared<CollectivesOptions>();
  add_config_argument(command, options->request.config);
  const Option played =
      command.flag("--played", options->played,
                   "the configuration's own trace or collectives, as they are played, with each algorithm");
  command.option("--kinds", options->kinds, "kinds of collectives, with commas between them, or all")
      .show_default()
      .excludes(played);
  command.option("--sizes", options->sizes, "bytes, as Chakra's comm_size").show_default().excludes(played);
  command.option("--groups", options->groups, "ranks of a group, the first so many of the fabric, or all")
      .show_default()
      .excludes(played);
  command.option("--out", options->out, "write the table that `algorithm: auto` reads").type_name("TABLE.yaml");
  add_run_options(command, *options);
  command.footer(R"(Examples:
  weft advise collectives configs/mesh-wafer.yaml --out table.yaml
  weft advise collectives configs/fred-d.yaml --kinds all_reduce,all_gather --sizes 4KiB,1MiB --groups 4,all
  weft advise collectives configs/mesh-streaming.yaml --played --out table.yaml
  weft run configs/mesh-wafer.yaml --set workload.collective.algorithm=auto \
      --set workload.collective.algorithm_table=table.yaml --out results/auto
Chunks and type of the elements are those of the configuration's collective or trace. An algorithm that the fabric or
the group does not suit is left out.)");
  set_action(command, options, status);
}

void add_reduce_command(const Command& parent, int& status) {
  const Command command = parent.subcommand("reduce", "Compare the algorithms of a reduction over P cores");
  auto options = std::make_shared<AdviseOptions>();
  AdviceRequest& request = options->request;
  add_config_argument(command, request.config);
  command.option("--p", options->cores, "cores: a row of P, as 64, or columns x rows, as 8x8")
      .required()
      .type_name("P");
  command.option("--b", request.elements, "wavelets (4 bytes each) per vector").required();
  command.option("--kind", options->kind, "reduce or all_reduce").show_default();
  add_run_options(command, *options);
  command.footer(R"(Examples:
  weft advise reduce configs/wse-reduce.yaml --p 64 --b 256
  weft advise reduce configs/wse-reduce.yaml --p 16x16 --b 1024 --kind all_reduce --json
  weft advise reduce configs/wse3-reduce.yaml --p 512 --b 64 --set fabric.router.turn_cycles=0
The root is the first core. Closed forms are those of "Near-Optimal Wafer-Scale Reduce" (HPDC 2024) with the
configuration's costs of ramp, hop and turn; those of tree, two_phase and auto_gen are estimates.)");
  set_action(command, options, status);
}

}  // namespace

void add_advise_command(const Command& app, int& status) {
  const Command parent = app.subcommand("advise", "Say which algorithm is fastest, by simulation");
  parent.require_subcommand();
  add_reduce_command(parent, status);
  add_collectives_command(parent, status);
}

}  // namespace weft::cli
