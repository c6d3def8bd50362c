// SPDX-License-Identifier: Apache-2.0
#include "kernel/config_check.h"

#include <fmt/format.h>

#include <ostream>

#include "kernel/config_names.h"
#include "kernel/link_budget.h"
#include "kernel/rational_math.h"
#include "kernel/units.h"

namespace weft {
namespace {

std::string rate_text(Rational rate) {
  const std::string exact = to_text(rate);
  return exact.size() <= 12 ? exact : fmt::format("{:.6g}", rate.value());
}

std::string describe_link(const LinkSpec& link, const Config& config) {
  const Rational bandwidth = bandwidth_of(link.flits_per_cycle, config.fabric.flit_bytes, config.clock.hertz);
  return fmt::format("{} = {} flits/cycle, latency {} cycle{}", format_quantity(bandwidth, Dimension::kBandwidth),
                     rate_text(link.flits_per_cycle), link.latency_cycles, link.latency_cycles == 1 ? "" : "s");
}

std::string describe_collective(const CollectiveSpec& spec, std::size_t ranks) {
  return fmt::format("{} of {} over {} ranks, algorithm {}, {} chunk{}", name_of(spec.kind),
                     format_quantity(Rational{spec.bytes, 1}, Dimension::kBytes),
                     spec.group.empty() ? ranks : spec.group.size(), spec.algorithm, spec.chunks,
                     spec.chunks == 1 ? "" : "s");
}

std::string describe_workload(const Config& config) {
  if (const auto* traffic = std::get_if<TrafficWorkload>(&config.workload))
    return fmt::format("traffic {}, {} flits per node and cycle, packets of {} flits", traffic->pattern, traffic->rate,
                       traffic->packet_flits);
  if (const auto* collective = std::get_if<CollectiveWorkload>(&config.workload))
    return describe_collective(collective->collective, config.npu.placement.size());
  const auto& trace = std::get<TraceWorkload>(config.workload);
  return fmt::format("trace {}.*.et, algorithm {}", trace.chakra, trace.collective.algorithm);
}

void print_summary(const Config& config, std::ostream& out) {
  const FabricSpec& fabric = config.fabric;
  out << fmt::format("system     {}\n", config.name);
  out << fmt::format("fabric     {} {} x {}, routing {}, flits of {} B, clock {}\n", name_of(fabric.kind),
                     fabric.size_x, fabric.size_y, fabric.routing, fabric.flit_bytes,
                     format_quantity(config.clock.hertz, Dimension::kFrequency));
  out << fmt::format("link       {}\n", describe_link(fabric.link, config));
  out << fmt::format("local      {}\n", describe_link(fabric.local, config));
  out << fmt::format("router     {} VCs x {} flits, credit_delay {}\n", fabric.router.vcs, fabric.router.buffer_flits,
                     fabric.router.credit_delay);
  out << fmt::format("workload   {}\n", describe_workload(config));
}

/// "3.2 k", "12 M": three digits are more than an estimate is worth.
std::string short_number(double value) {
  constexpr const char* kSteps[] = {"", " k", " M", " G", " T", " P"};
  int step = 0;
  while (value >= 1000 && step < 5) {
    value /= 1000;
    ++step;
  }
  return fmt::format("{:.3g}{}", value, kSteps[step]);
}

void print_estimate(const Config& config, const RunEstimate& estimate, std::ostream& out) {
  if (estimate.flit_hops) {
    out << fmt::format("estimate   {} flits = {}\n", short_number(*estimate.flits), estimate.formula);
    out << fmt::format("           {} flit-hops = flits x {:.3g} routers on the way\n",
                       short_number(*estimate.flit_hops), estimate.average_hops);
    const bool is_traffic = std::holds_alternative<TrafficWorkload>(config.workload);
    if (estimate.cycles)
      out << fmt::format("           {} {} cycles of simulated time\n", is_traffic ? "about" : "at least",
                         short_number(*estimate.cycles));
    out << fmt::format("           about {:.2g} s of CPU time = flit-hops / {} per second + {} nodes x {:g} us\n",
                       *estimate.cpu_seconds, short_number(kFlitHopsPerSecond), config.fabric.nodes(),
                       kSetupSecondsPerNode * 1e6);
  } else {
    out << "estimate   flit-hops and time depend on the trace; `weft trace info` says what it holds\n";
  }
  out << fmt::format(
      "           about {} bytes of memory = {} + {} nodes x ({:g} + 5 ports x {} VCs x ({:g} + {:g} x {} "
      "flits))\n",
      short_number(estimate.memory_bytes), short_number(kBaseBytes), config.fabric.nodes(), kBytesPerNode,
      config.fabric.router.vcs, kBytesPerVc, kBytesPerBufferedFlit, config.fabric.router.buffer_flits);
}

}  // namespace

std::vector<std::string> config_warnings(const Config& config) {
  std::vector<std::string> warnings;
  const RouterSpec& router = config.fabric.router;
  for (const LinkBudget& budget : link_budgets(config)) {
    if (!budget.is_starved()) continue;
    const std::string vcs = budget.set_up ? "1 colour"
                            : budget.vcs == router.vcs
                                ? fmt::format("{} VCs", router.vcs)
                                : fmt::format("{} of {} VCs that one packet may use,", budget.vcs, router.vcs);
    warnings.push_back(fmt::format(
        "{} is credit-starved: {} flits of buffer ({} x {}) are below rate x round trip = {} x {} cycles = {} "
        "flits; it carries at most {:.4g} flits per cycle",
        budget.link + (budget.set_up ? " on a set-up route" : ""), budget.buffer_flits, vcs, router.buffer_flits,
        rate_text(budget.rate), budget.round_trip, rate_text(budget.needed_flits),
        budget.carried_by(budget.buffer_flits)));
  }
  const auto* traffic = std::get_if<TrafficWorkload>(&config.workload);
  const double local = config.fabric.local.flits_per_cycle.value();
  if (traffic != nullptr && traffic->rate > local)
    warnings.push_back(
        fmt::format("workload.traffic.rate {} is more than fabric.local carries, {} flits per cycle: "
                    "the run will be saturated",
                    traffic->rate, rate_text(config.fabric.local.flits_per_cycle)));
  if (config.waves.file.empty() && (!config.waves.scope.empty() || config.waves.to_ns >= 0 || config.waves.from_ns > 0))
    warnings.emplace_back("waves has a scope or window but no file: nothing is recorded");
  return warnings;
}

int check_config(const Config& config, std::ostream& out, const std::optional<TraceVolume>& trace) {
  print_summary(config, out);
  print_estimate(config, estimate_run(config, trace), out);
  const std::vector<std::string> warnings = config_warnings(config);
  for (const std::string& warning : warnings) out << "warning: " << warning << '\n';
  return static_cast<int>(warnings.size());
}

}  // namespace weft
