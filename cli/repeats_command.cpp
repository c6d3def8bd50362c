// SPDX-License-Identifier: Apache-2.0
// The command line of `weft repeats`: how much of a run is a copy of what was there before.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/checked_config.h"
#include "cli/commands.h"
#include "cli/name_option.h"
#include "cli/progress_line.h"
#include "cli/stop_signal.h"
#include "log/repeats.h"
#include "network/network.h"
#include "runs/run.h"
#include "runs/summary.h"
#include "sc_models/fabric_kinds.h"

namespace weft::cli {
namespace {

/// What a fabric is divided into.
enum class Division { kWhole, kRow, kColumn, kPlane };

const NameTable<Division> kDivisions{
    {"whole", Division::kWhole}, {"row", Division::kRow}, {"column", Division::kColumn}, {"plane", Division::kPlane}};

struct RepeatsOptions {
  std::string config;
  std::vector<std::string> settings;
  std::string by = "whole";
  std::uint64_t window = 256;
};

/// Names of parts, and the part of each link.
struct Parts {
  std::vector<std::string> names;
  std::vector<std::uint32_t> part_of;
};

/// The number of the part that a link lies in, -1 if it lies in none.
int number_of(const network::LinkParts& parts, Division by) {
  switch (by) {
    case Division::kRow:
      return parts.row;
    case Division::kColumn:
      return parts.column;
    case Division::kPlane:
      return parts.plane;
    case Division::kWhole:
      return 0;
  }
  violation("a division without numbers");
}

/// The part of each link. What lies in none, because it leads from one to another, is in the last one, `between`.
Parts divide(const network::Network& network, const std::string& by) {
  const Division division = enum_of("--by", by, kDivisions);
  std::vector<int> numbers;
  for (std::size_t i = 0; i < network.links(); ++i)
    numbers.push_back(number_of(network.link(LinkId{static_cast<std::uint32_t>(i)}).parts, division));
  const int last = numbers.empty() ? -1 : *std::max_element(numbers.begin(), numbers.end());
  if (last < 0) throw InputError(fmt::format("--by {0}: a fabric of this kind has no {0}s; legal: whole", by));
  Parts parts;
  for (int number = 0; number <= last; ++number)
    parts.names.push_back(division == Division::kWhole ? by : fmt::format("{} {}", by, number));
  parts.names.emplace_back("between");
  for (const int number : numbers) parts.part_of.push_back(static_cast<std::uint32_t>(number < 0 ? last + 1 : number));
  return parts;
}

/// What comes out of a switch is the same with the model and with its RTL, which takes a hundred times as long.
void require_models(const FabricSpec& fabric) {
  for (const FredLevelSpec& level : fabric.fred.levels) {
    if (level.model == "tlm") continue;
    throw InputError(fmt::format("fabric.model: weft repeats runs no switches of model '{}'; legal: tlm", level.model));
  }
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string row_of(const std::string& name, const log::RepeatedShare& share) {
  const log::Stretch& longest = share.longest;
  const std::string text =
      longest.period == 0
          ? "-"
          : fmt::format("{} x {:.1f} from {}", longest.period,
                        static_cast<double>(longest.length) / static_cast<double>(longest.period), longest.start);
  return fmt::format("{:12} {:>12} {:>7.1f}% {:>7.1f}% {:>7.1f}% {:>7.1f}% {:>10}  {}\n", name, share.flits,
                     percent(share.periodic_cycles, share.cycles), percent(share.periodic_flits, share.flits),
                     percent(share.apart_cycles, share.cycles), percent(share.apart_flits, share.flits),
                     share.stretches, text);
}

void print(const Parts& parts, const log::EventTracks& tracks, const RepeatsOptions& options, std::ostream& out) {
  out << fmt::format("{:12} {:>12} {:>17} {:>17} {:>10}  {}\n", "", "", "periodic", "copies apart", "",
                     "longest periodic:");
  out << fmt::format("{:12} {:>12} {:>8} {:>8} {:>8} {:>8} {:>10}  {}\n", "part", "flits", "cycles", "flits", "cycles",
                     "flits", "stretches", "period x times");
  log::RepeatedShare sum;
  for (std::size_t part = 0; part < parts.names.size(); ++part) {
    const log::EventTrack& track = tracks.tracks()[part];
    const std::vector<log::Stretch> stretches = log::find_stretches(track, options.window);
    log::RepeatedShare share;
    share.add(track, stretches);
    sum.add(track, stretches);
    if (share.flits > 0) out << row_of(parts.names[part], share);
  }
  if (options.by != "whole") out << row_of("all parts", sum);
}

int repeats(const RepeatsOptions& options) {
  std::vector<std::string> settings = options.settings;
  settings.emplace_back("log.level=off");
  Config config = load_checked(options.config, settings);
  config.waves = WavesSpec{};
  require_models(config.fabric);
  const Parts parts = divide(*sc_models::make_network(config), options.by);
  log::EventTracks tracks(parts.part_of, parts.names.size());
  runs::RunControl control;
  const StopSignal stop(&control);
  ProgressLine line;
  const auto start = std::chrono::steady_clock::now();
  const auto show = [&](const runs::RunProgress& progress) {
    line.show(progress_text(progress, config.clock, std::chrono::steady_clock::now() - start));
  };
  if (on_terminal()) control.on_progress(show, std::chrono::milliseconds(200));
  runs::RunSetup setup;
  setup.listener = &tracks;
  const runs::RunResult result = runs::run(config, control, setup);
  line.clear();
  if (result.stop == runs::StopReason::kBadInput) throw InputError(result.stop_text);
  if (result.stop == runs::StopReason::kViolation) throw ViolationError(result.stop_text);
  std::cout << fmt::format("{}: {}, {} cycles, {} flit-hops; copies of {} cycles and more\n", config.name,
                           runs::stop_name(result.stop), result.cycles, result.flit_hops, options.window);
  print(parts, tracks, options, std::cout);
  if (result.stop == runs::StopReason::kInterrupted) return StopSignal::status();
  return result.stop == runs::StopReason::kCycleLimit ? kExitLimit : kExitOk;
}

}  // namespace

void add_repeats_command(const Command& app, int& status) {
  const Command command = app.subcommand("repeats", "Run, and say how much of it is a copy of what was there before");
  auto options = std::make_shared<RepeatsOptions>();
  add_config_argument(command, options->config);
  add_set_option(command, options->settings, "override one key of the configuration; may be repeated");
  command.option("--by", options->by, "whole, row, column or plane: parts that are looked at by themselves")
      .show_default();
  command.option("--window", options->window, "cycles that must be alike before a copy counts")
      .range(std::uint64_t{1}, std::uint64_t{1} << 32)
      .show_default();
  command.footer(R"(Examples:
  weft repeats configs/fred-d.yaml --set workload.collective.size="8 MiB"
  weft repeats configs/wse-reduce.yaml --by row --set fabric.size=[16,16]
Compares flits and credits on links cycle by cycle, without names of packets. Periodic stretches follow directly on what
they copy; other copies lie apart. What happens inside of NPUs and switches is not compared, so not every copy could be
skipped. Exit status 4 where limits.cycles ends the run.)");
  command.action([options, &status] { status = repeats(*options); });
}

}  // namespace weft::cli
