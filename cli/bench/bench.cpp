// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/error.h"
#include "base/output_file.h"
#include "base/scratch_folder.h"
#include "cli/child_process.h"
#include "cli/stop_signal.h"
#include "sc_models/results_units.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

BenchSample parse_sample(const std::string& summary) {
  const auto s = nlohmann::json::parse(summary);
  BenchSample sample;
  s.at("nodes").get_to(sample.nodes);
  s.at("cycles").get_to(sample.cycles);
  s.at("flit_hops").get_to(sample.flit_hops);
  if (s.contains("uswitch_hops")) sample.uswitch_hops = s.at("uswitch_hops").get<std::uint64_t>();
  s.at("cpu_s").get_to(sample.cpu_s);
  s.at("setup_cpu_s").get_to(sample.setup_cpu_s);
  s.at("wall_s").get_to(sample.wall_s);
  s.at("peak_rss_bytes").get_to(sample.peak_rss_bytes);
  return sample;
}

/// Runs `point` once; throws when it fails.
BenchSample run_once(const BenchPoint& point, const std::string& program, const fs::path& scratch) {
  const fs::path config = scratch / "bench.yaml";
  const fs::path errors = scratch / "stderr.txt";
  write_output(config, bench_yaml(point), OutputLinks::kReplace);
  ChildProcesses children;
  children.start({program, "run", config.string(), "--quiet", "--out", (scratch / "out").string()}, errors);
  std::optional<ChildEnd> end;
  while (!end && !StopSignal::requested()) end = children.wait_for_one(std::chrono::milliseconds(200));
  if (!end) throw Interrupted();
  if (end->status != kExitOk) {
    throw std::runtime_error(
        fmt::format("benchmark {} ended with status {}: {}", point.name, end->status, read_all(errors)));
  }
  return parse_sample(read_all(scratch / "out" / "summary.json"));
}

template <typename Value>
Value median(const std::vector<BenchSample>& samples, Value BenchSample::*figure) {
  std::vector<Value> values;
  for (const BenchSample& sample : samples) values.push_back(sample.*figure);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<BenchPoint> chosen_points(const std::string& filter) {
  std::vector<BenchPoint> chosen{bench_points().front()};
  const auto fits = [&](const BenchPoint& point) { return point.name.find(filter) != std::string::npos; };
  const auto begin = bench_points().begin() + 1;
  // A point that another is compared with has to run as well.
  for (auto point = begin; point != bench_points().end(); ++point) {
    const bool needed = std::any_of(begin, bench_points().end(), [&](const BenchPoint& other) {
      return fits(other) && other.compare_wall_with == point->name;
    });
    if (fits(*point) || needed) chosen.push_back(*point);
  }
  if (chosen.size() == 1 && !fits(chosen.front())) {
    std::string names;
    for (const BenchPoint& point : bench_points()) names += (names.empty() ? "" : ", ") + point.name;
    throw InputError(fmt::format("--filter {}: fits no benchmark; there are {}", filter, names));
  }
  return chosen;
}

/// Peak memory of one and the same run differs by less from process to process.
constexpr double kMemoryNoise = 256 * 1024;

/// Fills in what needs another point's figures.
void compare(const BenchPoint& point, BenchFigures& figures, const std::vector<BenchFigures>& earlier) {
  for (const BenchFigures& other : earlier) {
    const double extra =
        static_cast<double>(figures.median.peak_rss_bytes) - static_cast<double>(other.median.peak_rss_bytes);
    if (other.name == bench_points().front().name && figures.median.nodes > 0 && extra >= kMemoryNoise &&
        point.config.empty()) {
      figures.bytes_per_router = extra / static_cast<double>(figures.median.nodes);
    }
    if (other.name != point.compare_wall_with) continue;
    if (other.median.cycles != figures.median.cycles || other.median.flit_hops != figures.median.flit_hops) {
      throw std::runtime_error(fmt::format("benchmark {} has other results than {}", point.name, other.name));
    }
    if (figures.median.wall_s > 0) figures.wall_speedup = other.median.wall_s / figures.median.wall_s;
  }
}

/// All repeats of a point.
BenchFigures run_point(const BenchPoint& point, const BenchRequest& request, const fs::path& scratch,
                       const std::function<void(const std::string&)>& watch) {
  std::vector<BenchSample> samples;
  for (std::size_t i = 0; i < request.repeats; ++i) {
    watch(fmt::format("{}: {} ({} of {})", point.name, point.purpose, i + 1, request.repeats));
    samples.push_back(run_once(point, request.program, scratch));
  }
  return summarise(point, samples);
}

}  // namespace

BenchFigures summarise(const BenchPoint& point, const std::vector<BenchSample>& samples) {
  WEFT_CHECK(!samples.empty(), "a benchmark without samples");
  BenchFigures figures;
  figures.name = point.name;
  figures.repeats = samples.size();
  BenchSample& m = figures.median;
  m.nodes = samples.front().nodes;
  m.cycles = samples.front().cycles;
  m.flit_hops = samples.front().flit_hops;
  m.uswitch_hops = samples.front().uswitch_hops;
  for (const BenchSample& sample : samples) {
    if (sample.cycles != m.cycles || sample.flit_hops != m.flit_hops || sample.uswitch_hops != m.uswitch_hops) {
      throw std::runtime_error(fmt::format("benchmark {}: two repeats differ in cycles or flit-hops", point.name));
    }
  }
  m.cpu_s = median(samples, &BenchSample::cpu_s);
  m.setup_cpu_s = median(samples, &BenchSample::setup_cpu_s);
  m.wall_s = median(samples, &BenchSample::wall_s);
  m.peak_rss_bytes = median(samples, &BenchSample::peak_rss_bytes);
  if (m.cpu_s > 0) {
    figures.flit_hops_per_cpu_s = static_cast<double>(m.flit_hops) / m.cpu_s;
    if (m.uswitch_hops) figures.uswitch_hops_per_cpu_s = static_cast<double>(*m.uswitch_hops) / m.cpu_s;
    figures.router_cycles_per_cpu_s = static_cast<double>(m.nodes) * static_cast<double>(m.cycles) / m.cpu_s;
  }
  return figures;
}

BenchFailure failure_of(const std::string& name, const std::exception& error) {
  int status = kExitInternal;
  if (dynamic_cast<const InputError*>(&error) != nullptr) status = kExitBadInput;
  if (dynamic_cast<const ViolationError*>(&error) != nullptr) status = kExitViolation;
  return {name, error.what(), status};
}

std::size_t run_bench(const BenchRequest& request, const BenchListener<BenchFigures>& listener) {
  const ScratchFolder scratch;
  std::vector<BenchFigures> all;
  std::size_t failed = 0;
  for (const BenchPoint& point : chosen_points(request.filter)) {
    try {
      BenchFigures figures = run_point(point, request, scratch.path(), listener.runs);
      compare(point, figures, all);
      listener.done(figures);
      all.push_back(std::move(figures));
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      ++failed;
      listener.failed(failure_of(point.name, error));
    }
  }
  return failed;
}

void print_bench_head(std::ostream& out) {
  out << fmt::format("{:<28} {:>10} {:>10} {:>10} {:>12} {:>10} {:>9} {:>8} {:>11} {:>9}\n", "point", "M hops/s",
                     "M uh/s", "M rc/s", "bytes/router", "setup s", "cpu s", "wall s", "peak RSS", "speed-up")
      << std::flush;
}

void print_bench(const BenchFigures& f, std::ostream& out) {
  out << fmt::format("{:<28} {:>10.3f} {:>10} {:>10.2f} {:>12} {:>10.3f} {:>9.3f} {:>8.3f} {:>11} {:>9}\n", f.name,
                     f.flit_hops_per_cpu_s / 1e6,
                     f.uswitch_hops_per_cpu_s ? fmt::format("{:.3f}", *f.uswitch_hops_per_cpu_s / 1e6) : "-",
                     f.router_cycles_per_cpu_s / 1e6,
                     f.bytes_per_router ? fmt::format("{:.0f}", *f.bytes_per_router) : "-", f.median.setup_cpu_s,
                     f.median.cpu_s, f.median.wall_s, sc_models::readable_bytes(f.median.peak_rss_bytes),
                     f.wall_speedup ? fmt::format("{:.2f}", *f.wall_speedup) : "-")
      << std::flush;
}

void print_bench_legend(const BenchRequest& request, std::ostream& out) {
  out << "hops/s: flits times routers or chiplets visited per CPU second of the simulation loop; uh/s: the same with "
         "uSwitches;\nrc/s: routers (NPUs at FRED switches) times cycles per CPU second; bytes/router: peak RSS above "
         "that of 1x1, where it is more than noise; speed-up: in wall time, "
         "against one "
         "thread;\nmedians of "
      << request.repeats << "\n";
}

nlohmann::ordered_json bench_json(const BenchFigures& f) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  return {{"name", f.name},
          {"repeats", f.repeats},
          {"nodes", f.median.nodes},
          {"cycles", f.median.cycles},
          {"flit_hops", f.median.flit_hops},
          {"flit_hops_per_cpu_s", f.flit_hops_per_cpu_s},
          {"uswitch_hops_per_cpu_s", or_null(f.uswitch_hops_per_cpu_s)},
          {"router_cycles_per_cpu_s", f.router_cycles_per_cpu_s},
          {"bytes_per_router", or_null(f.bytes_per_router)},
          {"wall_speedup", or_null(f.wall_speedup)},
          {"cpu_s", f.median.cpu_s},
          {"setup_cpu_s", f.median.setup_cpu_s},
          {"wall_s", f.median.wall_s},
          {"peak_rss_bytes", f.median.peak_rss_bytes}};
}

nlohmann::ordered_json bench_json(const std::vector<BenchFailure>& failures) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const BenchFailure& each : failures) list.push_back({{"name", each.name}, {"error", each.what}});
  return list;
}

}  // namespace weft::cli
