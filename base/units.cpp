// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/rational_math.h"
#include "base/text_distance.h"

namespace weft {
namespace {

struct Unit {
  std::string_view name;
  Rational factor;
  bool printed = true;  ///< false: read, but never chosen for printing
};

constexpr std::uint64_t kKibi = 1024;
constexpr std::uint64_t kKilo = 1000;
constexpr std::uint64_t power(std::uint64_t base, int n) { return n == 0 ? 1 : base * power(base, n - 1); }

/// Units of one dimension, the largest first among the printed ones.
struct UnitTable {
  std::string_view what;
  std::string_view example;
  std::string_view base;
  std::vector<Unit> units;
};

UnitTable bandwidth_units() {
  return {"a bandwidth",
          "750 GB/s",
          "B/s",
          {{"TB/s", {power(kKilo, 4), 1}},
           {"GB/s", {power(kKilo, 3), 1}},
           {"MB/s", {power(kKilo, 2), 1}},
           {"kB/s", {kKilo, 1}},
           {"B/s", {1, 1}},
           {"KiB/s", {kKibi, 1}, false},
           {"MiB/s", {power(kKibi, 2), 1}, false},
           {"GiB/s", {power(kKibi, 3), 1}, false},
           {"TiB/s", {power(kKibi, 4), 1}, false},
           {"Mbit/s", {power(kKilo, 2) / 8, 1}, false},
           {"Gbit/s", {power(kKilo, 3) / 8, 1}, false},
           {"Tbit/s", {power(kKilo, 4) / 8, 1}, false}}};
}

UnitTable compute_units() {
  return {"a compute rate",
          "900 TFLOP/s",
          "FLOP/s",
          {{"EFLOP/s", {power(kKilo, 6), 1}},
           {"PFLOP/s", {power(kKilo, 5), 1}},
           {"TFLOP/s", {power(kKilo, 4), 1}},
           {"GFLOP/s", {power(kKilo, 3), 1}},
           {"MFLOP/s", {power(kKilo, 2), 1}},
           {"FLOP/s", {1, 1}}}};
}

UnitTable frequency_units() {
  return {"a frequency",
          "1 GHz",
          "Hz",
          {{"THz", {power(kKilo, 4), 1}},
           {"GHz", {power(kKilo, 3), 1}},
           {"MHz", {power(kKilo, 2), 1}},
           {"kHz", {kKilo, 1}},
           {"Hz", {1, 1}}}};
}

UnitTable duration_units() {
  return {"a duration",
          "20 ns",
          "s",
          {{"s", {1, 1}},
           {"ms", {1, kKilo}},
           {"us", {1, power(kKilo, 2)}},
           {"ns", {1, power(kKilo, 3)}},
           {"ps", {1, power(kKilo, 4)}},
           {"fs", {1, power(kKilo, 5)}}}};
}

UnitTable byte_units() {
  return {"a number of bytes",
          "24 KiB",
          "B",
          {{"TiB", {power(kKibi, 4), 1}},
           {"GiB", {power(kKibi, 3), 1}},
           {"MiB", {power(kKibi, 2), 1}},
           {"KiB", {kKibi, 1}},
           {"TB", {power(kKilo, 4), 1}},
           {"GB", {power(kKilo, 3), 1}},
           {"MB", {power(kKilo, 2), 1}},
           {"kB", {kKilo, 1}},
           {"B", {1, 1}}}};
}

const UnitTable& table_of(Dimension dimension) {
  static const UnitTable tables[] = {bandwidth_units(), compute_units(), frequency_units(), duration_units(),
                                     byte_units()};
  return tables[static_cast<int>(dimension)];
}

std::vector<std::string_view> unit_names(const UnitTable& table) {
  std::vector<std::string_view> names;
  for (const Unit& unit : table.units) names.push_back(unit.name);
  return names;
}

/// What the writer of an unknown unit may mean, as part of a sentence. "Gbps" and "Gb/s" are bits per second, and no
/// edit of one letter may make bytes of them.
std::string meant_unit(std::string_view unit, const UnitTable& table) {
  const std::vector<std::string_view> known = unit_names(table);
  const std::string_view ending = unit.substr(unit.size() - std::min<std::size_t>(unit.size(), 3));
  if (ending == "bps" || ending == "b/s") {
    const std::string bits = std::string(unit.substr(0, unit.size() - 3)) + "bit/s";
    if (std::find(known.begin(), known.end(), bits) != known.end()) return fmt::format("; did you mean '{}'?", bits);
  }
  return did_you_mean(unit, known);
}

/// Splits "750 GB/s" after the number; a fraction's slash is followed by a digit, a unit's is not.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  const auto digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
  while (at < text.size()) {
    const char c = text[at];
    const bool exponent =
        (c == 'e' || c == 'E') &&
        (digit(at + 1) || (at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+') && digit(at + 2)));
    const bool sign = (c == '-' || c == '+') && (at == 0 || text[at - 1] == 'e' || text[at - 1] == 'E');
    if (!(digit(at) || c == '.' || exponent || sign || (c == '/' && digit(at + 1)))) break;
    ++at;
  }
  return at;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string legal_units(Dimension dimension) {
  return fmt::format("{}", fmt::join(unit_names(table_of(dimension)), ", "));
}

std::string_view example_quantity(Dimension dimension) { return table_of(dimension).example; }

Rational parse_quantity(std::string_view text, Dimension dimension) {
  const UnitTable& table = table_of(dimension);
  const std::string_view whole = trim(text);
  const std::size_t length = number_length(whole);
  const std::string_view unit_name = trim(whole.substr(length));
  if (length == 0)
    throw InputError(fmt::format("{} is not {} such as '{}'", in_quotes(text), table.what, table.example));
  const Rational number = parse_rational(whole.substr(0, length));
  if (unit_name.empty())
    throw InputError(fmt::format("{} has no unit; legal units: {}", in_quotes(text), legal_units(dimension)));
  for (const Unit& unit : table.units) {
    if (unit.name != unit_name) continue;
    const auto amount = checked_multiply(number, unit.factor);
    if (!amount) throw InputError(fmt::format("{} is too large or too precise for 64 bits", in_quotes(text)));
    if (dimension == Dimension::kBytes && amount->den != 1)
      throw InputError(fmt::format("{} is not a whole number of bytes", in_quotes(text)));
    return *amount;
  }
  throw InputError(fmt::format("unknown unit {} in {}; legal units: {}{}", in_quotes(unit_name), in_quotes(text),
                               legal_units(dimension), meant_unit(unit_name, table)));
}

std::string format_quantity(Rational amount, Dimension dimension) {
  const UnitTable& table = table_of(dimension);
  if (amount.num == 0) return fmt::format("0 {}", dimension == Dimension::kDuration ? "ns" : table.base);
  std::optional<Rational> number;
  std::string_view name = table.base;
  for (const Unit& unit : table.units) {
    const auto candidate = checked_divide(amount, unit.factor);
    if (!unit.printed || !candidate) continue;
    // Bytes look best as the smallest whole number, the rest in the largest unit that gives 1 or more.
    const bool bytes = dimension == Dimension::kBytes;
    if (number && (bytes ? candidate->den != 1 || *number < *candidate : !(*number < Rational{1, 1}))) continue;
    if (bytes && candidate->den != 1) continue;
    number = candidate;
    name = unit.name;
  }
  WEFT_CHECK(number.has_value(), "a quantity does not fit 64 bits in any unit");
  return fmt::format("{} {}", to_text(*number), name);
}

Cycle cycles_of(Rational seconds, Rational hertz) {
  const auto cycles = checked_multiply(seconds, hertz);
  if (!cycles) {
    throw InputError(fmt::format("{} at {} does not give a number of cycles that fits 64 bits",
                                 format_quantity(seconds, Dimension::kDuration),
                                 format_quantity(hertz, Dimension::kFrequency)));
  }
  return round_up(*cycles);
}

Rational flits_per_cycle(Rational bytes_per_second, std::uint64_t flit_bytes, Rational hertz) {
  const auto per_flit = checked_divide(bytes_per_second, Rational{flit_bytes, 1});
  const auto rate = per_flit ? checked_divide(*per_flit, hertz) : std::nullopt;
  if (!rate) {
    throw InputError(fmt::format("{} with flits of {} B at {} is no rate whose fraction fits 64 bits",
                                 format_quantity(bytes_per_second, Dimension::kBandwidth), flit_bytes,
                                 format_quantity(hertz, Dimension::kFrequency)));
  }
  return *rate;
}

Rational bandwidth_of(Rational rate, std::uint64_t flit_bytes, Rational hertz) {
  const auto bytes_per_cycle = checked_multiply(rate, Rational{flit_bytes, 1});
  const auto bandwidth = bytes_per_cycle ? checked_multiply(*bytes_per_cycle, hertz) : std::nullopt;
  if (!bandwidth) throw InputError("a link's bandwidth in bytes per second does not fit 64 bits");
  return *bandwidth;
}

std::string short_number(double value) {
  constexpr const char* kSteps[] = {"", " k", " M", " G", " T", " P"};
  int step = 0;
  while (value >= 1000 && step < 5) {
    value /= 1000;
    ++step;
  }
  return fmt::format("{:.3g}{}", value, kSteps[step]);
}

}  // namespace weft
