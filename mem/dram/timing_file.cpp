// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/timing_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/read_file.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "config/tree.h"
#include "mem/dram/channel.h"
#include "mem/dram/embedded_timings.h"

namespace weft::mem {
namespace {

constexpr std::uint64_t kMaxCycles = 1'000'000'000;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;

std::vector<std::string_view> timing_keys() {
  std::vector<std::string_view> keys;
  for (const TimingField& field : timing_fields()) keys.push_back(field.name);
  return keys;
}

/// Reads one file; errors are collected.
class Reader {
 public:
  Reader(const std::string& text, const std::string& source) : root_(parse_yaml(text, source, false, errors_)) {}

  DramTiming read() {
    if (root_.kind != RawNode::Kind::kMap) {
      if (!errors_.is_blind())
        errors_.add(root_.origin, fmt::format("a timing is a map of keys, not {}", root_.describe()));
      errors_.throw_if_any();
    }
    if (root_.find("timing") == nullptr && root_.find("modules") != nullptr && root_.find("links") != nullptr) {
      errors_.add(root_.origin, "this is a pool (memory.pool), where the timing of a DRAM is expected");
      errors_.throw_if_any();
    }
    refuse_unknown(root_, "",
                   {"name", "clock", "channels", "bank_groups", "banks_per_group", "rows", "row_bytes", "burst_bytes",
                    "command_buses", "timing"});
    read_organisation();
    read_times();
    if (errors_.size() == 0) check();
    errors_.throw_if_any();
    return timing_;
  }

 private:
  void refuse_unknown(const RawNode& map, const std::string& prefix, const std::vector<std::string_view>& known) {
    for (const RawNode::Entry& entry : map.entries) {
      if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
      errors_.add(entry.origin,
                  fmt::format("unknown key {}{}", in_quotes(prefix + entry.key), did_you_mean(entry.key, known)));
    }
  }

  /// The scalar of a key that must be there.
  const RawNode* scalar(const RawNode& map, const std::string& key, const std::string& example) {
    const RawNode* node = map.find(key);
    if (node == nullptr) {
      if (!errors_.is_blind()) errors_.add(map.origin, fmt::format("{} is missing (such as {})", key, example));
    } else if (node->kind != RawNode::Kind::kScalar) {
      errors_.add(node->origin, fmt::format("{}: {}; write it like {}", key, node->describe(), example));
      node = nullptr;
    }
    return node;
  }

  template <typename Number>
  void read_power(const char* key, std::uint64_t most, Number& value, bool is_bytes) {
    const RawNode* node = scalar(root_, key, is_bytes ? "1 KiB" : "4");
    if (node == nullptr) return;
    std::uint64_t number = 0;
    if (is_bytes) {
      const auto bytes = quantity(*node, key, Dimension::kBytes);
      if (!bytes) return;
      number = bytes->num;
    } else if (!whole_number(node->scalar, number)) {
      errors_.add(node->origin, fmt::format("{}: {}; a whole number is expected", key, node->describe()));
      return;
    }
    if (number == 0 || number > most || (number & (number - 1)) != 0) {
      errors_.add(node->origin, fmt::format("{}: {}; a power of two from 1 to {}", key, node->describe(), most));
      return;
    }
    value = static_cast<Number>(number);
  }

  void read_organisation() {
    if (const RawNode* name = scalar(root_, "name", "hbm3")) timing_.name = name->scalar;
    if (const RawNode* clock = scalar(root_, "clock", "1.6 GHz")) {
      const auto hertz = quantity(*clock, "clock", Dimension::kFrequency);
      if (hertz && hertz->num == 0) errors_.add(clock->origin, "clock: 0 Hz; it must be above 0");
      if (hertz && hertz->num > 0) timing_.hertz = *hertz, has_clock_ = true;
    }
    read_power("channels", 1024, timing_.channels, false);
    read_power("bank_groups", 16, timing_.bank_groups, false);
    read_power("banks_per_group", 16, timing_.banks_per_group, false);
    read_power("rows", std::uint64_t{1} << 32, timing_.rows, false);
    read_power("row_bytes", 1u << 20, timing_.row_bytes, true);
    read_power("burst_bytes", 1u << 12, timing_.burst_bytes, true);
    read_power("command_buses", 2, timing_.command_buses, false);
  }

  void read_times() {
    const RawNode* times = root_.find("timing");
    if (times == nullptr || times->kind != RawNode::Kind::kMap) {
      if (!errors_.is_blind())
        errors_.add(times != nullptr ? times->origin : root_.origin,
                    "timing: a map of times is expected (tRCD: 14 ns, ...)");
      return;
    }
    refuse_unknown(*times, "timing.", timing_keys());
    std::vector<std::string_view> missing;
    for (const TimingField& field : timing_fields()) {
      if (times->find(field.name) == nullptr) {
        missing.emplace_back(field.name);
      } else if (const RawNode* node = scalar(*times, field.name, "14 ns")) {
        read_time(field, *node);
      }
    }
    if (!missing.empty() && !errors_.is_blind())
      errors_.add(times->origin, fmt::format("{} {} missing (such as 14 ns)", fmt::join(missing, ", "),
                                             missing.size() == 1 ? "is" : "are"));
  }

  void read_time(const TimingField& field, const RawNode& node) {
    origins_[field.name] = node.origin;
    std::uint64_t cycles = 0;
    const auto space = node.scalar.find(' ');
    const std::string unit = space == std::string::npos ? "" : node.scalar.substr(space + 1);
    if (unit == "cycles" || unit == "cycle") {
      if (!whole_number(node.scalar.substr(0, space), cycles)) {
        errors_.add(node.origin,
                    fmt::format("{}: {}; a whole number of cycles is expected", field.name, node.describe()));
        return;
      }
    } else {
      const auto seconds = quantity(node, field.name, Dimension::kDuration, " or whole cycles ('12 cycles')");
      if (!seconds || !has_clock_) return;
      cycles = cycles_of(*seconds, timing_.hertz);
    }
    if (cycles == 0 || cycles > kMaxCycles) {
      errors_.add(node.origin,
                  fmt::format("{}: {} are {} cycles; from 1 to {}", field.name, node.describe(), cycles, kMaxCycles));
      return;
    }
    timing_.*field.cycles = cycles;
  }

  std::optional<Rational> quantity(const RawNode& node, const std::string& key, Dimension dimension,
                                   const std::string& or_else = "") {
    try {
      return parse_quantity(node.scalar, dimension);
    } catch (const InputError& problem) {
      errors_.add(node.origin, fmt::format("{}: {}{}", key, problem.what(), or_else));
      return std::nullopt;
    }
  }

  static bool whole_number(const std::string& text, std::uint64_t& number) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size();
  }

  void check() {
    if (timing_.burst_bytes > timing_.row_bytes)
      errors_.add(root_.find("burst_bytes")->origin,
                  fmt::format("burst_bytes: {}, more than a row holds, {}", timing_.burst_bytes, timing_.row_bytes));
    // The controller's default, which no file changes.
    const std::uint64_t interleave = ChannelOptions().interleave_bytes;
    if (timing_.burst_bytes > interleave)
      errors_.add(
          root_.find("burst_bytes")->origin,
          fmt::format("burst_bytes: {}, more than the {} bytes that lie in one channel before the next one's turn",
                      timing_.burst_bytes, interleave));
    if (timing_.channel_bytes() < interleave)
      errors_.add(root_.find("rows")->origin,
                  fmt::format("rows: {} make channels of {} bytes, less than the {} that lie in one channel before the "
                              "next one's turn",
                              timing_.rows, timing_.channel_bytes(), interleave));
    if (timing_.banks() > 64)
      errors_.add(root_.find("banks_per_group")->origin,
                  fmt::format("banks_per_group: {} banks in a channel; at most 64", timing_.banks()));
    if (UInt128{timing_.channels} * timing_.banks() * timing_.rows * timing_.row_bytes > kMaxBytes)
      errors_.add(root_.find("rows")->origin,
                  fmt::format("rows: {} make a memory of more than 2^62 bytes", timing_.rows));
    for (const TimingProblem& problem : timing_problems(timing_))
      errors_.add(origins_.at(problem.key), problem.sentence);
  }

  ConfigErrors errors_;
  RawNode root_;
  DramTiming timing_;
  bool has_clock_ = false;
  std::map<std::string, Origin> origins_;
};

}  // namespace

DramTiming read_timing(const std::string& text, const std::string& source) { return Reader(text, source).read(); }

DramTiming read_timing_file(const std::string& path) { return read_timing(read_file(path, kMaxConfigBytes), path); }

std::vector<std::string> timing_names() {
  std::vector<std::string> names;
  for (const auto& [name, text] : embedded_timings()) names.push_back(name);
  return names;
}

DramTiming named_timing(const std::string& name) {
  const auto at = embedded_timings().find(name);
  if (at != embedded_timings().end()) return read_timing(at->second, "memory/" + name + ".yaml");
  const std::vector<std::string> names = timing_names();
  throw InputError(fmt::format("no memory timing {}; known: {}{}", in_quotes(name), fmt::join(names, ", "),
                               did_you_mean(name, {names.begin(), names.end()})));
}

}  // namespace weft::mem
