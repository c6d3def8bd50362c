// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/rtl_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/scratch_directory.h"
#include "cli/stop_signal.h"
#include "kernel/error.h"
#include "tb/bench/block.h"
#include "tb/bench/switch_speed.h"

namespace weft::cli {
namespace {

using Library = std::shared_ptr<const tb::RtlLibrary>;

constexpr std::uint64_t kLaneCycles = 400'000;
/// Waves and toggles cost a hundred times as much.
constexpr std::uint64_t kFewer = 50;

tb::SwitchShape switch_shape(const RtlBenchRequest& request, std::uint32_t lanes, const tb::Shape& shape) {
  tb::SwitchShape made;
  made.m = request.m;
  made.ports = request.ports;
  made.lanes = lanes;
  made.accumulate_fp32 = request.accumulate_fp32;
  made.circuits = static_cast<int>(shape.at("Circuits"));
  made.configurations = static_cast<std::uint32_t>(shape.at("Configurations"));
  made.buffer_flits = static_cast<std::uint32_t>(shape.at("BufferFlits"));
  made.control_buffer_flits = static_cast<std::uint32_t>(shape.at("ControlBufferFlits"));
  made.output_flits = static_cast<std::uint32_t>(shape.at("OutputFlits"));
  return made;
}

/// The RTL of scripts/lockstep, so that both share what has been built.
tb::RtlDesign design_for(tb::ModelBuilder& builder, const tb::Shape& shape) {
  return tb::without_checkers(tb::design_of(builder, tb::find_block("fred_switch"), shape));
}

class WidthBench {
 public:
  WidthBench(const RtlBenchRequest& request, tb::ModelBuilder& builder, tb::SwitchSpeedBench& bench,
             const std::function<void(const std::string&)>& watch)
      : request_(request), builder_(builder), bench_(bench), watch_(watch) {}

  RtlBenchFigures run(std::uint32_t lanes) {
    shape_ = tb::shape_of(tb::find_block("fred_switch"), {{"M", request_.m},
                                                          {"Ports", request_.ports},
                                                          {"Lanes", lanes},
                                                          {"AccumulateFp32", request_.accumulate_fp32 ? 1 : 0}});
    const tb::SwitchShape shape = switch_shape(request_, lanes, shape_);
    const fred::SwitchSpec spec = tb::speed_spec(shape);
    figures_ = {};
    figures_.lanes = lanes;
    const std::uint64_t cycles =
        request_.cycles > 0 ? request_.cycles : std::max<std::uint64_t>(1000, kLaneCycles / lanes);
    const auto traffic = tb::record_traffic(spec, shape.configurations, request_.seed, cycles);
    figures_.cycles = cycles;
    figures_.flits_per_cycle = static_cast<double>(traffic.flits) / static_cast<double>(cycles);
    figures_.added_per_cycle = static_cast<double>(traffic.added) / static_cast<double>(cycles);
    measure(spec, traffic);
    if (request_.waves || request_.coverage) {
      observe(spec, tb::record_traffic(spec, shape.configurations, request_.seed,
                                       std::max<std::uint64_t>(200, cycles / kFewer)));
    }
    return figures_;
  }

 private:
  void measure(const fred::SwitchSpec& spec, const tb::RecordedTraffic& traffic) {
    const Library library = builder_.build(design_for(builder_, shape_));
    std::vector<tb::SwitchSpeed> runs;
    for (std::size_t i = 0; i < request_.repeats; ++i) {
      say("run", i);
      runs.push_back(bench_.measure(spec, traffic, library));
    }
    const auto median = [&](double tb::SwitchSpeed::*figure) {
      std::vector<double> seconds;
      for (const tb::SwitchSpeed& run : runs) seconds.push_back(run.*figure);
      return median_us(seconds, traffic);
    };
    figures_.bare_us = median(&tb::SwitchSpeed::bare);
    figures_.rtl_us = median(&tb::SwitchSpeed::rtl);
    figures_.model_us = median(&tb::SwitchSpeed::model);
    figures_.lockstep_us = median(&tb::SwitchSpeed::lockstep);
  }

  void observe(const fred::SwitchSpec& spec, const tb::RecordedTraffic& traffic) {
    const ScratchDirectory scratch("bench");
    const auto repeat = [&](const Library& library, const std::optional<std::filesystem::path>& waves) {
      std::vector<double> seconds;
      for (std::size_t i = 0; i < request_.repeats; ++i) {
        say(waves ? "waves" : "observed run", i);
        seconds.push_back(bench_.rtl(spec, traffic, library, waves));
      }
      return median_us(seconds, traffic);
    };
    tb::RtlDesign design = design_for(builder_, shape_);
    if (request_.waves) {
      design.trace = true;
      const Library library = builder_.build(design);
      figures_.waves_off_us = repeat(library, std::nullopt);
      figures_.waves_us = repeat(library, scratch.path() / "rtl.vcd");
      design.trace = false;
    }
    if (request_.coverage) {
      design.coverage = true;
      figures_.coverage_us = repeat(builder_.build(design), std::nullopt);
    }
  }

  static double median_us(std::vector<double> seconds, const tb::RecordedTraffic& traffic) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2] * 1e6 / static_cast<double>(traffic.cycles.size());
  }
  void say(const char* what, std::size_t repeat) const {
    if (StopSignal::requested()) throw Interrupted();
    watch_(fmt::format("{} lanes: {} {} of {}", figures_.lanes, what, repeat + 1, request_.repeats));
  }

  const RtlBenchRequest& request_;
  tb::ModelBuilder& builder_;
  tb::SwitchSpeedBench& bench_;
  const std::function<void(const std::string&)>& watch_;
  tb::Shape shape_;
  RtlBenchFigures figures_;
};

}  // namespace

std::vector<RtlBenchFigures> run_rtl_bench(const RtlBenchRequest& request,
                                           const std::function<void(const std::string&)>& watch) {
  tb::ModelBuilder builder(request.build_dir, watch);
  tb::SwitchSpeedBench bench;
  std::vector<RtlBenchFigures> all;
  for (const std::uint32_t lanes : request.lanes) all.push_back(WidthBench(request, builder, bench, watch).run(lanes));
  return all;
}

void print_rtl_bench(const RtlBenchRequest& request, const std::vector<RtlBenchFigures>& figures, std::ostream& out) {
  out << fmt::format("Fred_{}({}), microseconds of CPU time per cycle\n", request.m, request.ports);
  out << fmt::format("{:>5} {:>7} {:>9} {:>9} | {:>8} {:>8} {:>6} | {:>8} {:>8} {:>8}\n", "lanes", "cycles",
                     "flits/cyc", "added/cyc", "bare", "RTL", "ratio", "model", "compare", "lockstep");
  for (const RtlBenchFigures& f : figures) {
    out << fmt::format("{:>5} {:>7} {:>9.2f} {:>9.2f} | {:>8.2f} {:>8.2f} {:>6.3f} | {:>8.2f} {:>8.2f} {:>8.2f}\n",
                       f.lanes, f.cycles, f.flits_per_cycle, f.added_per_cycle, f.bare_us, f.rtl_us, f.ratio(),
                       f.model_us, f.comparison_us(), f.lockstep_us);
  }
  for (const RtlBenchFigures& f : figures) {
    if (f.waves_us) {
      out << fmt::format("{} lanes, built for waves: {:.2f}, with all of them written: {:.2f}\n", f.lanes,
                         *f.waves_off_us, *f.waves_us);
    }
    if (f.coverage_us) out << fmt::format("{} lanes, lines and toggles counted: {:.2f}\n", f.lanes, *f.coverage_us);
  }
  out << "bare: the Verilated class alone, inputs copied, two evaluations per cycle; RTL: as fabric.model rtl runs it; "
         "lockstep =\nRTL + model + compare; all with the same recorded input; medians of "
      << request.repeats << "\n";
}

nlohmann::ordered_json rtl_bench_json(const std::vector<RtlBenchFigures>& figures) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  for (const RtlBenchFigures& f : figures) {
    list.push_back({{"lanes", f.lanes},
                    {"cycles", f.cycles},
                    {"flits_per_cycle", f.flits_per_cycle},
                    {"added_per_cycle", f.added_per_cycle},
                    {"bare_us", f.bare_us},
                    {"rtl_us", f.rtl_us},
                    {"ratio", f.ratio()},
                    {"model_us", f.model_us},
                    {"comparison_us", f.comparison_us()},
                    {"lockstep_us", f.lockstep_us},
                    {"waves_off_us", or_null(f.waves_off_us)},
                    {"waves_us", or_null(f.waves_us)},
                    {"coverage_us", or_null(f.coverage_us)}});
  }
  return list;
}

}  // namespace weft::cli
