// SPDX-License-Identifier: Apache-2.0
// Rules between keys, one function each. A rule reports at the key that is easiest to change.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/rational_math.h"
#include "base/text_distance.h"
#include "base/units.h"
#include "config/fabric_rules.h"
#include "config/resolve.h"
#include "config/rules.h"

namespace weft {
namespace {

class ConfigRules : public Rules {
 public:
  using Rules::Rules;

  void check_all() {
    check_name();
    rules_.check(config_, raw_, errors_);
    check_ramp();
    check_packet_size();
    check_bandwidths();
    check_watchdog();
    check_delays();
    check_placement();
    check_workload_rules(config_, raw_, errors_);
    check_io_rules(config_, raw_, errors_);
    check_waves();
  }

 private:
  void check_name() {
    if (!good({"name"}) || config_.name.empty()) return;
    const bool has_bad_letter = std::any_of(config_.name.begin(), config_.name.end(), [](char c) {
      return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (has_bad_letter || config_.name.size() > 100 || config_.name == "." || config_.name == "..")
      refuse("name",
             fmt::format("{} names no folder; legal: up to 100 characters without '/'", in_quotes(config_.name)));
  }

  void check_ramp() {
    if (!good({"fabric.local.latency", "npu.ramp_cycles"})) return;
    if (raw_.has("fabric.local.latency") && config_.npu.ramp_cycles != config_.fabric.local.latency_cycles)
      refuse("npu.ramp_cycles", fmt::format("{} cycles contradict fabric.local.latency, which is {}; give only one",
                                            config_.npu.ramp_cycles, config_.fabric.local.latency_cycles));
  }

  void check_packet_size() {
    if (!good({"npu.packet_bytes", "fabric.flit_bytes"})) return;
    const std::uint64_t flits = (config_.npu.packet_bytes + fabric_.flit_bytes - 1) / fabric_.flit_bytes;
    if (flits > kMostPacketFlits)
      refuse("npu.packet_bytes", fmt::format("a packet of {} bytes has {} flits of {} bytes; legal: at most {} flits",
                                             config_.npu.packet_bytes, flits, fabric_.flit_bytes, kMostPacketFlits));
  }

  /// Rates are exact in flits per cycle; their bandwidths, also those of defaults, must be exact in bytes per second.
  void check_bandwidths() {
    if (!good({"clock", "fabric.flit_bytes"}) || raw_.is_bad_within("fabric.levels")) return;
    const auto check = [&](const ConfigKey& key) {
      if (key.type != ValueType::kBandwidth || raw_.is_bad(key.path) || !key.applies_to(fabric_)) return;
      try {
        (void)key.show(config_);
      } catch (const InputError& error) {
        refuse(key.path, fmt::format("{}; round the clock, flit_bytes or bandwidth", error.what()));
      }
    };
    for (const ConfigKey& key : config_keys()) {
      check(key);
      for (std::size_t i = 0; i < std::min(key.elements.size(), fabric_.fred.levels.size()); ++i)
        std::for_each(key.elements[i].begin(), key.elements[i].end(), check);
    }
  }

  void check_watchdog() {
    if (!good({"limits.watchdog_cycles", "clock"}) || !good_links()) return;
    // A lone flit on its way through a router and over a wire moves nothing else for so long; that must not look like a
    // deadlock.
    const Cycle slowest = rules_.longest_stop(fabric_, raw_);
    // A lost packet that is lost once more is silent twice.
    const Cycle repair = rules_.repair_cycles(fabric_);
    if (config_.limits.watchdog_cycles <= 2 * repair)
      return refuse("limits.watchdog_cycles",
                    fmt::format("{} cycles are no sign of a deadlock where a lost packet is sent again after {} cycles "
                                "(fabric.retransmit_timeout); legal: more than {}",
                                config_.limits.watchdog_cycles, repair, 2 * repair));
    if (config_.limits.watchdog_cycles <= 2 * slowest)
      refuse("limits.watchdog_cycles",
             fmt::format("{} cycles are no sign of a deadlock where a link takes {} cycles; legal: more than {}",
                         config_.limits.watchdog_cycles, slowest, 2 * slowest));
  }

  /// Between modules a delay is a time of SystemC's, which has 64 bits of femtoseconds.
  void check_delays() {
    const bool modules = fabric_.form == FabricForm::kModules;
    if (!good({"clock", "npu.clock", "fabric.form"}) || !(modules || config_.npu.clock) || !good_links()) return;
    const Cycle slowest = rules_.slowest_link(fabric_, raw_);
    if (Clock(config_.clock).edge_fs(slowest + 2) >> 64 == 0) return;
    refuse(modules ? "fabric.form" : "npu.clock",
           fmt::format(
               "joins blocks by delays of at most 18,446 s, but a link takes {} cycles of {}; legal: faster links, or "
               "{}",
               slowest, format_quantity(config_.clock.hertz, Dimension::kFrequency), modules ? "region" : "fabric"));
  }

  /// True when latencies and bandwidths can be relied on.
  bool good_links() const {
    const auto bad = [&](const std::string& link) {
      return raw_.is_bad(link + ".latency") || raw_.is_bad(link + ".bandwidth");
    };
    return good({"fabric.flit_bytes"}) && !bad("fabric.link") && !bad("fabric.link_y") && !bad("fabric.local");
  }

  void check_placement() {
    if (!has_size() || !good({"npu.placement", "npu.count"}) || !raw_.has("npu.placement")) return;
    if (config_.npu.placement.empty()) return refuse("npu.placement", "an empty list places no rank");
    check_ids("npu.placement", config_.npu.placement, static_cast<std::uint64_t>(fabric_.nodes()), "node");
  }

  void check_waves() {
    const WavesSpec& waves = config_.waves;
    if (good({"waves.from", "waves.to"}) && waves.to_ns >= 0 && waves.to_ns <= waves.from_ns)
      refuse("waves.to", fmt::format("the window ends at {} ns, but begins at {} ns; legal: a later end", waves.to_ns,
                                     waves.from_ns));
    if (!good({"waves.file"}) || waves.file.empty()) return;
    const std::string& file = waves.file;
    const std::string ending = file.size() > 4 ? file.substr(file.size() - 4) : "";
    if (ending != ".vcd" && ending != ".fst")
      refuse("waves.file", fmt::format("{} has no known ending; known: .vcd, .fst", in_quotes(file)));
  }

  const FabricRules& rules_ = rules_of(fabric_);
};

}  // namespace

void check_contradictions(const Config& config, const RawConfig& raw, ConfigErrors& errors) {
  ConfigRules(config, raw, errors).check_all();
}

}  // namespace weft
