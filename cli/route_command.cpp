// SPDX-License-Identifier: Apache-2.0
// The command line of `weft route`: flows, middle stages and settings of FRED switches, as a table and a picture.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/text_distance.h"
#include "cli/checked_config.h"
#include "cli/commands.h"
#include "cli/route/route_report.h"

namespace weft::cli {
namespace {

struct RouteOptions {
  std::string config;
  std::vector<std::string> settings;
  std::vector<int> degrees;
  std::string phase;
  std::string svg;
};

void run(const RouteOptions& options) {
  const Config config = load_checked(options.config, options.settings);
  RouteChoice choice;
  if (!options.degrees.empty()) {
    if (options.degrees.size() != 3) throw InputError("--parallelism: expected three numbers, MP,PP,DP");
    choice.degrees = fred::Parallelism{options.degrees[0], options.degrees[1], options.degrees[2]};
  }
  choice.phase = options.phase;
  const RoutePlan plan = plan_route(config, choice);
  print_routes(config, plan, std::cout);
  if (options.svg.empty()) return;
  std::ofstream file(options.svg);
  file << route_svg(plan);
  if (!file.flush()) throw InputError(fmt::format("--svg: {} cannot be written", in_quotes(options.svg)));
  std::cout << fmt::format("picture    {}\n", options.svg);
}

}  // namespace

void add_route_command(const Command& app, int& /*status*/) {
  const Command command = app.subcommand("route", "Show how flows are routed in FRED switches");
  auto options = std::make_shared<RouteOptions>();
  add_config_argument(command, options->config);
  add_set_option(command, options->settings, "override one key of the configuration; may be repeated");
  command
      .option("--parallelism", options->degrees, "ways of model, pipeline and data parallelism, placed in this order")
      .values(3)
      .delimiter(',')
      .type_name("MP,PP,DP");
  command.option("--phase", options->phase, "only mp, pp or dp").type_name("PHASE");
  command.option("--svg", options->svg, "draw the interconnects into this file").type_name("FILE");
  command.footer(R"(Examples:
  weft route configs/fred-d.yaml
  weft route configs/fred-d.yaml --parallelism 2,2,5 --phase dp --svg dp.svg
  weft route configs/fred-b.yaml --parallelism 3,3,2 --set npu.placement=[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]
Without --parallelism the flow of the configuration's collective. Conflicts are answered as fabric.conflict says;
`refuse` makes them errors (exit status 2).)");
  command.action([options] { run(*options); });
}

}  // namespace weft::cli
