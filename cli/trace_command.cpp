// SPDX-License-Identifier: Apache-2.0
// The command line of `weft trace`: look at traces, check them, make them.
#include <iostream>
#include <memory>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/trace_gen.h"
#include "npu/trace/trace_check.h"
#include "npu/trace/trace_info.h"
#include "npu/trace/trace_show.h"

namespace weft::cli {
namespace {

Option add_prefix(const Command& command, std::string& prefix) {
  return command.option("PREFIX", prefix, "the trace: rank r is in PREFIX.r.et (or .et.gz, .json)").required();
}

void add_info(const Command& trace) {
  const Command command = trace.subcommand("info", "Print what is in the files of a trace");
  auto prefix = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  add_prefix(command, *prefix);
  command.flag("--json", *as_json, "print one JSON object");
  command.footer("Example:\n  weft trace info configs/traces/demo/demo");
  command.action([prefix, as_json] { npu::trace_info(*prefix, std::cout, *as_json); });
}

void add_check(const Command& trace, int& status) {
  const Command command = trace.subcommand("check", "Check that a trace is sound across its ranks");
  auto prefix = std::make_shared<std::string>();
  auto groups = std::make_shared<std::string>();
  add_prefix(command, *prefix);
  command.option("--groups", *groups, "communicator groups (JSON); default: those that the trace names itself")
      .type_name("FILE");
  command.footer(
      "Every send needs its receive, groups must agree. Exit status 2 when there are problems.\nExample:\n"
      "  weft trace check traces/step --groups traces/comm_group.json");
  command.action([prefix, groups, &status] {
    status = npu::trace_check(*prefix, *groups, std::cout) == 0 ? kExitOk : kExitBadInput;
  });
}

void add_show(const Command& trace) {
  const Command command = trace.subcommand("show", "Print the graph of one rank as Graphviz DOT");
  auto prefix = std::make_shared<std::string>();
  auto rank = std::make_shared<std::uint32_t>(0);
  add_prefix(command, *prefix);
  command.option("--rank", *rank, "which rank").show_default();
  command.footer("Example:\n  weft trace show traces/step --rank 3 | dot -Tsvg > step.svg");
  command.action([prefix, rank] { npu::trace_show(*prefix, RankId{*rank}, std::cout); });
}

}  // namespace

void add_trace_command(const Command& app, int& status) {
  const Command trace = app.subcommand("trace", "Look at, check and make Chakra execution traces");
  trace.require_subcommand();
  add_info(trace);
  add_check(trace, status);
  add_trace_gen(trace);
  add_show(trace);
}

}  // namespace weft::cli
