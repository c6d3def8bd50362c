// SPDX-License-Identifier: Apache-2.0
#include "waves/wave_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "base/error.h"
#include "base/random.h"
#include "waves/recorder_setup.h"

namespace weft::waves {
namespace {

constexpr std::size_t kNotCompared = ~std::size_t{0};

/// Time units are compared in femtoseconds.
std::uint64_t unit_femtoseconds(const std::string& unit) {
  struct Unit {
    const char* name;
    std::uint64_t femtoseconds;
  };
  static constexpr std::array<Unit, 6> kUnits{{{"fs", 1},
                                               {"ps", 1'000},
                                               {"ns", 1'000'000},
                                               {"us", 1'000'000'000},
                                               {"ms", 1'000'000'000'000},
                                               {"s", 1'000'000'000'000'000}}};
  const std::size_t digits = unit.find_first_not_of("0123456789");
  if (digits != std::string::npos && digits > 0) {
    for (const Unit& each : kUnits) {
      if (unit.substr(digits) == each.name) return std::stoull(unit.substr(0, digits)) * each.femtoseconds;
    }
  }
  throw InputError(fmt::format("a wave file has the time unit '{}'; legal: like 1ns, 10ps", unit));
}

/// A file's signals by their numbers among those compared.
struct Side {
  WaveReader& reader;
  std::uint64_t unit;
  std::vector<std::size_t> number;  ///< by signal; kNotCompared
  std::vector<std::string> values;  ///< by number: the last one read
  std::uint64_t end = 0;
};

/// The state of all compared signals after an instant.
struct Instant {
  std::uint64_t time = 0;
  std::uint64_t state = 0;
};

std::string canonical(const WaveSignal& signal, std::string_view value) {
  return signal.kind == WaveKind::kString ? std::string(value) : plain_digits(value);
}

/// What a value adds to the state; an unknown one adds nothing, like none.
std::uint64_t share(std::size_t number, const std::string& value) {
  if (value.empty() || value == "x") return 0;
  return mix64(mix64(number + 1) ^ std::hash<std::string>{}(value));
}

/// All values up to `last`, in `side.values`; `instant` is told the state after each instant.
template <typename Told>
void play(Side& side, std::uint64_t last, const Told& instant) {
  std::fill(side.values.begin(), side.values.end(), std::string());
  const std::vector<WaveSignal>& signals = side.reader.header().signals;
  std::uint64_t now = 0;
  std::uint64_t state = 0;
  side.end = side.unit * side.reader.read([&](std::uint64_t time, std::size_t signal, std::string_view value) {
    const std::size_t number = side.number[signal];
    if (time * side.unit != now) {
      instant(now, state);
      now = time * side.unit;
      if (now > last) return false;
    }
    if (number == kNotCompared) return true;
    std::string text = canonical(signals[signal], value);
    state += share(number, text) - share(number, side.values[number]);
    side.values[number] = std::move(text);
    return true;
  });
  if (now <= last) instant(now, state);
}

std::vector<Instant> states_of(Side& side) {
  std::vector<Instant> result;
  play(side, ~std::uint64_t{0}, [&](std::uint64_t time, std::uint64_t state) {
    if (result.empty() ? state != 0 : result.back().state != state) result.push_back({time, state});
  });
  return result;
}

/// How many of them both files can have.
std::size_t count_until(const std::vector<Instant>& states, std::uint64_t end) {
  const auto later = [](std::uint64_t time, const Instant& instant) { return time < instant.time; };
  return static_cast<std::size_t>(std::upper_bound(states.begin(), states.end(), end, later) - states.begin());
}

/// The number of a clock's edge. Whether it counts on in a pause depends on what else is recorded.
bool is_cycle(const std::string& name) {
  constexpr std::string_view kEnd = ".cycle";
  const std::size_t dot = name.find('.');
  return dot != std::string::npos && std::string_view(name).substr(dot) == kEnd;
}

bool is_selected(const std::string& name, const std::vector<ScopePattern>& patterns) {
  if (patterns.empty()) return !is_cycle(name);
  return std::any_of(patterns.begin(), patterns.end(), [&](const ScopePattern& pattern) {
    if (!selects(pattern, name)) return false;
    if (!is_cycle(name)) return true;
    return pattern.level(pattern.levels() - 1) == "cycle" || pattern.level(0) == name.substr(0, name.find('.'));
  });
}

/// Numbers what both have; the rest is named in `difference`.
std::vector<std::size_t> match_signals(Side& first, Side& second, const std::vector<ScopePattern>& patterns,
                                       WaveDifference* difference) {
  std::unordered_map<std::string, std::size_t> index_of;
  const std::vector<WaveSignal>& seconds = second.reader.header().signals;
  for (std::size_t i = 0; i < seconds.size(); ++i) index_of.emplace(seconds[i].name, i);
  first.number.assign(first.reader.header().signals.size(), kNotCompared);
  second.number.assign(seconds.size(), kNotCompared);
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < first.number.size(); ++i) {
    const std::string& name = first.reader.header().signals[i].name;
    if (!is_selected(name, patterns)) continue;
    const auto found = index_of.find(name);
    if (found == index_of.end()) {
      difference->only_first.push_back(name);
      continue;
    }
    first.number[i] = second.number[found->second] = common.size();
    common.push_back(i);
  }
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (second.number[i] == kNotCompared && is_selected(seconds[i].name, patterns)) {
      difference->only_second.push_back(seconds[i].name);
    }
  }
  first.values.resize(common.size());
  second.values.resize(common.size());
  difference->compared = common.size();
  return common;
}

std::string in_words(const WaveSignal& signal, const std::string& value) {
  return value.empty() && signal.kind != WaveKind::kString ? "x" : value_text(signal, value);
}

}  // namespace

double unit_ns(const std::string& unit) { return static_cast<double>(unit_femtoseconds(unit)) / 1e6; }

WaveDifference first_difference(WaveReader& first, WaveReader& second, const std::vector<ScopePattern>& patterns) {
  constexpr double kFemtosecondsPerNs = 1e6;
  Side a{first, unit_femtoseconds(first.header().unit), {}, {}};
  Side b{second, unit_femtoseconds(second.header().unit), {}, {}};
  WaveDifference difference;
  const std::vector<std::size_t> common = match_signals(a, b, patterns, &difference);
  if (common.empty()) throw InputError("the two files have no signal in common that could be compared");
  const std::vector<Instant> states_a = states_of(a);
  const std::vector<Instant> states_b = states_of(b);
  difference.first_end_ns = static_cast<double>(a.end) / kFemtosecondsPerNs;
  difference.second_end_ns = static_cast<double>(b.end) / kFemtosecondsPerNs;
  const std::uint64_t end = std::min(a.end, b.end);
  const std::size_t count_a = count_until(states_a, end);
  const std::size_t count_b = count_until(states_b, end);
  std::size_t same = 0;
  const std::size_t both = std::min(count_a, count_b);
  while (same < both && states_a[same].time == states_b[same].time && states_a[same].state == states_b[same].state) {
    ++same;
  }
  std::uint64_t time = end;
  difference.differ = same < count_a || same < count_b;
  if (difference.differ) {
    std::uint64_t when = ~std::uint64_t{0};
    if (same < count_a) when = states_a[same].time;
    if (same < count_b) when = std::min(when, states_b[same].time);
    time = when;
    const auto ignore = [](std::uint64_t, std::uint64_t) {};
    play(a, time, ignore);
    play(b, time, ignore);
    for (std::size_t n = 0; n < common.size(); ++n) {
      if (share(n, a.values[n]) == share(n, b.values[n])) continue;
      const WaveSignal& signal = first.header().signals[common[n]];
      difference.signals.push_back({signal.name, in_words(signal, a.values[n]), in_words(signal, b.values[n])});
    }
  }
  difference.time_ns = static_cast<double>(time) / kFemtosecondsPerNs;
  return difference;
}

}  // namespace weft::waves
