// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/rtl_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/scratch_folder.h"
#include "cli/stop_signal.h"
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
  made.traffic_classes = static_cast<int>(shape.at("TrafficClasses"));
  made.settings = static_cast<std::uint32_t>(shape.at("StoredSettings"));
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
    const auto traffic = tb::record_traffic(spec, shape.settings, request_.seed, cycles);
    figures_.cycles = cycles;
    figures_.flits_per_cycle = static_cast<double>(traffic.flits) / static_cast<double>(cycles);
    figures_.added_per_cycle = static_cast<double>(traffic.added) / static_cast<double>(cycles);
    measure(spec, traffic);
    if (request_.waves || request_.coverage) {
      observe(spec,
              tb::record_traffic(spec, shape.settings, request_.seed, std::max<std::uint64_t>(200, cycles / kFewer)));
    }
    return figures_;
  }

 private:
  using Runs = std::vector<tb::SwitchSpeed>;

  void measure(const fred::SwitchSpec& spec, const tb::RecordedTraffic& traffic) {
    const Library library = builder_.build(design_for(builder_, shape_));
    const Runs runs = repeat("run", [&] { return bench_.measure(spec, traffic, library); });
    figures_.bare_us = median_us(runs, &tb::SwitchSpeed::bare, traffic);
    figures_.rtl_us = median_us(runs, &tb::SwitchSpeed::rtl, traffic);
    figures_.model_us = median_us(runs, &tb::SwitchSpeed::model, traffic);
    figures_.lockstep_us = median_us(runs, &tb::SwitchSpeed::lockstep, traffic);
  }

  void observe(const fred::SwitchSpec& spec, const tb::RecordedTraffic& traffic) {
    const ScratchFolder scratch;
    const auto observed = [&](const char* what, const Library& library,
                              const std::optional<std::filesystem::path>& waves) {
      const Runs runs = repeat(what, [&] { return bench_.measure_rtl(spec, traffic, library, waves); });
      return RtlBenchFigures::Observed{traffic.cycles.size(), median_us(runs, &tb::SwitchSpeed::bare, traffic),
                                       median_us(runs, &tb::SwitchSpeed::rtl, traffic)};
    };
    tb::RtlDesign design = design_for(builder_, shape_);
    if (request_.waves) {
      design.trace = true;
      const Library library = builder_.build(design);
      figures_.waves_off = observed("run of RTL built for waves", library, std::nullopt);
      figures_.waves = observed("run with waves", library, scratch.path() / "rtl.vcd");
      design.trace = false;
    }
    if (request_.coverage) {
      design.coverage = true;
      figures_.coverage = observed("run with coverage", builder_.build(design), std::nullopt);
    }
  }

  template <typename Run>
  Runs repeat(const char* what, const Run& run) const {
    Runs runs;
    for (std::size_t i = 0; i < request_.repeats; ++i) {
      if (StopSignal::requested()) throw Interrupted();
      watch_(fmt::format("{} lanes: {} {} of {}", figures_.lanes, what, i + 1, request_.repeats));
      runs.push_back(run());
    }
    return runs;
  }

  static double median_us(const Runs& runs, double tb::SwitchSpeed::*figure, const tb::RecordedTraffic& traffic) {
    std::vector<double> seconds;
    for (const tb::SwitchSpeed& run : runs) seconds.push_back(run.*figure);
    std::sort(seconds.begin(), seconds.end());
    return seconds[seconds.size() / 2] * 1e6 / static_cast<double>(traffic.cycles.size());
  }

  const RtlBenchRequest& request_;
  tb::ModelBuilder& builder_;
  tb::SwitchSpeedBench& bench_;
  const std::function<void(const std::string&)>& watch_;
  tb::Shape shape_;
  RtlBenchFigures figures_;
};

}  // namespace

std::size_t run_rtl_bench(const RtlBenchRequest& request, const BenchListener<RtlBenchFigures>& listener) {
  tb::ModelBuilder builder(request.build_dir, listener.runs);
  tb::SwitchSpeedBench bench;
  std::size_t failed = 0;
  for (const std::uint32_t lanes : request.lanes) {
    try {
      listener.done(WidthBench(request, builder, bench, listener.runs).run(lanes));
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      ++failed;
      listener.failed(failure_of(fmt::format("Fred_{}({}), {} lanes", request.m, request.ports, lanes), error));
    }
  }
  return failed;
}

void print_rtl_bench_head(const RtlBenchRequest& request, std::ostream& out) {
  out << fmt::format("Fred_{}({}), microseconds of CPU time per cycle\n", request.m, request.ports);
  out << fmt::format("{:>5} {:>7} {:>9} {:>9} | {:>8} {:>8} {:>6} | {:>8} {:>8} {:>8}\n", "lanes", "cycles",
                     "flits/cyc", "added/cyc", "bare", "RTL", "ratio", "model", "compare", "lockstep")
      << std::flush;
}

void print_rtl_bench(const RtlBenchFigures& f, std::ostream& out) {
  out << fmt::format("{:>5} {:>7} {:>9.2f} {:>9.2f} | {:>8.2f} {:>8.2f} {:>6.3f} | {:>8.2f} {:>8.2f} {:>8.2f}\n",
                     f.lanes, f.cycles, f.flits_per_cycle, f.added_per_cycle, f.bare_us, f.rtl_us, f.ratio(),
                     f.model_us, f.comparison_us(), f.lockstep_us);
  for (const auto& [name, observed] :
       {std::pair{"built for waves", &f.waves_off}, {"waves written", &f.waves}, {"coverage", &f.coverage}}) {
    if (!*observed) continue;
    const RtlBenchFigures::Observed& o = **observed;
    out << fmt::format("{:>5} {:>7} {:>19} | {:>8.2f} {:>8.2f} {:>6.3f} |\n", f.lanes, o.cycles, name, o.bare_us,
                       o.rtl_us, o.ratio());
  }
  out << std::flush;
}

void print_rtl_bench_legend(const RtlBenchRequest& request, std::ostream& out) {
  out << "bare: the Verilated class alone, inputs copied, two evaluations per cycle; RTL: as fabric.model rtl runs it; "
         "lockstep =\nRTL + model + compare; all with the same recorded input; waves written: all of them, by both; "
         "coverage: both count\nlines and toggles; medians of "
      << request.repeats << "\n";
}

nlohmann::ordered_json rtl_bench_json(const RtlBenchFigures& f) {
  const auto observed = [](const std::optional<RtlBenchFigures::Observed>& o) {
    if (!o) return nlohmann::ordered_json(nullptr);
    return nlohmann::ordered_json{
        {"cycles", o->cycles}, {"bare_us", o->bare_us}, {"rtl_us", o->rtl_us}, {"ratio", o->ratio()}};
  };
  return {{"lanes", f.lanes},
          {"cycles", f.cycles},
          {"flits_per_cycle", f.flits_per_cycle},
          {"added_per_cycle", f.added_per_cycle},
          {"bare_us", f.bare_us},
          {"rtl_us", f.rtl_us},
          {"ratio", f.ratio()},
          {"model_us", f.model_us},
          {"comparison_us", f.comparison_us()},
          {"lockstep_us", f.lockstep_us},
          {"waves_off", observed(f.waves_off)},
          {"waves", observed(f.waves)},
          {"coverage", observed(f.coverage)}};
}

}  // namespace weft::cli
