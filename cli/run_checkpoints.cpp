// SPDX-License-Identifier: Apache-2.0
#include "cli/run_checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "base/whole_number.h"
#include "cli/decimal.h"
#include "cli/input_fingerprint.h"
#include "config/load.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// What `every` means in milliseconds.
std::chrono::milliseconds wall_time(const std::string& text) {
  struct Unit {
    const char* name;
    double ms;
  };
  static constexpr std::array kUnits{Unit{"ms", 1}, Unit{"s", 1e3}, Unit{"min", 60e3}, Unit{"h", 3600e3}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::optional<Decimal> number = Decimal::parse(std::string_view(text).substr(0, digits));
  std::string unit = text.substr(digits);
  unit.erase(0, unit.find_first_not_of(' '));
  const auto known = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& each) { return unit == each.name; });
  const double ms = number && known != kUnits.end() ? number->value() * known->ms : 0;
  constexpr double kMostMs = 1e12;
  if (ms < 1 || ms > kMostMs) {
    throw InputError(fmt::format("--checkpoint every {}: a time such as 500ms, 30s, 10min or 2h is legal", text));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(ms));
}

Cycle cycle_of(const std::string& text, const ClockSpec& clock) {
  std::uint64_t cycle = 0;
  if (parse_whole(text, cycle)) return cycle;
  try {
    return cycles_of(parse_quantity(text, Dimension::kDuration), clock.hertz);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--checkpoint at {}: a cycle or a simulated time is legal: {}", text, error.what()));
  }
}

}  // namespace

CheckpointWish read_checkpoint_wish(const std::vector<std::string>& words, const ClockSpec& clock) {
  CheckpointWish wish;
  constexpr const char* kLegal = "`every TIME` and `at TIME` are legal, such as `--checkpoint every 10min`";
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i] != "every" && words[i] != "at") {
      const std::string_view nearest = nearest_name(words[i], {"every", "at"});
      throw InputError(
          fmt::format("--checkpoint {}: {}{}{}", words[i], kLegal, nearest.empty() ? "" : "; nearest: ", nearest));
    }
    if (i + 1 == words.size())
      throw InputError(fmt::format("--checkpoint {}: the time is missing; {}", words[i], kLegal));
    if (words[i] == "every") {
      wish.every = wall_time(words[i + 1]);
    } else {
      wish.at.push_back(cycle_of(words[i + 1], clock));
    }
  }
  std::sort(wish.at.begin(), wish.at.end());
  return wish;
}

void refuse_checkpoints(const Config& config, const CheckpointWish& wish, const std::string& out) {
  const std::string why = wish.any() ? runs::why_no_checkpoint(config) : "";
  if (!why.empty()) throw InputError("--checkpoint: no checkpoint of this run: " + why);
  const fs::path path = fs::path(out) / runs::kCheckpointFile;
  if (out.empty() || !fs::exists(path)) return;
  throw InputError(
      fmt::format("--out {}: a run that has not ended has left a checkpoint there; `weft resume {}` goes "
                  "on with it; to begin anew, remove {}",
                  out, out, path.string()));
}

CheckpointKeeper::CheckpointKeeper(const Config& config, const CheckpointWish& wish, const fs::path& out)
    : path_(out / runs::kCheckpointFile) {
  file_.config = to_yaml(config);
  file_.folder = fs::current_path().string();
  file_.inputs = input_fingerprint(config);
  file_.every_ms = static_cast<std::uint64_t>(wish.every.count());
  file_.at = wish.at;
  file_.write(path_);
  set_up();
}

CheckpointKeeper::CheckpointKeeper(runs::CheckpointFile from, const Config& config, const CheckpointWish& wish,
                                   const fs::path& out)
    : path_(out / runs::kCheckpointFile),
      file_(std::move(from)),
      earlier_cpu_s_(file_.cpu_s),
      earlier_wall_s_(file_.wall_s) {
  file_.config = to_yaml(config);
  if (wish.any()) {
    file_.every_ms = static_cast<std::uint64_t>(wish.every.count());
    file_.at = wish.at;
  }
  setup_.resume_from = std::move(file_.state);
  set_up();
}

void CheckpointKeeper::set_up() {
  setup_.write = [this](std::string state, Cycle now, double cpu_s, double wall_s) {
    write(std::move(state), now, cpu_s, wall_s);
  };
}

void CheckpointKeeper::tell(sc_models::RunControl& control) const {
  std::vector<Cycle> at;
  const auto comes = [this](Cycle cycle) { return setup_.resume_from.empty() || cycle > file_.cycle; };
  std::copy_if(file_.at.begin(), file_.at.end(), std::back_inserter(at), comes);
  control.want_checkpoints(std::chrono::milliseconds(file_.every_ms), std::move(at));
}

// A checkpoint that cannot be written is no reason to end the run.
void CheckpointKeeper::write(std::string state, Cycle now, double cpu_s, double wall_s) {
  file_.state = std::move(state);
  file_.cycle = now;
  file_.cpu_s = earlier_cpu_s_ + cpu_s;
  file_.wall_s = earlier_wall_s_ + wall_s;
  try {
    file_.write(path_);
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft: warning: no checkpoint of cycle {}: {}\n", now, error.what());
  }
  file_.state.clear();
}

void CheckpointKeeper::add_cost(sc_models::RunResult* result) const {
  result->cpu_s += earlier_cpu_s_;
  result->wall_s += earlier_wall_s_;
}

void CheckpointKeeper::end(sc_models::StopReason stop, Cycle cycles) const {
  const auto late = std::upper_bound(file_.at.begin(), file_.at.end(), cycles);
  if (late != file_.at.end() && stop == sc_models::StopReason::kFinished) {
    fmt::print(stderr, "weft: warning: --checkpoint at {}: the run has ended before, at cycle {}\n", *late, cycles);
  }
  const bool has_limit = stop == sc_models::StopReason::kCycleLimit;
  if (!has_limit && stop != sc_models::StopReason::kInterrupted) return remove();
  fmt::print(stderr, "weft: `weft resume {}{}` goes on with it{}\n", path_.parent_path().string(),
             has_limit ? " --set limits.cycles=N" : "",
             has_limit ? fmt::format(", from its last checkpoint at cycle {}", file_.cycle) : "");
}

runs::CheckpointFile checkpoint_in(const std::string& out) {
  const fs::path path = fs::path(out) / runs::kCheckpointFile;
  if (!fs::is_directory(out)) throw InputError(out + ": there is no such directory");
  if (!fs::exists(path)) {
    throw InputError(fmt::format("{}: holds no {}: its run has ended, or was begun without --checkpoint", out,
                                 runs::kCheckpointFile));
  }
  return runs::CheckpointFile::read(path);
}

std::string go_to_folder(const runs::CheckpointFile& file, const std::string& out) {
  std::error_code error;
  if (fs::equivalent(file.folder, ".", error)) return out;
  const fs::path same_out = fs::absolute(out);
  fs::current_path(file.folder, error);
  if (error) {
    throw InputError(
        fmt::format("{}: its run began in {}, which cannot be gone to: {}", out, file.folder, error.message()));
  }
  return same_out.string();
}

Config config_of(const runs::CheckpointFile& file, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    if (setting.rfind("limits.cycles=", 0) == 0) continue;
    throw InputError(fmt::format("--set {}: of a run that goes on only limits.cycles can change", setting));
  }
  const Config config = load_config_text(file.config, "config.yaml", settings);
  if (config.limits.cycles != 0 && config.limits.cycles <= file.cycle && !file.state.empty()) {
    throw InputError(
        fmt::format("limits.cycles = {}: the run has come to cycle {}; --set limits.cycles= takes a later one",
                    config.limits.cycles, file.cycle));
  }
  if (const std::string changed = changed_inputs(file.inputs, input_fingerprint(config)); !changed.empty()) {
    throw InputError("files that the configuration of this run names have changed since it began:\n" + changed);
  }
  return config;
}

int threads_of(const Config& config, int threads) {
  if (threads <= config.threads) return threads;
  fmt::print(stderr,
             "weft: warning: --threads {}: the run was begun with threads = {}, and no more step the fabric, which is "
             "cut into no more parts\n",
             threads, config.threads);
  return config.threads;
}

}  // namespace weft::cli
