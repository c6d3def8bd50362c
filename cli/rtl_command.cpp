// SPDX-License-Identifier: Apache-2.0
// The command line of `weft rtl`: SystemVerilog of a FRED switch of any size.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "kernel/error.h"
#include "kernel/text_distance.h"
#include "switch/rtl/interconnect_sv.h"

namespace weft::cli {
namespace {

struct Options {
  int m = 3;
  int ports = 12;
  std::string out;
};

void run(const Options& options) {
  const fred::Interconnect net = fred::build_interconnect(options.m, options.ports);
  const std::string text = fred::interconnect_sv(net) + '\n' + fred::fred_switch_sv(net);
  if (options.out.empty()) {
    std::cout << text;
    return;
  }
  std::ofstream file(options.out);
  file << text;
  if (!file.flush()) throw InputError(fmt::format("--out: {} cannot be written", in_quotes(options.out)));
}

}  // namespace

void add_rtl_command(CLI::App& app, int& /*status*/) {
  CLI::App* command = app.add_subcommand("rtl", "Write the SystemVerilog of a FRED switch");
  auto options = std::make_shared<Options>();
  command->add_option("--m", options->m, "middle stages at each level")->type_name("M")->capture_default_str();
  command->add_option("--ports", options->ports, "ports of the switch")->type_name("P")->capture_default_str();
  command->add_option("--out", options->out, "write into this file instead of to the terminal")->type_name("FILE");
  command->footer(R"(Examples:
  weft rtl --m 3 --ports 12 --out fred_switch_m3_p12.sv
  weft rtl --m 2 --ports 4 | grep module
The modules fred_interconnect_mM_pP and fred_switch_mM_pP need the files that rtl/primitives.f and rtl/switch.f list, in
this order, before them. Ports and parameters: docs/rtl_ports.md.)");
  command->callback([options] { run(*options); });
}

}  // namespace weft::cli
