// SPDX-License-Identifier: Apache-2.0
// The command line of `weft cosim`.
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/cosim/cosim.h"
#include "cli/decimal.h"
#include "tb/build/rtl_interface.h"

namespace weft::cli {
namespace {

struct Words {
  CosimRequest request;
  bool list = false;
  std::string like;
  std::string cycles = "1e5";
  std::string compare = "cycle";
  std::vector<std::string> files, lists, includes, defines, parameters, shape;
  std::int64_t lanes = 0, m = 0, ports = 0;
};

/// 1000000 or 1e6.
std::uint64_t count_of(const std::string& option, const std::string& text) {
  const double value = [&text] {
    try {
      const auto number = Decimal::parse(text);
      return number ? number->value() : -1.0;
    } catch (const InexactDecimal&) {
      return -1.0;
    }
  }();
  const auto whole = value >= 1.0 && value <= 1e15 ? static_cast<std::uint64_t>(value) : 0;
  if (whole == 0 || static_cast<double>(whole) != value) {
    throw InputError(fmt::format("{} {}: a whole number from 1 to 1e15 is legal", option, text));
  }
  return whole;
}

std::pair<std::string, std::string> assignment(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw InputError(fmt::format("{} {}: NAME=VALUE is legal", option, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The shape and the RTL that the words ask for.
void read_design(Words& words) {
  CosimRequest& request = words.request;
  request.own = !words.like.empty();
  for (const std::string& each : words.shape) {
    const auto [name, value] = assignment("--shape", each);
    request.shape[name] = tb::parse_number(value);
  }
  for (const std::string& each : words.parameters) {
    const auto [name, value] = assignment("-G", each);
    if (request.own) {
      request.rtl.parameters[name] = value;
    } else {
      request.shape[name] = tb::parse_number(value);
    }
  }
  if (words.lanes > 0) request.shape["Lanes"] = words.lanes;
  if (words.m > 0) request.shape["M"] = words.m;
  if (words.ports > 0) request.shape["Ports"] = words.ports;
  request.rtl.files.assign(words.files.begin(), words.files.end());
  request.rtl.lists.assign(words.lists.begin(), words.lists.end());
  request.rtl.includes.assign(words.includes.begin(), words.includes.end());
  request.rtl.defines = words.defines;
  if (!request.own && (!words.files.empty() || !words.lists.empty() || !request.rtl.top.empty())) {
    throw InputError("--rtl, -f and --top describe own RTL: say with --like BLOCK what it is compared with");
  }
  if (request.own && request.mutant != 0) throw InputError("--mutant is for built-in RTL: own RTL has its own faults");
  if (!request.own) return;
  if (words.files.empty() && words.lists.empty()) throw InputError("--like needs the RTL: --rtl FILE or -f LIST");
  if (request.rtl.top.empty()) throw InputError("--like needs the module to be compared: --top MODULE");
  for (const auto& [option, names] : {std::pair{"--rtl", &words.files}, {"-f", &words.lists}}) {
    for (const std::string& name : *names) {
      if (!std::filesystem::exists(name)) throw InputError(fmt::format("{} {}: there is no such file", option, name));
    }
  }
  if (request.own) request.block = words.like;
}

int cosim(Words& words) {
  if (words.list) {
    for (const tb::Block& block : tb::blocks()) fmt::print("{}\n", block.name);
    return kExitOk;
  }
  CosimRequest& request = words.request;
  read_design(words);
  if (!request.plan.empty() && request.regress == 0) throw InputError("--plan is for --regress");
  if (request.block == "all" && request.regress == 0) {
    throw InputError("--block all runs every block with many seeds: say with --regress N how many");
  }
  if (request.block.empty()) throw InputError("cosim needs --block BLOCK, --like BLOCK or --list");
  request.cycles = count_of("--cycles", words.cycles);
  if (words.compare != "cycle" && words.compare != "order") {
    throw InputError(fmt::format("--compare {}: legal are cycle, order", words.compare));
  }
  request.compare = words.compare == "order" ? tb::Compare::kOrder : tb::Compare::kCycle;
  return request.regress > 0 ? cosim_regression(request) : cosim_once(request);
}

}  // namespace

void add_cosim_command(const Command& app, int& status) {
  const Command command = app.subcommand("cosim", "Run RTL against the model, cycle by cycle");
  auto words = std::make_shared<Words>();
  CosimRequest& request = words->request;
  command.flag("--list", words->list, "print the names of all blocks, one per line");
  command.option("--block", request.block, "block whose built-in RTL is run; all, with --regress").type_name("BLOCK");
  command.option("--like", words->like, "block that own RTL is to behave like").type_name("BLOCK");
  command.option("--rtl", words->files, "source of own RTL; may be repeated").type_name("FILE");
  command.option("-f", words->lists, "file of Verilator arguments of own RTL").type_name("LIST");
  command.option("-I", words->includes, "folder of included files and modules of own RTL").type_name("DIR");
  command.option("-D", words->defines, "macro of own RTL").type_name("NAME[=VALUE]");
  command.option("--top", request.rtl.top, "module of own RTL").type_name("MODULE");
  command.option("-G", words->parameters, "parameter of the RTL; may be repeated").type_name("NAME=VALUE");
  command.option("--shape", words->shape, "what own RTL without that parameter is built for").type_name("NAME=VALUE");
  command.option("--lanes", words->lanes, "the same as --shape Lanes=N").positive();
  command.option("--m", words->m, "the same as --shape M=N").positive();
  command.option("--ports", words->ports, "the same as --shape Ports=N").positive();
  command.option("--compare", words->compare, "cycle: every output in every cycle; order: data of each flow")
      .show_default()
      .type_name("HOW");
  command.option("--cycles", words->cycles, "cycles of a run").show_default().type_name("N");
  command.option("--seed", request.seed, "of the stimulus; of a regression the first one").show_default();
  command.option("--stall", request.stall, "chance per cycle that a side pauses").show_default().range(0.0, 0.95);
  command.option("--mutant", request.mutant, "build the built-in RTL with its seeded faults and switch this one on")
      .range(0, 255);
  command.flag("!--no-checkers", request.checkers,
               "build the built-in RTL without its assertions: less than half the time, the comparison alone judges");
  command.option("--regress", request.regress, "run so many seeds, each in a process of its own");
  command.option("--jobs", request.jobs, "runs at a time").show_default().range(1, 256);
  command.option("--out", request.out, "results directory (default: results/cosim-BLOCK-N)").type_name("DIR");
  command.option("--build-dir", request.build_dir, "where built models are kept (default: below the user's cache)")
      .type_name("DIR");
  command.flag("--coverage", request.coverage,
               "say how many bins were hit, and list the others, which are failures of a regression");
  command.option("--plan", request.plan, "test plan that names all bins of a regression").type_name("FILE");
  command.flag("--quiet,-q", request.quiet, "print no report");
  command.footer(R"(Examples:
  weft cosim --list
  weft cosim --block uswitch_rd --cycles 1e6 --seed 7 --stall 0.3 --out results/rd
  weft cosim --block all --regress 20 --jobs 2 --coverage --plan tb/testplan.yaml --out results/nightly
  weft cosim --like reduce_lanes --rtl my_reducer.sv --top my_reducer
cosim.json says what differed first; after a mismatch cosim.vcd shows RTL and model around it.
Exit status: 0 no mismatch, 3 mismatch or bins that are missing, 2 RTL or options that cannot be used.)");
  command.action([words, &status] { status = cosim(*words); });
}

}  // namespace weft::cli
