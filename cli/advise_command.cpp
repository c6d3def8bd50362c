// SPDX-License-Identifier: Apache-2.0
// The command line of `weft advise`.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <thread>

#include "base/error.h"
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

}  // namespace

void add_advise_command(const Command& app, int& status) {
  const Command parent = app.subcommand("advise", "Say which algorithm is fastest on a wafer, by simulation");
  parent.require_subcommand();
  const Command command = parent.subcommand("reduce", "Compare the algorithms of a reduction over P cores");
  auto options = std::make_shared<AdviseOptions>();
  AdviceRequest& request = options->request;
  add_config_argument(command, request.config);
  command.option("--p", options->cores, "cores: a row of P, as 64, or columns x rows, as 8x8")
      .required()
      .type_name("P");
  command.option("--b", request.elements, "wavelets (4 bytes each) per vector").required();
  command.option("--kind", options->kind, "reduce or all_reduce").show_default();
  add_set_option(command, request.settings, "override one key of the configuration; may be repeated");
  request.jobs = std::max(1U, std::thread::hardware_concurrency());
  command.option("--jobs,-j", request.jobs, "runs at the same time")
      .show_default()
      .range(std::size_t{1}, std::size_t{1024});
  command.flag("--json", options->as_json, "print JSON instead of a table");
  command.option("--runner", request.program, "program that runs a point, called like this one (default: this one)")
      .type_name("PROGRAM");
  command.footer(R"(Examples:
  weft advise reduce configs/wse-reduce.yaml --p 64 --b 256
  weft advise reduce configs/wse-reduce.yaml --p 16x16 --b 1024 --kind all_reduce --json
  weft advise reduce configs/wse3-reduce.yaml --p 512 --b 64 --set fabric.router.turn_cycles=0
The root is the first core. Closed forms are those of "Near-Optimal Wafer-Scale Reduce" (HPDC 2024) with the
configuration's costs of ramp, hop and turn; those of tree, two_phase and auto_gen are estimates.)");
  command.action([options, &status] {
    try {
      status = advise(*options);
    } catch (const RunFailed& failed) {
      fmt::print(stderr, "weft: error: {}\n", failed.what());
      status = failed.status();
    }
  });
}

}  // namespace weft::cli
