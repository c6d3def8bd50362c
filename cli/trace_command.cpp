// SPDX-License-Identifier: Apache-2.0
// The command line of `weft trace`: look at traces, check them, make them.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/name_option.h"
#include "kernel/config_names.h"
#include "kernel/error.h"
#include "kernel/units.h"
#include "npu/trace/trace_check.h"
#include "npu/trace/trace_info.h"
#include "npu/trace/trace_show.h"
#include "npu/tracegen/collective_trace.h"
#include "npu/tracegen/transformer_trace.h"

namespace weft::cli {
namespace {

CLI::Option* add_prefix(CLI::App& command, std::string& prefix) {
  return command.add_option("PREFIX", prefix, "the trace: rank r is in PREFIX.r.et (or .et.gz, .json)")->required();
}

void add_info(CLI::App& trace) {
  CLI::App* command = trace.add_subcommand("info", "Print what is in the files of a trace");
  auto prefix = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  add_prefix(*command, *prefix);
  command->add_flag("--json", *json, "print one JSON object");
  command->footer("Example:\n  weft trace info configs/traces/demo/demo");
  command->callback([prefix, json] { npu::trace_info(*prefix, std::cout, *json); });
}

void add_check(CLI::App& trace, int& status) {
  CLI::App* command = trace.add_subcommand("check", "Check that a trace is sound across its ranks");
  auto prefix = std::make_shared<std::string>();
  auto groups = std::make_shared<std::string>();
  add_prefix(*command, *prefix);
  command->add_option("--groups", *groups, "communicator groups (JSON); default: those that the trace names itself")
      ->type_name("FILE");
  command->footer(
      "Every send needs its receive, groups must agree. Exit status 2 when there are problems.\nExample:\n"
      "  weft trace check traces/step --groups traces/comm_group.json");
  command->callback([prefix, groups, &status] {
    status = npu::trace_check(*prefix, *groups, std::cout) == 0 ? kExitOk : kExitBadInput;
  });
}

void add_show(CLI::App& trace) {
  CLI::App* command = trace.add_subcommand("show", "Print the graph of one rank as Graphviz DOT");
  auto prefix = std::make_shared<std::string>();
  auto rank = std::make_shared<std::uint32_t>(0);
  add_prefix(*command, *prefix);
  command->add_option("--rank", *rank, "which rank")->capture_default_str();
  command->footer("Example:\n  weft trace show traces/step --rank 3 | dot -Tsvg > step.svg");
  command->callback([prefix, rank] { npu::trace_show(*prefix, RankId{*rank}, std::cout); });
}

CLI::Option* add_out_prefix(CLI::App& command, std::string& out) {
  return command.add_option("--out", out, "files are OUT.RANK.et; groups go to comm_group.json beside them")
      ->required()
      ->type_name("PREFIX");
}

std::uint64_t parse_bytes(const std::string& option, const std::string& text) {
  try {
    return parse_quantity(text, Dimension::kBytes).num;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} {}: {}", option, text, error.what()));
  }
}

void add_gen_collective(CLI::App& gen) {
  struct Options {
    npu::CollectiveTraceSpec spec;
    std::string kind = "all_reduce";
    std::string size = "1 MiB";
    std::string out;
  };
  CLI::App* command = gen.add_subcommand("collective", "Collectives over all ranks, one after the other");
  auto o = std::make_shared<Options>();
  command->add_option("--kind", o->kind, "all_reduce, all_gather, ...: as in workload.collective.kind")
      ->capture_default_str();
  command->add_option("--ranks", o->spec.ranks, "number of ranks")->capture_default_str();
  command->add_option("--size", o->size, "as Chakra's comm_size, with unit")->capture_default_str();
  command->add_option("--count", o->spec.count, "how many")->capture_default_str();
  add_out_prefix(*command, o->out);
  command->footer(
      "Example:\n  weft trace gen collective --kind all_gather --ranks 16 --size \"64 KiB\" --out traces/ag");
  command->callback([o] {
    o->spec.kind = enum_of("--kind", o->kind, collective_kind_names());
    o->spec.bytes = o->spec.kind == CollectiveKind::kBarrier ? 0 : parse_bytes("--size", o->size);
    npu::write_trace(npu::CollectiveTrace(o->spec), o->out, std::cout);
  });
}

void add_gen_transformer(CLI::App& gen) {
  struct Options {
    npu::TransformerSpec spec;
    std::string out;
  };
  CLI::App* command = gen.add_subcommand("transformer", "One training step of a decoder-only transformer");
  auto o = std::make_shared<Options>();
  for (const npu::TransformerNumber& number : npu::transformer_numbers()) {
    command->add_option(fmt::format("--{}", number.name), o->spec.*number.field, number.help)
        ->capture_default_str()
        ->check(CLI::Range(number.least, number.most));
  }
  add_out_prefix(*command, o->out);
  command->footer(
      "Ranks are dp x tp x pp. Example:\n  weft trace gen transformer --layers 8 --dp 5 --tp 2 --pp 2 "
      "--batch 40 --microbatches 2 --out traces/step");
  command->callback([o] { npu::write_trace(npu::TransformerTrace(o->spec), o->out, std::cout); });
}

}  // namespace

void add_trace_command(CLI::App& app, int& status) {
  CLI::App* trace = app.add_subcommand("trace", "Look at, check and make Chakra execution traces");
  trace->require_subcommand(1);
  add_info(*trace);
  add_check(*trace, status);
  CLI::App* gen = trace->add_subcommand("gen", "Make a trace from a few numbers");
  gen->require_subcommand(1);
  add_gen_collective(*gen);
  add_gen_transformer(*gen);
  add_show(*trace);
}

}  // namespace weft::cli
