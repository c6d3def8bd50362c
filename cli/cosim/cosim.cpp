// SPDX-License-Identifier: Apache-2.0
#include "cli/cosim/cosim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "base/error.h"
#include "base/output_file.h"
#include "cli/directory_claim.h"
#include "cli/progress_line.h"
#include "cli/stop_signal.h"
#include "tb/build/child_output.h"
#include "tb/build/seeded_fault.h"
#include "tb/report/cosim_report.h"

namespace weft::cli {
namespace {

using Path = std::filesystem::path;

/// Cycles before and after the first mismatch whose waves are kept.
constexpr std::uint64_t kWavesBefore = 200;
constexpr std::uint64_t kWavesAfter = 50;
constexpr const char* kWaveFile = "cosim.vcd";

/// The block's parameters without what follows from them.
tb::Shape parameters_of(const tb::Block& block, const tb::Shape& shape) {
  tb::Shape own;
  for (const tb::BlockParameter& each : block.parameters) own[each.name] = shape.at(each.name);
  return own;
}

/// Values that own RTL has for parameters with the names of the block's.
tb::Shape shape_of_interface(const tb::Block& block, const tb::RtlInterface& found, const tb::Shape& given) {
  tb::Shape shape;
  for (const tb::BlockParameter& known : block.parameters) {
    for (const tb::RtlParameter& each : found.parameters) {
      if (each.name == known.name) shape[each.name] = each.value();
    }
  }
  for (const auto& [name, value] : given) {
    const auto own = shape.find(name);
    if (own != shape.end() && own->second != value) {
      throw InputError(fmt::format("--shape {}={} contradicts the parameter {} of module {}, which is {}", name, value,
                                   name, found.top, own->second));
    }
    shape[name] = value;
  }
  return tb::shape_of(block, shape);
}

/// The same again with waves; a run that does not come out the same leaves none and says so.
std::string write_waves(tb::ModelBuilder& builder, tb::RtlDesign design, const tb::BenchRequest& bench,
                        const tb::Mismatch& first, const Path& out) {
  design.trace = true;
  tb::WaveWindow window;
  window.from = first.cycle > kWavesBefore ? first.cycle - kWavesBefore : 0;
  window.to = first.cycle + kWavesAfter;
  window.file = out / kWaveFile;
  const tb::BenchResult again = run_bench(bench, builder.build(design), window);
  const bool same = again.first && again.first->cycle == first.cycle && again.first->port == first.port &&
                    again.first->actual == first.actual;
  if (same) return kWaveFile;
  std::filesystem::remove(window.file);
  fmt::print(stderr, "weft: warning: the mismatch did not come again when the run was repeated with waves{}\n",
             again.first ? ": " + mismatch_text(bench.block->name, bench.seed, *again.first) : "");
  return "";
}

void report(const tb::CosimRun& run, const Path& out) {
  fmt::print("{} ({}) seed {}: {} cycles, {} mismatch{}\n", run.block, tb::text_of(run.parameters), run.seed,
             run.result.cycles, run.result.mismatches, run.result.mismatches == 1 ? "" : "es");
  fmt::print("  results  {}\n", out.string());
  if (!run.wave.empty()) fmt::print("  waves    {}\n", (out / run.wave).string());
}

void report_coverage(const std::map<std::string, std::uint64_t>& bins) {
  std::vector<std::string> never;
  for (const auto& [name, count] : bins) {
    if (count == 0) never.push_back(name);
  }
  fmt::print("  coverage {} of {} bins hit\n", bins.size() - never.size(), bins.size());
  for (const std::string& name : never) fmt::print("    never hit: {}\n", name);
}

}  // namespace

tb::RtlDesign cosim_design(tb::ModelBuilder& builder, const CosimRequest& request, tb::Shape& shape) {
  const tb::Block& block = tb::find_block(request.block);
  if (!request.own) {
    shape = tb::shape_of(block, request.shape);
    tb::RtlDesign built_in = tb::design_of(builder, block, shape);
    if (!request.checkers) built_in = tb::without_checkers(std::move(built_in));
    if (request.mutant != 0) seed_fault(builder, built_in, request.mutant);
    return built_in;
  }
  tb::RtlDesign design = request.rtl;
  tb::RtlInterface found = builder.interface(design);
  // A parameter that tells the kinds of a block apart is no choice.
  for (const auto& [name, value] : block.fixed) {
    const auto has = std::find_if(found.parameters.begin(), found.parameters.end(),
                                  [&, n = name](const tb::RtlParameter& each) { return each.name == n; });
    if (has == found.parameters.end() || has->value() == value) continue;
    design.parameters[name] = std::to_string(value);
    found = builder.interface(design);
  }
  shape = shape_of_interface(block, found, request.shape);
  const auto wrong = tb::differences(block, shape, found, request.compare == tb::Compare::kOrder);
  if (!wrong.empty()) {
    throw InputError(fmt::format("module {} does not have the ports of block {} (docs/rtl_ports.md):\n  {}", design.top,
                                 block.name, fmt::join(wrong, "\n  ")));
  }
  if (!request.quiet && !found.warnings.empty()) {
    fmt::print(stderr, "weft: warning: Verilator about {}:\n{}\n", design.top, found.warnings);
  }
  return design;
}

std::vector<std::string> cosim_words(const CosimRequest& request) {
  std::vector<std::string> words = {"cosim", request.own ? "--like" : "--block", request.block};
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  if (request.own) {
    for (const Path& each : request.rtl.files) add("--rtl", each.string());
    for (const Path& each : request.rtl.lists) add("-f", each.string());
    for (const Path& each : request.rtl.includes) add("-I", each.string());
    for (const std::string& each : request.rtl.defines) add("-D", each);
    add("--top", request.rtl.top);
    for (const auto& [name, value] : request.rtl.parameters) add("-G", name + "=" + value);
  }
  for (const auto& [name, value] : request.shape) {
    add(request.own ? "--shape" : "-G", fmt::format("{}={}", name, value));
  }
  if (request.compare == tb::Compare::kOrder) add("--compare", "order");
  if (request.mutant != 0) add("--mutant", std::to_string(request.mutant));
  if (!request.checkers) words.emplace_back("--no-checkers");
  add("--cycles", std::to_string(request.cycles));
  add("--seed", std::to_string(request.seed));
  add("--stall", fmt::format("{}", request.stall));
  if (!request.build_dir.empty()) add("--build-dir", request.build_dir);
  return words;
}

int cosim_once(const CosimRequest& request) {
  const StopSignal stop;
  tb::ModelBuilder builder(request.build_dir, [&](const std::string& text) {
    if (!request.quiet) fmt::print(stderr, "weft: {}\n", text);
  });
  const tb::Block& block = tb::find_block(request.block);
  tb::BenchRequest bench;
  bench.block = &block;
  const tb::RtlDesign design = cosim_design(builder, request, bench.shape);
  bench.seed = request.seed;
  bench.cycles = request.cycles;
  bench.stall = request.stall;
  bench.compare = request.compare;
  const auto library = builder.build(design);

  tb::CosimRun run;
  run.block = block.name;
  run.rtl = request.own ? design.top : "built-in";
  run.parameters = parameters_of(block, bench.shape);
  run.seed = request.seed;
  run.stall = request.stall;
  run.compare = request.compare;
  run.model = library->file().parent_path().filename().string();
  CosimRequest alone = request;
  if (!request.own) alone.shape = run.parameters;
  std::vector<std::string> words = cosim_words(alone);
  words.insert(words.begin(), "weft");
  run.replay = tb::shell_words(words);
  DirectoryClaim claim = DirectoryClaim::of(request.out, "cosim-" + block.name);
  const Path out = claim.path();
  try {
    run.result = run_bench(bench, library, std::nullopt, [] {
      if (StopSignal::requested()) throw Interrupted();
    });
  } catch (...) {
    claim.abandon();
    throw;
  }
  if (run.result.first) run.wave = write_waves(builder, design, bench, *run.result.first, out);
  write_output(out / "cosim.json",
               tb::cosim_json(run).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n",
               OutputLinks::kReplace);
  if (!request.quiet) {
    report(run, out);
    if (request.coverage) report_coverage(run.result.bins);
  }
  if (!run.result.first) return kExitOk;
  fmt::print(stderr, "weft: error: {}\n  replay: {}\n", mismatch_text(block.name, run.seed, *run.result.first),
             run.replay);
  return kExitViolation;
}

}  // namespace weft::cli
