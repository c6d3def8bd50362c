// SPDX-License-Identifier: Apache-2.0
#include "sc_models/results_units.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "config/fabric_facts.h"

namespace weft::sc_models {

double cycles_to_ns(Cycle cycles, const ClockSpec& clock) {
  UInt128 numerator = static_cast<UInt128>(cycles) * 1'000'000'000U;
  if (__builtin_mul_overflow(numerator, clock.hertz.den, &numerator)) {
    // Only clocks whose frequency is a fraction with a denominator of more than 34 bits; a double holds no more anyway.
    return static_cast<double>(cycles) * 1e9 * static_cast<double>(clock.hertz.den) /
           static_cast<double>(clock.hertz.num);
  }
  const UInt128 whole = numerator / clock.hertz.num;
  const UInt128 rest = numerator % clock.hertz.num;
  return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(clock.hertz.num);
}

const ClockSpec& npu_clock(const Config& config) { return config.npu.clock ? *config.npu.clock : config.clock; }

UInt128 total_bytes(CollectiveKind kind, std::uint64_t bytes, std::uint32_t members) {
  const bool says_contribution = kind == CollectiveKind::kAllGather || kind == CollectiveKind::kGather;
  return says_contribution ? static_cast<UInt128>(bytes) * members : bytes;
}

namespace {

double bus_factor(CollectiveKind kind, double members) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (members - 1) / members;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
      return (members - 1) / members;
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
    case CollectiveKind::kBarrier:
      return 1;
  }
  violation("a collective kind without a bus factor");
}

}  // namespace

std::optional<CollectiveBandwidth> collective_bandwidth(CollectiveKind kind, std::uint64_t bytes, std::uint32_t members,
                                                        double ns) {
  if (kind == CollectiveKind::kBarrier || bytes == 0 || members == 0 || ns <= 0) return std::nullopt;
  CollectiveBandwidth result;
  result.algbw_gbps = static_cast<double>(total_bytes(kind, bytes, members)) / ns;
  result.busbw_gbps = result.algbw_gbps * bus_factor(kind, members);
  return result;
}

double io_line_gbps(const Config& config) {
  const FabricSpec& fabric = config.fabric;
  return io_rate(fabric) * static_cast<double>(fabric.flit_bytes) * config.clock.hertz.value() / 1e9;
}

std::string with_separators(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (int digit = static_cast<int>(digits.size()) - 3; digit > 0; digit -= 3) {
    digits.insert(static_cast<std::size_t>(digit), 1, ',');
  }
  return digits;
}

std::string readable_time(double ns) {
  struct Unit {
    double ns;
    const char* name;
  };
  static constexpr std::array<Unit, 4> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  for (const Unit& unit : kUnits) {
    if (ns >= unit.ns) return fmt::format("{:.5g} {}", ns / unit.ns, unit.name);
  }
  return fmt::format("{:.5g} ns", ns);
}

std::string readable_bytes(std::uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

}  // namespace weft::sc_models
