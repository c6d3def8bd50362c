// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/check_text.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <ostream>

#include "base/counted.h"
#include "base/error.h"
#include "base/units.h"
#include "config/check.h"
#include "config/chunks.h"
#include "config/fabric_facts.h"
#include "config/names.h"
#include "config/parallel_groups.h"
#include "npu/player/group_table.h"
#include "npu/player/workload_check.h"
#include "sc_models/takes_part.h"

namespace weft::runs {
namespace {

std::string bytes_text(std::uint64_t bytes) { return format_quantity(Rational{bytes, 1}, Dimension::kBytes); }

std::string describe_collective(const CollectiveWorkload& workload, std::size_t ranks) {
  const CollectiveSpec& spec = workload.collective;
  std::string who = fmt::format("{} ranks", spec.group.empty() ? ranks : spec.group.size());
  const auto groups = groups_of_phase(workload);
  if (!groups.empty()) {
    who = fmt::format("{} {} groups of {} ranks", groups.size(), name_of(workload.phase), groups.front().size());
  }
  return fmt::format("{} of {} over {}, algorithm {}, {}", name_of(spec.kind), bytes_text(spec.bytes), who,
                     spec.algorithm, counted(chunks_of(spec, spec.bytes), "chunk"));
}

std::string describe_workload(const Config& config) {
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload))
    return fmt::format("traffic {}, {} flits per node and cycle, packets of {}", traffic->pattern, traffic->rate,
                       counted(traffic->packet_flits, "flit"));
  if (const auto* collective = std::get_if<CollectiveWorkload>(&config.workload))
    return describe_collective(*collective, config.npu.placement.size());
  if (const auto* io = std::get_if<IoWorkload>(&config.workload))
    return fmt::format("a stream of {} from each I/O controller to all NPUs", bytes_text(io->bytes));
  const auto& trace = std::get<TraceWorkload>(config.workload);
  return fmt::format("trace {}.*.et, algorithm {}", trace.chakra, trace.collective.algorithm);
}

void print_memory(const Config& config, std::ostream& out) {
  const MemorySpec& memory = config.memory;
  if (!memory.timing.empty())
    out << fmt::format("memory     DRAM of each NPU: {}, {} messages\n", memory.timing,
                       memory.messages ? "shared with" : "not used by");
  if (memory.tensors == TensorMemory::kIo)
    out << fmt::format("memory     loads and stores over the I/O controllers, {} pieces of {} each, {}\n",
                       memory.pieces, bytes_text(memory.piece),
                       memory.pool.empty() ? fmt::format("latency {} cycles", memory.latency_cycles)
                                           : fmt::format("from the pool of {}", memory.pool));
  if (memory.tensors == TensorMemory::kRemote)
    out << fmt::format("memory     loads and stores take the times of {}\n", memory.remote);
}

// Which training phases a trace's groups have decides their traffic classes.
void print_phases(const Config& config, std::ostream& out) {
  const auto* trace = std::get_if<TraceWorkload>(&config.workload);
  if (trace == nullptr || trace->groups.empty() || interface_facts(config.fabric).entry != Entry::kSwitches) return;
  std::map<std::string, int> groups;
  const npu::GroupTable table = npu::groups_of_trace(*trace);
  for (const npu::ProcessGroup* group : table.by_number()) {
    if (group->number != 0)
      ++groups[group->phase ? fmt::format("of {}", name_of(*group->phase)) : "whose place decides"];
  }
  std::string text;
  for (const auto& [phase, count] : groups)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counted(count, "group"), phase);
  if (!text.empty()) out << fmt::format("phases     {}\n", text);
}

void print_settings(const Config& config, const fred::MemoryNeed& need, std::ostream& out) {
  const Cycle reload = config.fabric.fred.reload_cycles;
  out << fmt::format("settings   {} in {}, whose memory of {} holds {} of {} bits{}\n", need.most, need.where,
                     bytes_text(need.memory_bytes), need.capacity, need.bits,
                     need.excess() > 0 && reload > 0 ? fmt::format("; each load of one takes {} cycles", reload) : "");
}

void require_room(const Config& config, const fred::MemoryNeed& need) {
  const bool reloads = config.fabric.fred.reload_cycles > 0 && need.capacity > 0;
  if (need.excess() == 0 || reloads) return;
  throw InputError(fmt::format(
      "fabric.setting_memory: {} of {} stored settings have no room in {}; legal: {} or more, or fabric.reload_cycles "
      "above 0 and room for one",
      need.excess(), need.most, need.where, bytes_text(need.wanted_bytes())));
}

// Which cycles a run need not simulate. What blocks of the system have against it is said by the run.
void print_fast_forward(const Config& config, std::ostream& out) {
  const FastForwardMode mode = config.run.fast_forward;
  if (std::holds_alternative<TrafficWorkload>(config.workload) || mode == FastForwardMode::kOff) return;
  const std::string reason = sc_models::why_nothing_repeats(config);
  out << fmt::format("cycles     run.fast_forward: {} {}\n", name_of(mode),
                     !reason.empty()                   ? "leaves out none: " + reason
                     : sc_models::takes_steady(config) ? "approximates: messages go on at rates that were measured"
                                                       : "may leave out those that are copies of earlier ones");
}

void print_summary(const Config& config, const sc_models::FabricSketch& sketch, std::ostream& out) {
  out << fmt::format("system     {}\n", config.name);
  out << fmt::format("fabric     {}{}", sketch.network().summary(), sketch.text(config));
  print_memory(config, out);
  out << fmt::format("workload   {}\n", describe_workload(config));
  print_phases(config, out);
  print_fast_forward(config, out);
}

void print_sent(const Config& config, const sc_models::FabricSketch& sketch, const RunEstimate& estimate,
                std::ostream& out) {
  const SentVolume& sent = *estimate.sent;
  const bool is_traffic = std::holds_alternative<TrafficWorkload>(config.workload);
  out << fmt::format("estimate   {} flits = {}\n", short_number(sent.flits), estimate.formula);
  out << fmt::format("           {} flit-hops = flits x {:.3g} {} on the way{}\n", short_number(sent.flit_hops),
                     sent.flits > 0 ? sent.flit_hops / sent.flits : 0, sketch.hop_name(),
                     sent.sampled && !is_traffic ? ", counted at some of the ranks" : "");
  if (estimate.cycles)
    out << fmt::format("           {} {} cycles of simulated time\n", is_traffic ? "about" : "at least",
                       short_number(*estimate.cycles));
  if (estimate.dram_bursts > 0)
    out << fmt::format("           {} bursts of DRAM\n", short_number(estimate.dram_bursts));
  out << fmt::format("           about {:.2g} s of CPU time = {}\n", estimate.cpu.seconds, estimate.cpu.formula);
}

}  // namespace

int check_config(const Config& config, const sc_models::FabricSketch& sketch, const RunEstimate& estimate,
                 std::ostream& out) {
  print_summary(config, sketch, out);
  const std::optional<fred::MemoryNeed> settings = sketch.setting_need();
  if (settings) print_settings(config, *settings, out);
  if (estimate.sent) {
    print_sent(config, sketch, estimate, out);
  } else {
    out << "estimate   flit-hops and time depend on the trace; `weft trace info` says what it holds\n";
  }
  out << fmt::format("           about {} bytes of memory = {}\n", short_number(estimate.memory.bytes),
                     estimate.memory.formula);
  const std::vector<std::string> warnings = config_warnings(config);
  for (const std::string& warning : warnings) out << "warning: " << warning << '\n';
  if (settings) require_room(config, *settings);
  return static_cast<int>(warnings.size());
}

}  // namespace weft::runs
