// SPDX-License-Identifier: Apache-2.0
// The command line of `weft rtl`: SystemVerilog of a FRED switch of any size, and which switches a configuration has.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text_distance.h"
#include "cli/checked_config.h"
#include "cli/commands.h"
#include "sc_models/system.h"
#include "switch/rtl/interconnect_sv.h"
#include "switch/rtl/rtl_spec.h"

namespace weft::cli {
namespace {

struct RtlOptions {
  int m = 3;
  int ports = 12;
  std::string out;
  std::string config;
  std::vector<std::string> settings;
};

/// "2 4 Lanes=1 Beats=1 ...": m, ports and parameters of the RTL of each different switch of the configuration's wafer.
std::set<std::string> switches_of(Config config) {
  config.waves.file.clear();
  std::set<std::string> lines;
  sc_models::SystemSetup setup;
  setup.make_switch = [&lines](const fred::SwitchSpec& spec, const std::string& path, const std::string&) {
    fred::check_rtl_spec(spec);
    std::unique_ptr<fred::SwitchModel> made = fred::make_tlm_switch(spec, path, "tlm");
    std::string line = fmt::format("{} {}", spec.m, spec.ports);
    for (const auto& [name, value] : fred::rtl_parameters(spec, made->settings().capacity() + 1)) {
      line += fmt::format(" {}={}", name, value);
    }
    lines.insert(line);
    return made;
  };
  const sc_models::System system("system", config, setup);
  return lines;
}

void write_rtl(const RtlOptions& options) {
  if (!options.config.empty()) {
    for (const std::string& line : switches_of(load_checked(options.config, options.settings))) {
      std::cout << line << '\n';
    }
    return;
  }
  const fred::Interconnect net = fred::build_interconnect(options.m, options.ports);
  const std::string text =
      fred::interconnect_sv(net) + '\n' + fred::fred_switch_sv(net) + '\n' + fred::in_switch_reducer_sv(net);
  if (options.out.empty()) {
    std::cout << text;
    return;
  }
  std::ofstream file(options.out);
  file << text;
  if (!file.flush()) throw InputError(fmt::format("--out: {} cannot be written", in_quotes(options.out)));
}

}  // namespace

void add_rtl_command(const Command& app, int& /*status*/) {
  const Command command = app.subcommand("rtl", "Write the SystemVerilog of a FRED switch");
  auto options = std::make_shared<RtlOptions>();
  command.option("--m", options->m, "middle stages at each level").show_default();
  command.option("--ports", options->ports, "ports of the switch").show_default();
  command.option("--out", options->out, "write into this file instead of to the terminal").type_name("FILE");
  command
      .option("--switches", options->config,
              "instead, list the switches of this configuration: m, ports, parameters of the RTL")
      .type_name("CONFIG")
      .existing_file();
  add_set_option(command, options->settings, "override one key of that configuration; may be repeated");
  command.footer(R"(Examples:
  weft rtl --m 3 --ports 12 --out fred_switch_m3_p12.sv
  weft rtl --m 2 --ports 4 | grep module
  weft rtl --switches configs/fred-d-rtl.yaml
The modules fred_interconnect_mM_pP, fred_switch_mM_pP and in_switch_reducer, that switch with its straps and
memory of stored settings behind a write port, need the files that rtl/primitives.f and rtl/switch.f list, in this order,
before them. Ports and parameters: docs/rtl_ports.md.)");
  command.action([options] { write_rtl(*options); });
}

}  // namespace weft::cli
