// SPDX-License-Identifier: Apache-2.0
// Keys of the system as a whole: name, seed, threads, clock, limits, waves.
#include "config/key_builders.h"

namespace weft {
namespace {

ConfigKey clock_key() {
  ConfigKey key = basic_key("clock", ValueType::kFrequency, "1 GHz",
                            "Clock of the fabric, and of the NPUs unless `npu.clock` says otherwise.");
  key.range = {Rational{1, 1}, Rational{1'000'000'000'000u, 1}};
  key.apply = [](Config& c, const Value& v) { c.clock.hertz = std::get<Rational>(v); };
  key.show = [](const Config& c) { return format_quantity(c.clock.hertz, Dimension::kFrequency); };
  return key;
}

void add_limit_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(integer_key(
      "limits.cycles", 0, kMostCycles, "0", "Ends the run after so many cycles with exit status 4; 0 = no limit.",
      [](auto& c) -> auto& { return c.limits.cycles; }));
  keys.push_back(integer_key(
      "limits.watchdog_cycles", 1, kMostCycles, "20000",
      "Flits in flight and none moved for so many cycles, of the slower of `clock` and `npu.clock`, while no NPU "
      "computes "
      "and no memory works: the run stops with a report of who waits for whom and exit status 3.",
      [](auto& c) -> auto& { return c.limits.watchdog_cycles; }));
}

double nanoseconds(Rational seconds) {
  const auto ns = checked_multiply(seconds, Rational{1'000'000'000u, 1});
  if (!ns) throw InputError("a time that does not fit 64 bits of nanoseconds");
  return to_double(*ns);
}

std::string show_nanoseconds(double ns) {
  const auto seconds = checked_divide(from_double(ns), Rational{1'000'000'000u, 1});
  WEFT_CHECK(seconds.has_value(), "a time of the waves window does not fit 64 bits of seconds");
  return format_quantity(*seconds, Dimension::kDuration);
}

void add_wave_end_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(text_key(
                     "waves.trigger", ValueType::kText, "",
                     "Recording waits for this: `collective NAME [of group GROUP]` begins at any NPU, or `queue LINK "
                     "full`: a VC of the link has no credit left.",
                     [](auto& c) -> auto& { return c.waves.trigger; })
                     .noted("nothing")
                     .or_empty());
  keys.push_back(integer_key(
      "waves.last_cycles", 0, kMostCycles, "0",
      "Keeps only so many cycles, in memory, and writes them when the run ends, whatever ends it; 0 = all.",
      [](auto& c) -> auto& { return c.waves.last_cycles; }));
  keys.push_back(name_key(
      "waves.layout", {"collective", "router", "switch", "npu", "lockstep"}, "collective",
      "Question for which the GTKWave layout beside the file is made; `weft waves layout` makes others.",
      [](auto& c) -> auto& { return c.waves.layout; }));
  keys.push_back(word_key(
      "waves.on_full", waves_full_names(), "stop",
      "When the file cannot be written any further: `stop` ends the run with an error, `go_on` the recording with a "
      "warning.",
      [](auto& c) -> auto& { return c.waves.on_full; }));
}

void add_wave_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(
      text_key(
          "waves.file", ValueType::kText, "",
          "Records a waveform into this file, `x.vcd` or `x.fst`; a relative name lies in the results directory. "
          "Empty or null: none, whatever an included file says.",
          [](auto& c) -> auto& { return c.waves.file; })
          .noted("no waveform")
          .or_empty());
  ConfigKey scope =
      basic_key("waves.scope", ValueType::kTexts, "",
                "Patterns of what is recorded, or `collective` for what tells of collectives: `*` stands "
                "for one level, `**` for any number, `[3,2]` "
                "for an index, `[0-3]` for a range, `[*]` for any index, `[3,*]` for a column. "
                "`plane[..]` and `slice[..]` may be left out; the inside of FRED switches is recorded only "
                "where a pattern names it: `*.l1[0].uswitch*`.");
  scope.note = "everything";
  scope.apply = [](Config& c, const Value& v) { c.waves.scope = std::get<std::vector<std::string>>(v); };
  scope.show = [](const Config& c) {
    std::string text;
    for (const std::string& pattern : c.waves.scope) text += (text.empty() ? "" : ", ") + yaml_quoted(pattern);
    return "[" + text + "]";
  };
  keys.push_back(scope);
  ConfigKey from =
      basic_key("waves.from", ValueType::kDuration, "0 ns", "Start of the recorded window in simulated time.");
  from.apply = [](Config& c, const Value& v) { c.waves.from_ns = nanoseconds(std::get<Rational>(v)); };
  from.show = [](const Config& c) { return show_nanoseconds(c.waves.from_ns); };
  keys.push_back(from);
  ConfigKey to =
      basic_key("waves.to", ValueType::kDuration, "end", "End of the recorded window in simulated time, or `end`.");
  to.words = {"end"};
  to.apply = [](Config& c, const Value& v) {
    c.waves.to_ns = std::holds_alternative<std::string>(v) ? -1 : nanoseconds(std::get<Rational>(v));
  };
  to.show = [](const Config& c) { return c.waves.to_ns < 0 ? "end" : show_nanoseconds(c.waves.to_ns); };
  keys.push_back(to);
  add_wave_end_keys(keys);
}

}  // namespace

void add_system_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(text_key(
                     "name", ValueType::kText, "", "Name of the system; results are kept under it.",
                     [](auto& c) -> auto& { return c.name; })
                     .noted("the file's name without its ending"));
  keys.push_back(integer_key(
      "seed", 0, ~std::uint64_t{0}, "1",
      "Seed of every random stream; same file, seed and version give the same bytes in the results.",
      [](auto& c) -> auto& { return c.seed; }));
  keys.push_back(integer_key(
      "threads", 1, 256, "1",
      "Worker threads, which share the rows of a grid of routers, or the switches of a FRED fabric with their NPUs; "
      "one L1 switch each at most. The results do not depend on it.",
      [](auto& c) -> auto& { return c.threads; }));
  keys.push_back(clock_key());
  add_limit_keys(keys);
  keys.push_back(word_key(
      "run.fast_forward", fast_forward_names(), "exact",
      "exact: cycles that are copies of earlier ones are left out; all results are those of a run of every cycle. "
      "steady: where messages go on at steady rates, too, cycles are left out, which is an approximation, and the "
      "results say so. off: every cycle is simulated.",
      [](auto& c) -> auto& { return c.run.fast_forward; }));
  add_wave_keys(keys);
}

}  // namespace weft
